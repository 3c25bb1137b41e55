import type { SiteRecord } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { keyIn, presentSpace, presentVisited } from '@octavo/runtime';
import type { SiteSpace, Space } from '@octavo/schema';
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

/** To visitors a space is published at each of its places in the site that they visit. */
function presentHere(
  { space, section, path, isDefault }: SiteSpaceRecord,
  { site, urls, shareKey }: StructureView,
): Space {
  const place = {
    ...site,
    site: site.id,
    section: section === null || section.isDefault ? null : section.path,
    siteSpace: isDefault ? null : path,
  };
  return presentVisited({ ...space, publishedAt: site.published ? place : null }, urls, keyIn(site, shareKey));
}

export function presentSiteSpace(record: SiteSpaceRecord, view: StructureView): SiteSpace {
  const { site, urls, shareKey, isVisitor } = view;
  const { id, path, condition, isDefault, section } = record;
  const place = { shareKey: keyIn(site, shareKey), section: section ?? undefined, siteSpace: { path, isDefault } };
  return {
    object: 'site-space',
    id,
    path,
    ...(section === null ? {} : { section: section.id }),
    space: isVisitor ? presentHere(record, view) : presentSpace(record.space, record.role, urls),
    title: record.space.title,
    default: isDefault,
    ...(condition === null || isVisitor ? {} : { condition }),
    hasAdvancedCustomizationFeature: true,
    urls: site.published ? { published: urls.published(site, place) } : {},
  };
}
