import type { Environment } from '@octavo/runtime';
import type { ContentService } from '@octavo/schema';

export interface CollaborationEnvironment extends Environment {
  CONTENT: ContentService;
}
