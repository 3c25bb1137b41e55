import type { PublishedSite, SiteSpace } from '@octavo/schema';

/** All site spaces of a site, in its order. */
export const siteSpacesOf = ({ structure }: PublishedSite): SiteSpace[] =>
  structure.type === 'siteSpaces'
    ? structure.structure
    : structure.structure.flatMap((each) => {
        if (each.object === 'site-section') return each.siteSpaces;
        return each.object === 'site-section-group' ? each.sections.flatMap((section) => section.siteSpaces) : [];
      });
