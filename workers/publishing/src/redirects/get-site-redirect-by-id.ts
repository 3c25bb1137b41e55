import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { getSiteRedirect } from './find-site-redirect.ts';
import { presentRedirect } from './present-redirect.ts';

export const getSiteRedirectById: Handler<typeof publishing.getSiteRedirectById, PublishingEnvironment> = async (
  { params },
  { db, site },
) => presentRedirect(await getSiteRedirect(db, site.id, params.siteRedirectId));
