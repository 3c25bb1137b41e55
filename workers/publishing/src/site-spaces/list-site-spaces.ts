import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { siteSpacesInOrder } from '../structure/arrange.ts';
import { pageOf } from '../structure/page-of.ts';
import { viewStructure } from '../structure/view-structure.ts';
import { presentSiteSpace } from './present-site-space.ts';
import type { SiteSpaceRecord } from './site-space-record.ts';

export const listSiteSpaces: Handler<typeof publishing.listSiteSpaces, PublishingEnvironment> = async (
  { query: { shareKey, default: wanted, ...query } },
  context,
) => {
  const { shown, view } = await viewStructure(context, shareKey);
  const all = siteSpacesInOrder(shown).filter(({ item }) => wanted === undefined || isDefaultOfSite(item) === wanted);
  return pageOf(all, query, { depth: 6, present: (item) => presentSiteSpace(item, view) });
};

/** What the site's own address shows. */
const isDefaultOfSite = ({ isDefault, section }: SiteSpaceRecord): boolean => isDefault && section?.isDefault !== false;
