import type { SiteRecord } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentSpace, presentVisited } from '@octavo/runtime';
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
  return {
    object: 'site-space',
    id,
    path,
    ...(section === null ? {} : { section: section.id }),
    space: isVisitor ? presentVisited(record.space, site.id, urls) : presentSpace(record.space, record.role, urls),
    title: record.space.title,
    default: isDefault,
    ...(condition === null || isVisitor ? {} : { condition }),
    hasAdvancedCustomizationFeature: true,
    urls: site.published ? { published: urls.published(site, place) } : {},
  };
}
