import type { Handler } from '@octavo/runtime';
import { presentSite } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { viewStructure } from '../structure/view-structure.ts';

/** Visitors learn of as many site spaces as they are shown. */
export const getSiteById: Handler<typeof publishing.getSiteById, PublishingEnvironment> = async (_, context) => {
  const { site, visitor, urls } = context;
  if (visitor === undefined) return presentSite(site, urls);
  const { shown } = await viewStructure(context, undefined);
  return presentSite(site, urls, { siteSpaces: shown.siteSpaces.length });
};
