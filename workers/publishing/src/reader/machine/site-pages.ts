import type { DocumentPage, Revision, SiteSpace } from '@octavo/schema';
import { PageTree } from '../navigation.ts';
import type { SiteApi } from '../site-api.ts';

/** A page with its whole address. */
export interface AddressedPage {
  page: DocumentPage;
  url: string;
  /** The same of a part of it. */
  urlOfPart: (slug: string) => string;
}

/** The pages of a site space that readers find by themselves, in their order. */
export async function pagesOf(api: SiteApi, { space, urls }: SiteSpace): Promise<AddressedPage[]> {
  const found = await api.get<Pick<Revision, 'pages'>>(`/v1/spaces/${space.id}/content/pages`);
  if (found === undefined || urls.published === undefined) return [];
  const base = urls.published.endsWith('/') ? urls.published : `${urls.published}/`;
  const tree = new PageTree(found, '');
  return tree.order.map((page) => ({
    ...{ page, url: `${base}${tree.placeOf(page)}` },
    urlOfPart: (slug) => `${base}${tree.partPlaceOf(page, slug)}`,
  }));
}
