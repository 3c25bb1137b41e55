import type { SiteSpace } from '@octavo/schema';
import { findPages } from '../find-pages.ts';
import type { SiteShell } from '../load-view.ts';
import { siteSpacesOf } from '../site-spaces.ts';
import type { SiteVisit } from '../site-visit.ts';
import { shellOf } from './for-agents.ts';
import { isHomeName, readMarkdown } from './markdown-page.ts';
import { pagesOf } from './site-pages.ts';

const maxFound = 15;
const maxSections = 3;
const maxExcerpt = 300;
const maxPageLength = 400_000;
/** Site spaces that the list names. */
const maxSpaces = 100;
/** Pages in one part of the list. */
const pagesOfPart = 200;

const line = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** What is found, with the addresses to read it at. */
export async function searchSite(visit: SiteVisit, shell: SiteShell, query: string): Promise<string> {
  const { url } = shell.view.site;
  const pages = (await findPages(visit, shell, query)).slice(0, maxFound);
  if (pages.length === 0) return `Nothing is found for "${query}".`;
  return pages
    .map(({ title, space, to, sections }) => {
      const parts = sections
        .slice(0, maxSections)
        .map(
          (section) => `  - ${line(section.title)}: ${line(section.text).slice(0, maxExcerpt)} (${url}${section.to})`,
        );
      return [`- ${line(title)} (${line(space)}): ${url}${to}`, ...parts].join('\n');
    })
    .join('\n');
}

/** What of an address, or of a path, stands behind the site's own; undefined where it is of another place. */
function pathInSite({ url, content }: SiteVisit, siteUrl: string, page: string): string | undefined {
  const mount = new URL(content.siteBasePath, url).href;
  const [address = ''] = page.trim().split(/[?#]/, 1);
  const base = [siteUrl, mount].find((each) => address === each.replace(/\/$/, '') || address.startsWith(each));
  if (base !== undefined) return address.slice(base.length);
  return /^[a-z][a-z\d+.-]*:/i.test(address) ? undefined : address.replace(/^\/+/, '');
}

/** A page of the site as markdown, wherever it stands in it; undefined where the visitor is shown none. */
export async function readSitePage(
  visit: SiteVisit,
  { view: { site } }: SiteShell,
  page: string,
): Promise<string | undefined> {
  const path = pathInSite(visit, site.url, page)?.replace(/\.md$/i, '');
  if (path === undefined) return undefined;
  const mount = new URL(visit.content.siteBasePath, visit.url).href;
  const there = await visit.lookUp(`${mount}${isHomeName(path) ? '' : path}`);
  const shell = there && (await shellOf(there));
  const isOfSite = there?.content.site === visit.content.site;
  if (there === undefined || shell === undefined || !isOfSite) return undefined;
  const read = await readMarkdown(there, shell, decodeURIComponent(there.content.pathname.slice(1)));
  if (read === undefined) return undefined;
  const text = `Source: ${site.url}${read.place}\n\n${read.text}`;
  if (text.length <= maxPageLength) return text;
  const left = text.length - maxPageLength;
  return `${text.slice(0, maxPageLength)}\n\n(The page is longer: ${left} characters are left out.)`;
}

const nameOf = ({ title, urls }: SiteSpace): string => `${line(title)}: ${urls.published ?? ''}`;

/** The pages of one site space of the site, from a cursor on, and where the list goes on; undefined for no cursor of ours. */
export async function listSitePages(
  { api }: SiteVisit,
  { published }: SiteShell,
  cursor = '0-0',
): Promise<string | undefined> {
  const spaces = siteSpacesOf(published);
  const [index = -1, start = -1] = /^\d{1,4}-\d{1,6}$/.test(cursor) ? cursor.split('-').map(Number) : [];
  const space = spaces[index];
  if (space === undefined || start < 0) return undefined;
  const pages = await pagesOf(api, space);
  const lines = pages.slice(start, start + pagesOfPart).map(({ page, url }) => {
    const about = page.description === undefined ? '' : `: ${line(page.description)}`;
    return `- [${line(page.title)}](${url})${about}`;
  });
  const isWhole = start + pagesOfPart >= pages.length;
  const next = isWhole ? `${index + 1}-0` : `${index}-${start + pagesOfPart}`;
  const isEnd = isWhole && index + 1 >= spaces.length;
  const parts = spaces.slice(0, maxSpaces).map((each) => `- ${nameOf(each)}`);
  return [
    ...(cursor === '0-0' && spaces.length > 1 ? ['Sections and variants of the site:', ...parts, ''] : []),
    `Pages of ${nameOf(space)}`,
    ...lines,
    '',
    isEnd ? 'These are all.' : `next: ${next}`,
  ].join('\n');
}
