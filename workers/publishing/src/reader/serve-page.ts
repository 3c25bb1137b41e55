import type { PageHit, RenderedDocument, RenderedPage, ShownDocument } from '@octavo/reader';
import {
  getInterfaceTexts,
  hasAnchor,
  renderDocument,
  renderNotFound,
  renderPage,
  renderSearch,
  toHref,
} from '@octavo/reader';
import { createHtmlPage, html, waitForSlice } from '@octavo/runtime';
import type { SearchSuggestion } from '@octavo/schema';
import { buildContentPolicy, toWebOrigin } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import type { AddressRedirect } from '../resolution/resolve-address.ts';
import { passParameter } from '../resolution/visitors.ts';
import type { RenderedResponse } from './cached-responses.ts';
import type { LoadedView, ShownSite, SiteShell } from './load-view.ts';
import { createEmptyView, documentQuery, loadPage, loadShell, loadSite } from './load-view.ts';
import { encodePath, getSiteSpaces } from './navigation.ts';
import { getHashSource } from './reader-files.ts';
import { recordReferences } from './rendered-documents.ts';
import type { SiteVisit } from './site-visit.ts';

/** Creates the 404 page for an unknown site, or a site that is hidden from the visitor. */
export const createNotFoundPage = (): Response =>
  createHtmlPage({
    title: 'Page not found',
    body: html`<p>There is nothing at this URL. Check it for typos.</p>`,
    status: 404,
  });

const createRedirect = (location: string): Response =>
  new Response(null, { status: 302, headers: { location, 'cache-control': 'private, no-store' } });

/** Serves the 404 page of a site with similar pages. */
async function serveNotFound(visit: SiteVisit): Promise<Response> {
  const { env, content } = visit;
  const shell = await loadShell(visit);
  if (shell === undefined) return createNotFoundPage();
  const partPath = await findPartPath(visit, shell);
  if (partPath !== undefined) return createRedirect(toHref(shell.view, partPath) ?? '');
  const view = createEmptyView(shell, `${shell.view.base}${content.pathname.slice(1)}`, '');
  const similarPages = shell.tree.findSimilar(decodeURIComponent(content.pathname));
  return respondHtml(env, renderNotFound(view, similarPages), { status: 404, isIndexed: false });
}

/** Serves a page as HTML. */
export async function servePage(visit: SiteVisit): Promise<RenderedResponse> {
  const { env } = visit;
  const loaded = await loadPage(visit, visit.documents);
  if (loaded === undefined) return { response: await serveNotFound(visit) };
  const { view } = loaded;
  await waitForSlice();
  const page = renderPage(view, loaded.rendered ?? (await renderAndStore(visit, loaded)));
  const response = await respondHtml(env, page, { isIndexed: view.site.isIndexed && view.page.isIndexed });
  // Generated pages depend on specifications and integrations.
  const usedPages = view.page.isGenerated ? undefined : [...visit.usedPages.add(view.page.id)];
  return { response, text: page.html, usedPages };
}

/** Renders the document of a page, and stores it if all that it depends on is known. */
async function renderAndStore({ documents }: SiteVisit, { view, textVersions }: LoadedView): Promise<RenderedDocument> {
  const { resolve, references } = recordReferences(view.resolve);
  const rendered = await renderDocument({ ...view, resolve }, waitForSlice);
  documents?.store(view.page.id, rendered, { view, textVersions, references });
  return rendered;
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

/** Creates the content security policy of a page. `server` is the address of the server, which serves the files. */
const createContentPolicy = async ({ style, script, fonts, frames }: RenderedPage, server: string): Promise<string> => {
  const files = toWebOrigin(server);
  return buildContentPolicy({
    'default-src': ["'none'"],
    'script-src': ["'self'", await getHashSource(script)],
    'style-src': ["'self'", await getHashSource(style)],
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

/** Returns the words that a visitor searches for. */
export const readSearchQuery = ({ url }: Pick<SiteVisit, 'url'>): string =>
  truncateText((url.searchParams.get('q') ?? '').trim(), maxQuery);

/** Serves the search page. */
export async function serveSearch(visit: SiteVisit): Promise<Response> {
  const shell = await loadShell(visit);
  if (shell === undefined) return createNotFoundPage();
  const query = readSearchQuery(visit);
  const foundPages = query === '' ? { query, pages: [] } : await findPages(visit, shell, query);
  const { search } = getInterfaceTexts(shell.view.site.customization.internationalization.locale);
  const view = createEmptyView(shell, `${shell.view.base}~/search`, search);
  return respondHtml(visit.env, renderSearch(view, { typed: query, ...foundPages }), { isIndexed: false });
}

/**
 * Serves JSON while the visitor is typing: the titles and headings that contain the words, or the first search results
 * if there are none.
 */
export async function serveInstantResults(visit: SiteVisit): Promise<Response> {
  const { content } = visit;
  const site = await loadSite(visit);
  const headers = { 'cache-control': 'no-store' };
  const query = readSearchQuery(visit);
  if (site === undefined || query === '') return Response.json({ suggestions: [], results: [] }, { headers });
  const root = new URL(content.siteBasePath, visit.url).pathname;
  const toResultHref = (to: string) => toHref({ relativeRoot: root }, to);
  const suggestions = (await findTitles(visit, site, query)).map(({ to, ...each }) => ({
    ...each,
    href: toResultHref(to),
  }));
  if (suggestions.length > 0) return Response.json({ suggestions, results: [] }, { headers });
  const foundPages = await findPages(visit, site, query);
  const results = foundPages.pages.slice(0, maxInstantResults).map(({ title, matches, space, to, sections }) => ({
    ...{ title, matches, place: space, href: toResultHref(to) },
    parts: sections
      .filter((part) => part.to !== to && (part.text !== '' || part.title !== title))
      .map(({ to: toPart, ...part }) => ({ ...part, href: toResultHref(toPart) })),
  }));
  return Response.json({ suggestions, results }, { headers });
}

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
  { search }: SiteVisit,
  { published, siteUrl }: ShownSite,
  query: string,
): Promise<FoundPages> {
  const results = await search.pages(query);
  const foldersBySpace = getFolders({ published, siteUrl });
  const pages = (results?.items ?? []).flatMap(({ id, title: space, pages: hits }) => {
    const folder = foldersBySpace.get(id);
    if (folder === undefined) return [];
    return hits.map(
      ({ id: page, title, path, matches, sections = [] }): PageHit => ({
        ...{ title, matches, space, to: toAddress(folder, page, path) },
        sections: sections.slice(0, maxSections).map((section) => ({
          ...{ title: section.title, text: section.body, to: toAddress(folder, page, section.path) },
          matches: { title: section.matches.title, text: section.matches.body },
        })),
      }),
    );
  });
  return { query: results?.correctedQuery ?? query, pages };
}

/** A title or heading that contains the words. */
interface FoundTitle {
  title: string;
  matches: SearchSuggestion['matches'];
  /** The title of the page that has the heading, or of the page's space. */
  place: string;
  isHeading: boolean;
  /** The path in the site. */
  to: string;
}

/** Finds titles and headings of the site as the visitor. */
async function findTitles({ search }: SiteVisit, site: ShownSite, query: string): Promise<FoundTitle[]> {
  const titleResults = await search.titles(query);
  const foldersBySpace = getFolders(site);
  return (titleResults?.items ?? []).flatMap(({ id, title, path: to, page, space, matches }): FoundTitle[] => {
    const folder = foldersBySpace.get(space.id);
    if (folder === undefined) return [];
    const isHeading = id !== page.id;
    return [
      {
        ...{ title, matches, isHeading },
        place: isHeading ? page.title : space.title,
        to: toAddress(folder, page.id, to),
      },
    ];
  });
}

/** Returns the paths of the site's spaces, by space. A path that isn't empty ends with a slash. */
const getFolders = ({ published, siteUrl }: Pick<ShownSite, 'published' | 'siteUrl'>): Map<string, string> =>
  new Map(
    getSiteSpaces(published).map(({ space, urls }) => {
      const path = (urls.published ?? siteUrl).slice(siteUrl.length);
      return [space.id, path === '' || path.endsWith('/') ? path : `${path}/`];
    }),
  );

/** Returns the address of a page, or of a section of it, from its path in the space. */
function toAddress(folder: string, page: string, pathWithAnchor: string): string {
  const [path = '', anchor = ''] = pathWithAnchor.split('#');
  const suffix = anchor === '' ? '' : `${isGeneratedId(page) ? '/' : '#'}${anchor}`;
  return `${folder}${encodePath(path)}${suffix}`;
}

/** A page can get its former address back, so clients may only store configured redirects. */
const storage = { permanent: 'private, max-age=3600', moved: 'no-store', temporary: 'no-store' } as const;

/**
 * Redirects and keeps the query. A request body is forwarded only to the site's own new address, never to another
 * site.
 */
export function respondRedirect(
  { request: { method }, url }: { request: Request; url: URL },
  { target, redirect, permanence }: AddressRedirect,
): Response {
  if (method !== 'GET' && target !== 'content') return createNotFoundPage();
  const isPermanent = permanence === 'permanent' || permanence === 'moved';
  const status = isPermanent ? 308 : method === 'GET' ? 302 : 307;
  const location = permanence === undefined ? redirect : addQuery(redirect, url.searchParams);
  const headers = { location, 'cache-control': storage[permanence ?? 'temporary'] };
  return new Response(null, { status, headers });
}

/** Adds the parameters of a query to a URL, except credentials and those that the URL has. */
function addQuery(address: string, query: URLSearchParams): string {
  const url = new URL(address);
  const names = new Set(url.searchParams.keys());
  const added = [...query].filter(([name]) => name !== passParameter && !names.has(name));
  for (const [name, value] of added) url.searchParams.append(name, value);
  return added.length === 0 ? address : url.href;
}
