import type { SiteRecord } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { SiteSpace } from '@octavo/schema';
import { keyIn } from '../sites/present-site.ts';
import type { SiteSpaceRecord } from './site-space-record.ts';

/** What all that is shown of a site's structure has in common. */
export interface StructureView {
  site: SiteRecord;
  urls: Urls;
  /** Stands in addresses of a site that is open to those who hold one. */
  shareKey?: string | undefined;
  /** Visitors learn no conditions, and nothing of spaces but what is read. */
  isVisitor: boolean;
}

export function presentSiteSpace(
  record: SiteSpaceRecord,
  { site, urls, shareKey, isVisitor }: StructureView,
): SiteSpace {
  const { id, path, condition, isDefault, section } = record;
  const place = { shareKey: keyIn(site, shareKey), section: section ?? undefined, siteSpace: { path, isDefault } };
  const space = presentSpace(record.space, record.role, urls);
  return {
    object: 'site-space',
    id,
    path,
    ...(section === null ? {} : { section: section.id }),
    space: isVisitor ? asVisited(space) : space,
    title: record.space.title,
    default: isDefault,
    ...(condition === null || isVisitor ? {} : { condition }),
    hasAdvancedCustomizationFeature: true,
    urls: site.published ? { published: urls.published(site, place) } : {},
  };
}

/** A space as visitors see it. */
function asVisited({ parent: _, ...space }: SiteSpace['space']): SiteSpace['space'] {
  const counts = { comments: 0, changeRequests: 0, changeRequestsOpen: 0, changeRequestsDraft: 0 };
  return { ...space, ...counts, mergeRules: { type: 'inherit' } };
}
