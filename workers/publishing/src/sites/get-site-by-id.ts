import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { presentSite } from './present-site.ts';

export const getSiteById: Handler<typeof publishing.getSiteById, PublishingEnvironment> = (_, { site, urls }) =>
  presentSite(site, urls);
