import { implement } from '@octavo/runtime';
import { collaboration } from '@octavo/schema';
import type { CollaborationEnvironment } from './environment.ts';
import { handlers } from './handlers.ts';

export default implement<typeof collaboration, CollaborationEnvironment>(
  collaboration,
  handlers,
) satisfies ExportedHandler<CollaborationEnvironment>;
