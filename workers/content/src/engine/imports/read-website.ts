import { cleanTitle } from '@octavo/markdown';
import type { FetchedResource, FetchLimits } from '@octavo/runtime';
import { ExternalFetchError, fetchExternal } from '@octavo/runtime';
import { maxDocumentBytes } from '@octavo/schema';
import { decodeHtml, readRobots, readSitemap, readWebPage } from '@octavo/website';
import type { ContentEnvironment } from '../../environment.ts';
import { toStoredText } from '../store/revisions.ts';
import type { AddressReading, FoundAddress } from './address-book.ts';
import {
  getCanonicalAddress,
  getFileName,
  getGitPath,
  isInFolder,
  mayBePage,
  UnsupportedContent,
} from './address-book.ts';
import type { AddressRow, ImportRecord } from './import-record.ts';
import { importLimits } from './import-record.ts';

const agent = 'Octavo';
const maxAddresses = 5000;
const maxDescription = 2048;
const maxNavigationBytes = 500_000;

/** Fetches and reads a page of a website. @throws ExternalFetchError, UnsupportedContent */
export async function fetchWebsitePage(
  env: ContentEnvironment,
  record: ImportRecord,
  row: AddressRow,
): Promise<AddressReading> {
  const resource = await fetchWithHostLimit(env, row.url, {
    milliseconds: importLimits.fetchMilliseconds,
    bytes: importLimits.pageBytes,
    redirects: importLimits.redirects,
    accept: 'text/html,application/xhtml+xml',
  });
  return readFetchedPage(record, row, resource);
}

/** Reads a fetched page. @throws UnsupportedContent */
export async function readFetchedPage(
  record: ImportRecord,
  row: AddressRow,
  resource: FetchedResource,
): Promise<AddressReading> {
  const createSkippedReading = (error: string): AddressReading => ({
    row,
    status: 'skipped',
    error,
    bytes: resource.bytes.length,
  });
  const type = resource.headers.get('content-type');
  if (!isInFolder(resource.url, record.folder)) return createSkippedReading('is outside the imported part of the site');
  if (!/^(?:text\/html|application\/xhtml\+xml)\b/i.test(type ?? ''))
    throw new UnsupportedContent('is not an HTML page');
  const page = readHtml(decodeHtml(resource.bytes, type), resource.url);
  const bytes = resource.bytes.length;
  if (page.redirect !== undefined && getCanonicalAddress(page.redirect) !== getCanonicalAddress(resource.url)) {
    const isInside = isInFolder(page.redirect, record.folder);
    if (!isInside) return createSkippedReading('is outside the imported part of the site');
    return { row, status: 'done', bytes, redirectsTo: page.redirect };
  }
  const { canonical } = page;
  const address = canonical !== undefined && isInFolder(canonical, record.folder) ? canonical : resource.url;
  const storedText = await toStoredText(record.organization, page.markdown);
  if (storedText.bytes > maxDocumentBytes) throw new UnsupportedContent(`has more text than ${maxDocumentBytes} bytes`);
  const description = page.description?.slice(0, maxDescription).toWellFormed();
  const fields = {
    type: 'document' as const,
    title: cleanTitle(page.title) || 'Untitled',
    ...(description ? { description } : {}),
    ...(page.noIndex ? { noIndex: true as const } : {}),
  };
  return {
    row,
    status: 'done',
    bytes,
    address: getCanonicalAddress(address),
    ownAddress: getCanonicalAddress(resource.url),
    page: { stored: storedText, fields },
    found: collectAddresses(record, row, page),
    navigation: limitNavigation(page),
  };
}

/** Returns the navigation, or an empty navigation if it is too large to store. */
function limitNavigation({ navigation }: WebPage): WebPage['navigation'] {
  const bytes = new TextEncoder().encode(JSON.stringify(navigation)).length;
  return bytes <= maxNavigationBytes ? navigation : [];
}

type WebPage = ReturnType<typeof readWebPage>;

/** Parses a page. If the parser fails, its error message is reported, because it is safe to show. */
function readHtml(html: string, url: string): WebPage {
  try {
    return readWebPage(html, url);
  } catch (error) {
    throw new UnsupportedContent(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function collectAddresses(record: ImportRecord, row: AddressRow, page: WebPage): FoundAddress[] {
  const isDeepest = row.depth >= importLimits.depth;
  const links = page.noFollow || isDeepest ? [] : [...flattenNavigation(page.navigation), ...page.links];
  return [...filterPages(record, links), ...applyRobots(record, page.images.slice(0, maxAddresses), 'file')];
}

const flattenNavigation = (navigation: WebPage['navigation']): string[] =>
  navigation.flatMap(({ url, children }) => [...(url === undefined ? [] : [url]), ...flattenNavigation(children)]);

/** Selects the addresses that may be pages of the imported part of the site. */
function filterPages(record: ImportRecord, urls: string[]): FoundAddress[] {
  const pageUrls = urls.filter((url) => URL.canParse(url) && isInFolder(url, record.folder) && mayBePage(url));
  return applyRobots(record, pageUrls.slice(0, maxAddresses), 'page');
}

/** Skips addresses that the site's robots.txt forbids. The robots.txt does not apply to other sites. */
function applyRobots(record: ImportRecord, urls: string[], kind: FoundAddress['kind']): FoundAddress[] {
  const robots = parseRobots(record);
  return urls.map((url) => ({ url, kind, ...(robots.allows(url) ? {} : { skipReason: 'is blocked by robots.txt' }) }));
}

const parseRobots = ({ robots, folder }: ImportRecord) =>
  readRobots(robots, new URL('/robots.txt', folder).href, agent);

/** Returns the sitemaps of a site: the sitemaps in its robots.txt, else the default sitemap. */
export function getSitemaps(record: ImportRecord): FoundAddress[] {
  const { origin } = new URL(record.folder);
  const sitemapUrls = parseRobots(record).sitemaps.filter((url) => URL.canParse(url) && new URL(url).origin === origin);
  const urls = sitemapUrls.length > 0 ? sitemapUrls : [`${origin}/sitemap.xml`];
  return urls.slice(0, maxSitemaps).map((url) => ({ url, kind: 'sitemap' }));
}

const maxSitemaps = 20;

/** Returns the crawl delay that the site requests, in seconds, up to the limit. */
export const getCrawlDelay = (record: ImportRecord): number =>
  record.robots === '' ? 0 : Math.min(parseRobots(record).crawlDelaySeconds ?? 0, importLimits.crawlDelaySeconds);

export const isAllowed = (record: ImportRecord, url: string): boolean => parseRobots(record).allows(url);

/** Fetches a sitemap; an unreadable one is skipped. @throws ExternalFetchError, UnsupportedContent */
export async function fetchSitemap(
  env: ContentEnvironment,
  record: ImportRecord,
  row: AddressRow,
): Promise<AddressReading> {
  const { bytes } = await fetchWithHostLimit(env, row.url, {
    milliseconds: importLimits.fetchMilliseconds,
    bytes: importLimits.pageBytes,
    redirects: importLimits.redirects,
    accept: 'application/xml,text/xml,text/plain',
  });
  const { pages, sitemaps } = parseSitemap(new TextDecoder().decode(bytes));
  const { origin } = new URL(record.folder);
  const nested = row.depth >= 2 ? [] : sitemaps.filter((url) => new URL(url).origin === origin).slice(0, maxSitemaps);
  return {
    row,
    status: 'done',
    bytes: bytes.length,
    found: [...filterPages(record, pages), ...nested.map((url) => ({ url, kind: 'sitemap' as const }))],
  };
}

function parseSitemap(text: string): ReturnType<typeof readSitemap> {
  try {
    return readSitemap(text);
  } catch (error) {
    throw new UnsupportedContent(`is not a sitemap: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Fetches an image, which becomes a file. @throws ExternalFetchError, UnsupportedContent */
export async function fetchFile(
  env: ContentEnvironment,
  record: ImportRecord,
  row: AddressRow,
): Promise<AddressReading> {
  const { bytes, headers } = await fetchWithHostLimit(env, row.url, {
    milliseconds: importLimits.fetchMilliseconds,
    bytes: importLimits.fileBytes,
    redirects: importLimits.redirects,
    accept: 'image/*',
  });
  const contentType = headers.get('content-type') ?? undefined;
  if (contentType !== undefined && !/^(?:image\/|application\/octet-stream)/i.test(contentType))
    throw new UnsupportedContent('is not an image');
  const gitPath = record.source === 'markdown' ? { gitPath: getGitPath(row.url) } : {};
  const file = { bytes, name: getFileName(row.url), contentType, ...gitPath };
  return { row, status: 'done', bytes: bytes.length, file };
}

/** Deadlines of the running requests to each host. A slot is released at its deadline even if its request died. */
const requestsByHost = new Map<string, { ends: number }[]>();
const pollMilliseconds = 25;

/** The error if too many requests to a host were running for too long. No request was sent. */
export class HostBusyError extends ExternalFetchError {
  constructor() {
    super('timeout', 'is being read by too many imports. Try again later');
  }
}

/**
 * Fetches like `fetchExternal`. Waits until few enough requests to the host are running, in all imports together.
 * @throws ExternalFetchError, HostBusyError
 */
export async function fetchWithHostLimit(
  env: ContentEnvironment,
  url: string,
  limits: FetchLimits,
): Promise<FetchedResource> {
  const host = URL.canParse(url) ? new URL(url).host : '';
  const slot = await acquireSlot(host, limits.milliseconds);
  try {
    return await fetchExternal(env, url, limits);
  } finally {
    slot.ends = 0;
    removeEnded(host);
  }
}

// Polls, because a promise settled by another request would hang if that request died.
async function acquireSlot(host: string, milliseconds: number): Promise<{ ends: number }> {
  const deadline = Date.now() + importLimits.turnMilliseconds;
  for (;;) {
    const slots = removeEnded(host);
    if (slots.length < importLimits.fetchedOfHost) {
      const slot = { ends: Date.now() + milliseconds };
      requestsByHost.set(host, [...slots, slot]);
      return slot;
    }
    if (Date.now() > deadline) throw new HostBusyError();
    await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
  }
}

function removeEnded(host: string): { ends: number }[] {
  const activeSlots = (requestsByHost.get(host) ?? []).filter(({ ends }) => ends > Date.now());
  if (activeSlots.length === 0) requestsByHost.delete(host);
  else requestsByHost.set(host, activeSlots);
  return activeSlots;
}
