import type { Database, Parameter, Statement } from '@octavo/db';
import { importAddresses, prepareQuery, readRows, splitIntoJson } from '@octavo/db';
import type { Node } from '@octavo/merge';
import { ExternalFetchError } from '@octavo/runtime';
import type { Navigation } from '@octavo/schema';
import { ApiError } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { NamedBytes } from '../blobs/content-type.ts';
import type { PageFields } from '../store/nodes.ts';
import type { StoredText } from '../store/revisions.ts';
import type { AddressRow, ImportRecord } from './import-record.ts';
import { addressRow, importLimits } from './import-record.ts';

const ranks = { sitemap: 0, page: 1, file: 2 };

type Tally = Pick<ImportRecord, 'total' | 'pages' | 'files' | 'skipped' | 'failed'>;

/** The addresses that one step handles: their stored rows, and the rows that the step changes. */
export class AddressBook {
  readonly #record: ImportRecord;
  readonly #storedRows = new Map<string, AddressRow>();
  readonly #rows = new Map<string, AddressRow>();
  #knownCount: number;

  constructor(record: ImportRecord, storedRows: AddressRow[]) {
    this.#record = record;
    this.#knownCount = record.known;
    for (const row of storedRows) {
      this.#storedRows.set(row.address, row);
      this.#rows.set(row.address, row);
    }
  }

  get(address: string): AddressRow | undefined {
    return this.#rows.get(address);
  }

  put(row: AddressRow): void {
    this.#rows.set(row.address, row);
  }

  /** Adds an address found on a page at `depth - 1`, unless it is known or the limit is reached. */
  add({ url, kind, skipReason }: FoundAddress, depth: number): void {
    const address = getAddressKey(url, kind);
    const row = this.#rows.get(address);
    const mayReplace = row?.node === null && row.kind === 'page' && kind === 'page' && skipReason === undefined;
    if (mayReplace && isMoreSpecific(url, row.url))
      this.put({ ...row, url, rank: ranks.page, status: 'pending', error: null });
    if (row !== undefined || this.#knownCount >= importLimits.addresses) return;
    this.#rows.set(address, {
      import: this.#record.id,
      address,
      url: url.replace(/#.*$/s, ''),
      kind,
      rank: ranks[kind],
      ordinal: this.#knownCount,
      depth,
      status: skipReason === undefined ? 'pending' : 'skipped',
      attempts: 0,
      node: null,
      title: null,
      sameAs: null,
      error: skipReason ?? null,
      parent: '',
      position: '',
      slug: '',
    });
    this.#knownCount += 1;
  }

  /** Returns the counts of the record after the step. */
  getCounts(): Tally & Pick<ImportRecord, 'known'> {
    const { total, pages, files, skipped, failed } = this.#record;
    const counts = { total, pages, files, skipped, failed };
    for (const [address, row] of this.#rows) {
      add(counts, row, 1);
      const before = this.#storedRows.get(address);
      if (before !== undefined) add(counts, before, -1);
    }
    return { ...counts, known: this.#knownCount };
  }

  write(db: Database): Statement[] {
    return writeAddresses(
      db,
      [...this.#rows.values()].filter((row) => this.#storedRows.get(row.address) !== row),
    );
  }
}

/** Returns the key under which an address is stored. Files keep their queries. */
export const getAddressKey = (url: string, kind: FoundAddress['kind']): string =>
  kind === 'page' ? getCanonicalAddress(url) : `${kind} ${url.replace(/#.*$/s, '')}`;

function add(tally: Tally, { kind, status }: AddressRow, sign: 1 | -1): void {
  if (kind !== 'page' && kind !== 'file' && kind !== 'content') return;
  tally.total += sign;
  if (status === 'skipped' || status === 'failed') tally[status] += sign;
  else if (status === 'done') tally[kind === 'page' ? 'pages' : 'files'] += sign;
}

/** Returns the statements that insert or update addresses. */
export const writeAddresses = (db: Database, rows: AddressRow[]): Statement[] =>
  splitIntoJson(rows).map((json) =>
    db.run(sql`
      INSERT INTO import_addresses (import, address, url, kind, rank, ordinal, depth, status, attempts, node, title,
        same_as, error, parent, position, slug)
      SELECT value->>'import', value->>'address', value->>'url', value->>'kind', value->>'rank', value->>'ordinal',
        value->>'depth', value->>'status', value->>'attempts', value->>'node', value->>'title', value->>'sameAs',
        value->>'error', value->>'parent', value->>'position', value->>'slug'
      FROM json_each(${json}) WHERE 1
      ON CONFLICT (import, address) DO UPDATE SET url = excluded.url, kind = excluded.kind, rank = excluded.rank, status = excluded.status,
        attempts = excluded.attempts, node = excluded.node, title = excluded.title, same_as = excluded.same_as,
        error = excluded.error`),
  );

const findKnownAddresses = prepareQuery(addressRow, (select, id: Parameter<string>, addresses: Parameter<string>) =>
  select.from(importAddresses).where(sql`import = ${id} AND address IN (SELECT value FROM json_each(${addresses}))`),
);

/** Reads the rows of the addresses that are known. */
export async function findAddresses(db: Database, { id }: ImportRecord, addresses: string[]): Promise<AddressRow[]> {
  const rows = await Promise.all(
    splitIntoJson([...new Set(addresses)]).map((json) => readRows(db, findKnownAddresses(id, json))),
  );
  return rows.flat();
}

/** Creates the row of a new address. */
export const createAddress = (
  id: string,
  row: Pick<AddressRow, 'address' | 'kind'> & Partial<AddressRow>,
): AddressRow => ({
  import: id,
  url: row.address,
  rank: row.kind === 'page' ? 1 : 2,
  ordinal: 0,
  depth: 0,
  status: 'pending',
  attempts: 0,
  node: null,
  title: null,
  sameAs: null,
  error: null,
  parent: '',
  position: '',
  slug: '',
  ...row,
});

const trackingParameter = /^(?:utm_\w+|fbclid|gclid|dclid|msclkid|mc_cid|mc_eid|igshid|_ga|_gl|yclid)$/i;
const indexName = /\/(?:index|default)(?:\.(?:html?|php))?$/i;
const htmlExtension = /\.html?$/i;
const maxAddressLength = 2048;
const nonPageExtension =
  /\.(?:png|jpe?g|gif|svgz?|webp|avif|ico|bmp|tiff?|pdf|zip|gz|tgz|tar|bz2|xz|7z|rar|mp[34]|webm|mov|avi|wav|ogg|css|m?js|map|json|xml|rss|atom|txt|csv|md|exe|dmg|pkg|deb|rpm|iso|woff2?|ttf|eot|docx?|xlsx?|pptx?)$/i;

/**
 * Returns the canonical form of an address, under which it is imported once: without fragment, tracking parameters, the
 * name of an index page, `.html` and trailing slash. Not used for fetching.
 */
export function getCanonicalAddress(address: string): string {
  const url = new URL(address);
  url.hash = '';
  for (const name of [...url.searchParams.keys()]) if (trackingParameter.test(name)) url.searchParams.delete(name);
  url.pathname = url.pathname.replace(indexName, '/').replace(htmlExtension, '');
  url.pathname = url.pathname.replace(/%[\da-f]{2}/gi, normalizeEscape);
  if (url.pathname.length > 1) url.pathname = url.pathname.replace(/\/+$/, '') || '/';
  return url.href.replace(/\?$/, '');
}

/** Normalizes an escape: letters, digits and `-._~` are not escaped. */
function normalizeEscape(escaped: string): string {
  const letter = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return /[\w.~-]/.test(letter) ? letter : escaped.toUpperCase();
}

/**
 * Whether an address is more exact than another one with the same canonical form: a site can link to `page` although
 * the file is `page.html`.
 */
const isMoreSpecific = (address: string, other: string): boolean =>
  htmlExtension.test(new URL(address).pathname) && !htmlExtension.test(new URL(other).pathname);

/** Returns the part of a site that an import includes: the address's folder and everything below it. */
export const getFolder = (address: string): string => {
  const { origin, pathname } = new URL(address);
  return origin + pathname.slice(0, pathname.lastIndexOf('/') + 1);
};

/** Whether an address is in the folder, or names the folder itself without its slash. */
export const isInFolder = (address: string, folder: string): boolean =>
  address.startsWith(folder) || address.replace(/[?#].*$/s, '') === folder.slice(0, -1);

/** Whether an address may be a page of the site, judged by its form. */
export const mayBePage = (address: string): boolean =>
  address.length <= maxAddressLength && !nonPageExtension.test(new URL(address).pathname);

/** Returns the last segment of an address's path as a file name. */
export function getFileName(address: string): string {
  const last = decodePath(new URL(address).pathname).split('/').at(-1) ?? '';
  return cleanName(last) || 'file';
}

/** Returns the path of an address as a path in its repository. */
export const getGitPath = (address: string): string => decodePath(new URL(address).pathname).replace(/^\/+/, '');

const cleanName = (name: string): string =>
  name
    .replace(/[\p{Cc}\\/]/gu, '')
    .slice(-200)
    .toWellFormed();

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** An address found on a page; `skipReason` says why it is not read. */
export interface FoundAddress {
  url: string;
  kind: 'page' | 'file' | 'sitemap';
  skipReason?: string;
}

export interface ReadPage {
  stored: StoredText;
  fields: PageFields;
  /** The slug that the page's own text sets. */
  slug?: string | undefined;
  /** The title in the page's frontmatter. */
  ownTitle?: string | undefined;
}

/** The result of reading one address. */
export interface AddressReading {
  row: AddressRow;
  status: 'done' | 'skipped' | 'failed' | 'pending';
  error?: string;
  bytes?: number;
  /** The canonical address of the page, if it differs from the address of the row. */
  address?: string;
  /** The canonical form of the address that was fetched, even if the page declares another canonical address. */
  ownAddress?: string;
  page?: ReadPage;
  /** A reusable content with its text. */
  content?: { node: Node; stored: StoredText };
  file?: NamedBytes & { gitPath?: string };
  /** The target, if the address only redirects. */
  redirectsTo?: string;
  found?: FoundAddress[];
  navigation?: Navigation;
}

/** Returns the result for an address that could not be read. Temporary failures are retried later. */
export function toFailedReading(row: AddressRow, error: unknown): AddressReading {
  const message = describeFault(error);
  if (message === undefined) throw error;
  const isLast = row.attempts + 1 >= importLimits.attempts;
  return { row, status: isTemporary(error) && !isLast ? 'pending' : 'failed', error: message };
}

function describeFault(error: unknown): string | undefined {
  if (error instanceof ExternalFetchError || error instanceof UnsupportedContent) return error.message;
  return error instanceof ApiError && error.type === 'invalid' ? error.message : undefined;
}

function isTemporary(error: unknown): boolean {
  if (!(error instanceof ExternalFetchError)) return false;
  if (error.fault === 'status') return error.status === 429 || (error.status ?? 0) >= 500;
  return error.fault === 'timeout' || error.fault === 'unreachable';
}

/** Content that cannot be imported although its address could be read. */
export class UnsupportedContent extends Error {
  override name = 'UnfitContent';
}
