import type { PageHit, RenderedPage, ShownDocument } from '@octavo/reader';
import { getInterfaceTexts, hasAnchor, renderNotFound, renderPage, renderSearch, toHref } from '@octavo/reader';
import { createHtmlPage, html, nextSlice } from '@octavo/runtime';
import {
  buildContentPolicy,
  type PolicySource,
  type SearchList,
  type SpaceSearchResult,
  toWebOrigin,
} from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import type { ShownSite, SiteShell } from './load-view.ts';
import { createEmptyView, documentQuery, loadShell, loadSite, loadView } from './load-view.ts';
import { encodePath, getSiteSpaces } from './navigation.ts';
import type { SiteVisit } from './site-visit.ts';

/** Creates the 404 page for an unknown site, or a site that is hidden from the visitor. */
export const createNotFoundPage = (): Response =>
  createHtmlPage({
    title: 'Page not found',
    body: html`<p>There is nothing at this URL. Check it for typos.</p>`,
    status: 404,
  });

const redirectTo = (location: string): Response =>
  new Response(null, { status: 302, headers: { location, 'cache-control': 'private, no-store' } });

/** Serves the 404 page of a site with similar pages. */
async function serveNotFound(visit: SiteVisit): Promise<Response> {
  const { env, content } = visit;
  const shell = await loadShell(visit);
  if (shell === undefined) return createNotFoundPage();
  const partPath = await findPartPath(visit, shell);
  if (partPath !== undefined) return redirectTo(toHref(shell.view, partPath) ?? '');
  const view = createEmptyView(shell, `${shell.view.base}${content.pathname.slice(1)}`, '');
  const similarPages = shell.tree.findSimilar(decodeURIComponent(content.pathname));
  return respondHtml(env, renderNotFound(view, similarPages), { status: 404, isIndexed: false });
}

/** Serves a page as HTML. */
export async function servePage(visit: SiteVisit): Promise<Response> {
  const { env } = visit;
  const view = await loadView(visit);
  if (view === undefined) return serveNotFound(visit);
  await nextSlice();
  const page = await renderPage(view, nextSlice);
  return respondHtml(env, page, { isIndexed: view.site.isIndexed && view.page.isIndexed });
}

/** Returns the path and anchor of a part that has no separate page; undefined if there is no such part. */
export async function findPartPath(
  { content, api }: Pick<SiteVisit, 'content' | 'api'>,
  { tree, revision }: Pick<SiteShell, 'tree' | 'revision'>,
): Promise<string | undefined> {
  const part = tree.findPart(decodeURIComponent(content.pathname.slice(1)));
  if (part === undefined) return undefined;
  const path = `/v1/spaces/${content.space}/revisions/${revision.id}/page/${part.page.id}`;
  const document = await api.get<ShownDocument>(`${path}/document?${documentQuery}`);
  const hasPart = document !== undefined && hasAnchor(document.nodes, part.slug);
  return hasPart ? `${tree.getPath(part.page)}#${encodeURIComponent(part.slug)}` : undefined;
}

/** Returns the CSP source of an inline script or style. */
async function createHashSource(text: string): Promise<PolicySource> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

/** Creates the content security policy of a page. `server` is the address of the server, which serves the files. */
const createContentPolicy = async ({ style, script, fonts, frames }: RenderedPage, server: string): Promise<string> => {
  const files = toWebOrigin(server);
  return buildContentPolicy({
    'default-src': ["'none'"],
    'script-src': ["'self'", await createHashSource(script)],
    'style-src': ["'self'", await createHashSource(style)],
    'img-src': ["'self'", ...(files === undefined ? [] : [files]), 'https:', 'data:'],
    'font-src': ["'self'", ...fonts],
    'connect-src': ["'self'"],
    ...(frames.length === 0 ? {} : { 'frame-src': frames }),
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  });
};

export async function respondHtml(
  { OCTAVO_PUBLIC_URL }: PublishingEnvironment,
  page: RenderedPage,
  { status = 200, isIndexed = true } = {},
): Promise<Response> {
  return new Response(page.html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': await createContentPolicy(page, OCTAVO_PUBLIC_URL),
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      ...(isIndexed ? {} : { 'x-robots-tag': 'noindex' }),
    },
  });
}

const maxQuery = 256;
const maxInstantResults = 8;

const readSearchQuery = ({ url }: SiteVisit): string =>
  truncateText((url.searchParams.get('q') ?? '').trim(), maxQuery);

/** Serves the search page. */
export async function serveSearch(visit: SiteVisit): Promise<Response> {
  const shell = await loadShell(visit);
  if (shell === undefined) return createNotFoundPage();
  const query = readSearchQuery(visit);
  const found = query === '' ? { query, pages: [] } : await findPages(visit, shell, query);
  const { search } = getInterfaceTexts(shell.view.site.customization.internationalization.locale);
  const view = createEmptyView(shell, `${shell.view.base}~/search`, search);
  return respondHtml(visit.env, renderSearch(view, { typed: query, ...found }), { isIndexed: false });
}

/** Serves the first search results as JSON while the visitor is typing. */
export async function serveInstantResults(visit: SiteVisit): Promise<Response> {
  const { content } = visit;
  const site = await loadSite(visit);
  if (site === undefined) return Response.json({ query: '', results: [] });
  const query = readSearchQuery(visit);
  const found = query === '' ? { query, pages: [] } : await findPages(visit, site, query);
  const root = new URL(content.siteBasePath, visit.url).pathname;
  const toResultHref = (to: string) => toHref({ relativeRoot: root }, to);
  const results = found.pages.slice(0, maxInstantResults).map(({ title, space, to, sections }) => ({
    ...{ title, place: space, href: toResultHref(to) },
    parts: sections
      .filter((part) => part.to !== to && (part.text !== '' || part.title !== title))
      .map((part) => ({ title: part.title, text: part.text, href: toResultHref(part.to) })),
  }));
  return Response.json({ query: found.query, results }, { headers: { 'cache-control': 'no-store' } });
}

const maxHits = 30;
const maxSections = 3;

/** Truncates a text without splitting a character. */
const truncateText = (text: string, maxLength: number): string =>
  text
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/\ufffd$/, '');

/**
 * Whether an id is that of a generated page. Its parts may have separate pages, so hits link to a path instead of an
 * anchor.
 */
const isGeneratedId = (id: string): boolean => id.includes('-');

interface FoundPages {
  /** The query that was searched: the typed one, or a corrected one. */
  query: string;
  pages: PageHit[];
}

/** Searches the site as the visitor. */
export async function findPages(
  { api, content }: SiteVisit,
  { published, siteUrl }: ShownSite,
  query: string,
): Promise<FoundPages> {
  const path = `/v1/orgs/${content.organization}/sites/${content.site}/search?limit=${maxHits}`;
  const results = await api.post<SearchList<SpaceSearchResult>>(path, { query, mode: 'all' });
  const pathsBySpace = new Map(
    getSiteSpaces(published).map(({ space, urls }) => [space.id, (urls.published ?? siteUrl).slice(siteUrl.length)]),
  );
  const pages = (results?.items ?? []).flatMap(({ id, title: space, pages: hits }) => {
    const base = pathsBySpace.get(id);
    if (base === undefined) return [];
    const folder = base === '' || base.endsWith('/') ? base : `${base}/`;
    return hits.map(({ id, title, path, sections = [] }): PageHit => {
      const to = `${folder}${encodePath(path)}`;
      return {
        ...{ title, space, to },
        sections: sections.slice(0, maxSections).map((section) => {
          const [, anchor = ''] = section.path.split('#');
          const suffix = anchor === '' ? '' : `${isGeneratedId(id) ? '/' : '#'}${anchor}`;
          return { title: section.title, text: section.body, to: `${to}${suffix}` };
        }),
      };
    });
  });
  return { query: results?.correctedQuery ?? query, pages };
}
