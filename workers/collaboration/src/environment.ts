import type { Environment } from '@octavo/runtime';
import type { ContentService, PublishingService } from '@octavo/schema';

export interface CollaborationEnvironment extends Environment {
  CONTENT: ContentService;
  PUBLISHING: PublishingService;
}
