import type { Environment } from '@octavo/runtime';
import { implement } from '@octavo/runtime';
import { publishing } from '@octavo/schema';

export default implement<typeof publishing, Environment>(publishing, {}) satisfies ExportedHandler<Environment>;
