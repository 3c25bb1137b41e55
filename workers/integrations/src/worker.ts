import type { Environment } from '@octavo/runtime';
import { implement } from '@octavo/runtime';
import { integrations } from '@octavo/schema';

export default implement<typeof integrations, Environment>(integrations, {}) satisfies ExportedHandler<Environment>;
