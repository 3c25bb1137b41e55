import type { PageHit } from '@octavo/reader';
import type { List, SpaceSearchResult } from '@octavo/schema';
import type { ShownSite } from './load-view.ts';
import { siteSpacesOf } from './site-spaces.ts';
import type { SiteVisit } from './site-visit.ts';

const maxPages = 30;
const maxSections = 3;

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** The beginning of a text, which ends within no character. */
export const wholeText = (text: string, most: number): string =>
  text
    .slice(0, most)
    .toWellFormed()
    .replace(/\ufffd$/, '');

/** A page that nobody wrote may have pages for its parts: to where such a part is, the address below the page leads. */
const isMadeId = (id: string): boolean => id.includes('-');

/** The pages of the site in which words are found, as its search gives them to the visitor. */
export async function findPages(
  { api, content }: SiteVisit,
  { published, siteUrl }: ShownSite,
  query: string,
): Promise<PageHit[]> {
  const path = `/v1/orgs/${content.organization}/sites/${content.site}/search?limit=${maxPages}`;
  const found = await api.post<List<SpaceSearchResult>>(path, { query, mode: 'all' });
  const places = new Map(
    siteSpacesOf(published).map(({ space, urls }) => [space.id, (urls.published ?? siteUrl).slice(siteUrl.length)]),
  );
  return (found?.items ?? []).flatMap(({ id, title: space, pages }) => {
    const base = places.get(id);
    if (base === undefined) return [];
    const folder = base === '' || base.endsWith('/') ? base : `${base}/`;
    return pages.map(({ id, title, path, sections = [] }): PageHit => {
      const to = `${folder}${encoded(path)}`;
      return {
        ...{ title, space, to },
        sections: sections.slice(0, maxSections).map((section) => {
          const [, anchor = ''] = section.path.split('#');
          const at = anchor === '' ? '' : `${isMadeId(id) ? '/' : '#'}${anchor}`;
          return { title: section.title, text: section.body, to: `${to}${at}` };
        }),
      };
    });
  });
}
