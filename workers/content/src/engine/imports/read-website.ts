import { cleanTitle } from '@octavo/markdown';
import type { FetchedResource, FetchLimits } from '@octavo/runtime';
import { ExternalFetchError, fetchExternal } from '@octavo/runtime';
import { maxDocumentBytes } from '@octavo/schema';
import { decodeHtml, readRobots, readSitemap, readWebPage } from '@octavo/website';
import type { ContentEnvironment } from '../../environment.ts';
import { toStoredText } from '../store/documents.ts';
import type { AddressReading, FoundAddress } from './address-book.ts';
import { addressKey, fileNameOf, gitPathOf, isInFolder, mayBePage, UnfitContent } from './address-book.ts';
import type { AddressRow, ImportRecord } from './import-record.ts';
import { importLimits } from './import-record.ts';

const agent = 'Octavo';
const maxFound = 5000;
const maxDescription = 2048;
const maxNavigationBytes = 500_000;

/** Fetches a page of a website and reads it. @throws ExternalFetchError, UnfitContent */
export async function readWebsitePage(
  env: ContentEnvironment,
  record: ImportRecord,
  row: AddressRow,
): Promise<AddressReading> {
  const fetched = await fetchInTurn(env, row.url, {
    milliseconds: importLimits.fetchMilliseconds,
    bytes: importLimits.pageBytes,
    redirects: importLimits.redirects,
    accept: 'text/html,application/xhtml+xml',
  });
  return readFetchedPage(record, row, fetched);
}

/** Reads a page that was fetched. @throws UnfitContent */
export async function readFetchedPage(
  record: ImportRecord,
  row: AddressRow,
  fetched: FetchedResource,
): Promise<AddressReading> {
  const skipped = (error: string): AddressReading => ({ row, status: 'skipped', error, bytes: fetched.bytes.length });
  const type = fetched.headers.get('content-type');
  if (!isInFolder(fetched.url, record.folder)) return skipped('is outside the imported part of the site');
  if (!/^(?:text\/html|application\/xhtml\+xml)\b/i.test(type ?? '')) throw new UnfitContent('is not an HTML page');
  const page = readHtml(decodeHtml(fetched.bytes, type), fetched.url);
  const bytes = fetched.bytes.length;
  if (page.redirect !== undefined && addressKey(page.redirect) !== addressKey(fetched.url)) {
    const isInside = isInFolder(page.redirect, record.folder);
    if (!isInside) return skipped('is outside the imported part of the site');
    return { row, status: 'done', bytes, leadsTo: page.redirect };
  }
  const { canonical } = page;
  const own = canonical !== undefined && isInFolder(canonical, record.folder) ? canonical : fetched.url;
  const stored = await toStoredText(record.organization, page.markdown);
  if (stored.bytes > maxDocumentBytes) throw new UnfitContent(`has more text than ${maxDocumentBytes} bytes`);
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
    address: addressKey(own),
    ownAddress: addressKey(fetched.url),
    page: { stored, fields },
    found: foundOn(record, row, page),
    navigation: navigationOf(page),
  };
}

/** The navigation as it is kept; one that is too long for that is done without. */
function navigationOf({ navigation }: WebPage): WebPage['navigation'] {
  const bytes = new TextEncoder().encode(JSON.stringify(navigation)).length;
  return bytes <= maxNavigationBytes ? navigation : [];
}

type WebPage = ReturnType<typeof readWebPage>;

/** A page that its reader does not get through is unfit; its own faults are no secret. */
function readHtml(html: string, url: string): WebPage {
  try {
    return readWebPage(html, url);
  } catch (error) {
    throw new UnfitContent(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function foundOn(record: ImportRecord, row: AddressRow, page: WebPage): FoundAddress[] {
  const isDeepest = row.depth >= importLimits.depth;
  const links = page.noFollow || isDeepest ? [] : [...addressesOf(page.navigation), ...page.links];
  return [...pagesAmong(record, links), ...askRobots(record, page.images.slice(0, maxFound), 'file')];
}

const addressesOf = (navigation: WebPage['navigation']): string[] =>
  navigation.flatMap(({ url, children }) => [...(url === undefined ? [] : [url]), ...addressesOf(children)]);

/** The addresses that may be pages of the part of the site that is imported. */
function pagesAmong(record: ImportRecord, urls: string[]): FoundAddress[] {
  const among = urls.filter((url) => URL.canParse(url) && isInFolder(url, record.folder) && mayBePage(url));
  return askRobots(record, among.slice(0, maxFound), 'page');
}

/** What the site's robots.txt forbids is not read; of what stands on other sites it does not speak. */
function askRobots(record: ImportRecord, urls: string[], kind: FoundAddress['kind']): FoundAddress[] {
  const robots = robotsOf(record);
  return urls.map((url) => ({ url, kind, ...(robots.allows(url) ? {} : { refused: 'is blocked by robots.txt' }) }));
}

const robotsOf = ({ robots, folder }: ImportRecord) => readRobots(robots, new URL('/robots.txt', folder).href, agent);

/** The sitemaps of a site: those that its robots.txt names, else the one at the usual place. */
export function sitemapsOf(record: ImportRecord): FoundAddress[] {
  const { origin } = new URL(record.folder);
  const named = robotsOf(record).sitemaps.filter((url) => URL.canParse(url) && new URL(url).origin === origin);
  const urls = named.length > 0 ? named : [`${origin}/sitemap.xml`];
  return urls.slice(0, maxSitemaps).map((url) => ({ url, kind: 'sitemap' }));
}

const maxSitemaps = 20;

/** How many seconds the site asks for between two addresses, as many as are granted. */
export const crawlDelayOf = (record: ImportRecord): number =>
  record.robots === '' ? 0 : Math.min(robotsOf(record).crawlDelaySeconds ?? 0, importLimits.crawlDelaySeconds);

export const isAllowed = (record: ImportRecord, url: string): boolean => robotsOf(record).allows(url);

/** Fetches a sitemap; one that cannot be read is done without. @throws ExternalFetchError, UnfitContent */
export async function readSitemapAt(
  env: ContentEnvironment,
  record: ImportRecord,
  row: AddressRow,
): Promise<AddressReading> {
  const { bytes } = await fetchInTurn(env, row.url, {
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
    found: [...pagesAmong(record, pages), ...nested.map((url) => ({ url, kind: 'sitemap' as const }))],
  };
}

function parseSitemap(text: string): ReturnType<typeof readSitemap> {
  try {
    return readSitemap(text);
  } catch (error) {
    throw new UnfitContent(`is not a sitemap: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Fetches an image, to become a file. @throws ExternalFetchError, UnfitContent */
export async function readFileAt(
  env: ContentEnvironment,
  record: ImportRecord,
  row: AddressRow,
): Promise<AddressReading> {
  const { bytes, headers } = await fetchInTurn(env, row.url, {
    milliseconds: importLimits.fetchMilliseconds,
    bytes: importLimits.fileBytes,
    redirects: importLimits.redirects,
    accept: 'image/*',
  });
  const contentType = headers.get('content-type') ?? undefined;
  if (contentType !== undefined && !/^(?:image\/|application\/octet-stream)/i.test(contentType))
    throw new UnfitContent('is not an image');
  const gitPath = record.source === 'markdown' ? { gitPath: gitPathOf(row.url) } : {};
  const file = { bytes, name: fileNameOf(row.url), contentType, ...gitPath };
  return { row, status: 'done', bytes: bytes.length, file };
}

/** When the turns end that are taken with each host: also one whose request died ends in time. */
const turns = new Map<string, { ends: number }[]>();
const lookAgainMilliseconds = 25;

/** All turns with a host were taken for long: nothing was asked of it. */
export class NoTurn extends ExternalFetchError {
  constructor() {
    super('timeout', 'is being read by too many imports. Try again later');
  }
}

/**
 * Fetches as `fetchExternal` does, once there are few enough fetches from the host under way, by any import.
 * @throws ExternalFetchError, NoTurn
 */
export async function fetchInTurn(env: ContentEnvironment, url: string, limits: FetchLimits): Promise<FetchedResource> {
  const host = URL.canParse(url) ? new URL(url).host : '';
  const turn = await takeTurn(host, limits.milliseconds);
  try {
    return await fetchExternal(env, url, limits);
  } finally {
    turn.ends = 0;
    dropEnded(host);
  }
}

// Looked for again and again: a promise that another request were to settle would hang if that request died.
async function takeTurn(host: string, milliseconds: number): Promise<{ ends: number }> {
  const until = Date.now() + importLimits.turnMilliseconds;
  for (;;) {
    const taken = dropEnded(host);
    if (taken.length < importLimits.fetchedOfHost) {
      const turn = { ends: Date.now() + milliseconds };
      turns.set(host, [...taken, turn]);
      return turn;
    }
    if (Date.now() > until) throw new NoTurn();
    await new Promise((resolve) => setTimeout(resolve, lookAgainMilliseconds));
  }
}

function dropEnded(host: string): { ends: number }[] {
  const taken = (turns.get(host) ?? []).filter(({ ends }) => ends > Date.now());
  if (taken.length === 0) turns.delete(host);
  else turns.set(host, taken);
  return taken;
}
