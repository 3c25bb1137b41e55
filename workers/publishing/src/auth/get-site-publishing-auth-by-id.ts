import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { presentAuth } from './present-auth.ts';
import { showKey } from './show-key.ts';

export const getSitePublishingAuthById: Handler<
  typeof publishing.getSitePublishingAuthById,
  PublishingEnvironment
> = async (_, context) => presentAuth(context.site, await showKey(context.site, context));
