import type { DocumentPage, PublishedSite, Revision, SiteSpace } from '@octavo/schema';
import { siteSpacesOf } from '../find-pages.ts';
import { PageTree } from '../navigation.ts';
import type { SiteApi } from '../site-api.ts';

/** A page with its whole address. */
export interface AddressedPage {
  page: DocumentPage;
  url: string;
}

/** The pages of a site space that readers find by themselves, in their order. */
export async function pagesOf(api: SiteApi, { space, urls }: SiteSpace): Promise<AddressedPage[]> {
  const found = await api.get<Pick<Revision, 'pages'>>(`/v1/spaces/${space.id}/content/pages`);
  if (found === undefined || urls.published === undefined) return [];
  const base = urls.published.endsWith('/') ? urls.published : `${urls.published}/`;
  const tree = new PageTree(found, '');
  return tree.order.map((page) => ({ page, url: `${base}${tree.placeOf(page)}` }));
}

/** Of so many site spaces a listing of all of a site tells the pages. */
const maxSpaces = 50;

export const listedSpaces = (published: PublishedSite): SiteSpace[] => siteSpacesOf(published).slice(0, maxSpaces);
