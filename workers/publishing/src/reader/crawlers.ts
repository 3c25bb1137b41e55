import { renderUpdates } from '@octavo/reader';
import { mapInSlices } from '@octavo/runtime';
import { isHomeName, respondText } from './agents.ts';
import { loadShell, loadView } from './load-view.ts';
import { getSiteSpaces, readPages } from './navigation.ts';
import { createNotFoundPage } from './serve-page.ts';
import type { SiteVisit } from './site-visit.ts';
import { readPartSlugs } from './specifications.ts';

/**
 * Serves robots.txt. Search engines only request it at the root of a host, so it has an effect only for a site with its
 * own host.
 */
export async function serveRobots(visit: SiteVisit): Promise<Response> {
  const shell = await loadShell(visit);
  if (shell === undefined) return createNotFoundPage();
  const { site } = shell.view;
  const path = new URL(site.url).pathname;
  return respondText(
    site.isIndexed
      ? `User-agent: *\nAllow: ${path}\nAllow: ${path}~/assets/\nDisallow: ${path}~/\nDisallow: ${path}*/~/\nSitemap: ${site.url}sitemap.xml\n`
      : `User-agent: *\nDisallow: ${path}\n`,
  );
}

const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9';
/** The limit of the sitemap protocol. */
const maxUrls = 50_000;

/** Serves the sitemap index with one sitemap per site space. Only indexed sites have one. */
export async function serveSitemap(visit: SiteVisit): Promise<Response> {
  const shell = await loadShell(visit);
  if (shell === undefined || !shell.view.site.isIndexed) return createNotFoundPage();
  const { url } = shell.view.site;
  const parts = getSiteSpaces(shell.published).map(
    (_, index) => `<sitemap><loc>${escapeXml(`${url}sitemap-pages-${index + 1}.xml`)}</loc></sitemap>`,
  );
  return respondXml(`<sitemapindex xmlns="${namespace}">${parts.join('')}</sitemapindex>`, 'application/xml');
}

/** Estimated duration of writing a URL. */
const urlMicroseconds = 4;

/** Serves the sitemap of a site space, including parts with separate pages. */
export async function serveSitemapPart(visit: SiteVisit, { part = '' }: Record<string, string>): Promise<Response> {
  const shell = await loadShell(visit);
  const siteSpace = shell === undefined ? undefined : getSiteSpaces(shell.published)[Number(part) - 1];
  if (siteSpace === undefined || !shell?.view.site.isIndexed) return createNotFoundPage();
  const { pages } = await readPages(visit.api, siteSpace);
  const indexed = pages.filter(({ page }) => page.noIndex !== true && page.noRobotsIndex !== true);
  const partSlugs = await readPartSlugs(
    visit,
    siteSpace.space.id,
    indexed.map(({ page }) => page),
  );
  const urls = await mapInSlices(
    indexed,
    ({ page, url, getPartUrl }) => {
      const changed = page.updatedAt === undefined ? '' : `<lastmod>${page.updatedAt}</lastmod>`;
      const all = [url, ...(partSlugs.get(page.id) ?? []).map(getPartUrl)];
      return all.map((each) => `<url><loc>${escapeXml(each)}</loc>${changed}</url>`);
    },
    (_, { length }) => urlMicroseconds * length,
  );
  return respondXml(
    `<urlset xmlns="${namespace}">${urls.flat().slice(0, maxUrls).join('')}</urlset>`,
    'application/xml',
  );
}

const maxEntries = 50;

interface FeedEntry {
  title: string;
  /** The entry's URL, which is also its id. */
  url: string;
  /** ISO 8601. */
  updated: string;
  summary?: string | undefined;
  html?: string;
}

interface Feed {
  title: string;
  /** The URL of the described pages. */
  url: string;
  self: string;
  by: string;
  /** Timestamp of a feed without entries, in ISO 8601. */
  updated: string;
  entries: FeedEntry[];
}

const renderTextElement = (name: string, text: string | undefined, type = 'text'): string =>
  text === undefined ? '' : `<${name} type="${type}">${escapeXml(text)}</${name}>`;

const createEntry = ({ title, url, updated, summary, html }: FeedEntry): string =>
  [
    `<entry>${renderTextElement('title', title)}<link rel="alternate" href="${escapeXml(url)}"/><id>${escapeXml(url)}</id>`,
    `<updated>${updated}</updated>${renderTextElement('summary', summary)}${renderTextElement('content', html, 'html')}</entry>`,
  ].join('');

const getNewest = <Dated extends { updated: string }>(entries: readonly Dated[]): Dated[] =>
  entries.toSorted((a, b) => (a.updated < b.updated ? 1 : -1)).slice(0, maxEntries);

/** Creates an Atom feed, newest entries first. */
function respondFeed({ title, url, self, by, updated, entries }: Feed): Response {
  const newest = getNewest(entries);
  const head = [
    `${renderTextElement('title', title)}<id>${escapeXml(url)}</id><link rel="alternate" href="${escapeXml(url)}"/>`,
    `<link rel="self" type="application/atom+xml" href="${escapeXml(self)}"/>`,
    `<updated>${newest[0]?.updated ?? updated}</updated><author><name>${escapeXml(by)}</name></author>`,
  ];
  const body = [...head, ...newest.map(createEntry)].join('');
  return respondXml(`<feed xmlns="http://www.w3.org/2005/Atom">${body}</feed>`, 'application/atom+xml');
}

/** Serves the pages of the space as a feed, ordered by their last change. */
export async function serveFeed(visit: SiteVisit): Promise<Response> {
  const shell = await loadShell(visit);
  if (shell === undefined) return createNotFoundPage();
  const { view, tree, revision } = shell;
  const { title, url } = view.site;
  const dated = await mapInSlices(tree.order, (page) => ({ page, updated: page.updatedAt ?? page.createdAt ?? '' }));
  const entries = getNewest(dated.filter(({ updated }) => updated !== '')).map(
    ({ page, updated }): FeedEntry => ({
      ...{ title: page.title, url: `${url}${tree.getPath(page)}`, updated, summary: page.description },
    }),
  );
  const homeUrl = `${url}${view.base}`;
  return respondFeed({
    ...{ title, url: homeUrl, self: `${homeUrl}feed.xml`, by: title, updated: revision.createdAt, entries },
  });
}

const toTimestamp = (date: string): string | undefined =>
  Number.isNaN(Date.parse(date)) ? undefined : new Date(date).toISOString();

/** Serves the updates on a page as a feed. Each entry links to its anchor. */
export async function serveUpdates(visit: SiteVisit, { path = '' }: Record<string, string>): Promise<Response> {
  const pathname = isHomeName(path) ? '/' : `/${path}`;
  const view = await loadView({ ...visit, content: { ...visit.content, pathname } });
  const entries = view === undefined ? [] : createEntries(view);
  const [newest] = entries;
  if (view === undefined || newest === undefined) return createNotFoundPage();
  const { site, page, base, address } = view;
  const names = { title: `${page.title} | ${site.title}`, by: site.title, updated: newest.updated };
  return respondFeed({ ...names, url: `${site.url}${address}`, self: `${site.url}${base}${path}.atom`, entries });
}

const createEntries = (view: Parameters<typeof renderUpdates>[0]): FeedEntry[] =>
  renderUpdates(view).flatMap(({ id, title, date, html }) => {
    const updated = toTimestamp(date);
    const url = `${new URL(view.address, view.site.url).href}#${encodeURIComponent(id)}`;
    return updated === undefined ? [] : [{ title, url, updated, html }];
  });

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** Escapes a text for XML, and removes characters that XML does not allow. */
const escapeXml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, (char) => escapes[char] ?? char);

const respondXml = (body: string, type: string): Response =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${body}\n`, {
    headers: { 'content-type': `${type}; charset=utf-8` },
  });
