import { hrefOf, renderFound, textsOf } from '@octavo/reader';
import { findPages, wholeText } from './find-pages.ts';
import { htmlAnswer } from './html-answer.ts';
import { loadShell, loadSite, viewWithout } from './load-view.ts';
import { assetAddresses } from './reader-files.ts';
import { missingPage } from './serve-page.ts';
import type { SiteVisit } from './site-visit.ts';

const maxQuery = 256;
const maxInstant = 8;

const queryOf = ({ url }: SiteVisit): string => wholeText((url.searchParams.get('q') ?? '').trim(), maxQuery);

/** The page of a search: its words stand in the address. */
export async function serveSearch(visit: SiteVisit): Promise<Response> {
  const { url, env, content, api } = visit;
  const shell = await loadShell({ url, content, api, assets: await assetAddresses(env) });
  if (shell === undefined) return missingPage();
  const query = queryOf(visit);
  const pages = query === '' ? [] : await findPages(visit, shell, query);
  const { search } = textsOf(shell.view.site.look.internationalization.locale);
  const view = viewWithout(shell, `${shell.view.base}~/search`, search);
  return htmlAnswer(env, renderFound(view, { query, pages }), { isIndexed: false });
}

/** What is found as one writes: the first pages, with their addresses. */
export async function serveInstantResults(visit: SiteVisit): Promise<Response> {
  const { content } = visit;
  const site = await loadSite(visit);
  if (site === undefined) return Response.json({ results: [] });
  const query = queryOf(visit);
  const pages = query === '' ? [] : await findPages(visit, site, query);
  const root = new URL(content.siteBasePath, visit.url).pathname;
  const addressOf = (to: string) => hrefOf({ up: root }, to);
  const results = pages.slice(0, maxInstant).map(({ title, space, to, sections }) => ({
    ...{ title, place: space, href: addressOf(to) },
    parts: sections
      .filter((part) => part.to !== to && (part.text !== '' || part.title !== title))
      .map((part) => ({ title: part.title, text: part.text, href: addressOf(part.to) })),
  }));
  return Response.json({ results }, { headers: { 'cache-control': 'no-store' } });
}
