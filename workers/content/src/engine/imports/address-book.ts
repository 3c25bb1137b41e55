import type { Database, Parameter, Statement } from '@octavo/db';
import { importAddresses, prepareQuery, readRows, splitIntoJson } from '@octavo/db';
import type { Node } from '@octavo/merge';
import { ExternalFetchError } from '@octavo/runtime';
import type { Navigation } from '@octavo/schema';
import { ApiError } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { NamedBytes } from '../blobs/content-type.ts';
import type { StoredText } from '../store/documents.ts';
import type { PageFields } from '../store/nodes.ts';
import type { AddressRow, ImportRecord } from './import-record.ts';
import { addressRow, importLimits } from './import-record.ts';

const ranks = { sitemap: 0, page: 1, file: 2 };

type Tally = Pick<ImportRecord, 'total' | 'pages' | 'files' | 'skipped' | 'failed'>;

/** The addresses that a step deals with, as they were stored and as they become. */
export class AddressBook {
  readonly #record: ImportRecord;
  readonly #stored = new Map<string, AddressRow>();
  readonly #rows = new Map<string, AddressRow>();
  #known: number;

  constructor(record: ImportRecord, stored: AddressRow[]) {
    this.#record = record;
    this.#known = record.known;
    for (const row of stored) {
      this.#stored.set(row.address, row);
      this.#rows.set(row.address, row);
    }
  }

  get(address: string): AddressRow | undefined {
    return this.#rows.get(address);
  }

  put(row: AddressRow): void {
    this.#rows.set(row.address, row);
  }

  /** Adds an address that was found below `depth`, once, as long as there is room. */
  add({ url, kind, refused }: FoundAddress, depth: number): void {
    const address = keyOf(url, kind);
    const known = this.#rows.get(address);
    const mayReplace = known?.node === null && known.kind === 'page' && kind === 'page' && refused === undefined;
    if (mayReplace && isMoreExact(url, known.url))
      this.put({ ...known, url, rank: ranks.page, status: 'pending', error: null });
    if (known !== undefined || this.#known >= importLimits.addresses) return;
    this.#rows.set(address, {
      import: this.#record.id,
      address,
      url: url.replace(/#.*$/s, ''),
      kind,
      rank: ranks[kind],
      ordinal: this.#known,
      depth,
      status: refused === undefined ? 'pending' : 'skipped',
      attempts: 0,
      node: null,
      title: null,
      sameAs: null,
      error: refused ?? null,
      parent: '',
      position: '',
      slug: '',
    });
    this.#known += 1;
  }

  /** What the record counts after the step. */
  counts(): Tally & Pick<ImportRecord, 'known'> {
    const { total, pages, files, skipped, failed } = this.#record;
    const counts = { total, pages, files, skipped, failed };
    for (const [address, row] of this.#rows) {
      add(counts, row, 1);
      const before = this.#stored.get(address);
      if (before !== undefined) add(counts, before, -1);
    }
    return { ...counts, known: this.#known };
  }

  write(db: Database): Statement[] {
    return writeAddresses(
      db,
      [...this.#rows.values()].filter((row) => this.#stored.get(row.address) !== row),
    );
  }
}

/** The name under which an address is kept: files keep their queries. */
export const keyOf = (url: string, kind: FoundAddress['kind']): string =>
  kind === 'page' ? addressKey(url) : `${kind} ${url.replace(/#.*$/s, '')}`;

function add(tally: Tally, { kind, status }: AddressRow, sign: 1 | -1): void {
  if (kind !== 'page' && kind !== 'file' && kind !== 'content') return;
  tally.total += sign;
  if (status === 'skipped' || status === 'failed') tally[status] += sign;
  else if (status === 'done') tally[kind === 'page' ? 'pages' : 'files'] += sign;
}

/** Writes addresses as they are now, new ones and those that were there. */
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

const knownAddresses = prepareQuery(addressRow, (select, id: Parameter<string>, addresses: Parameter<string>) =>
  select.from(importAddresses).where(sql`import = ${id} AND address IN (SELECT value FROM json_each(${addresses}))`),
);

/** The rows of addresses that are known. */
export async function findAddresses(db: Database, { id }: ImportRecord, addresses: string[]): Promise<AddressRow[]> {
  const found = await Promise.all(
    splitIntoJson([...new Set(addresses)]).map((json) => readRows(db, knownAddresses(id, json))),
  );
  return found.flat();
}

/** An address that nothing is known of yet, but what is given. */
export const newAddress = (
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

const tracking = /^(?:utm_\w+|fbclid|gclid|dclid|msclkid|mc_cid|mc_eid|igshid|_ga|_gl|yclid)$/i;
const indexName = /\/(?:index|default)(?:\.(?:html?|php))?$/i;
const ending = /\.html?$/i;
const maxLength = 2048;
const noPage =
  /\.(?:png|jpe?g|gif|svgz?|webp|avif|ico|bmp|tiff?|pdf|zip|gz|tgz|tar|bz2|xz|7z|rar|mp[34]|webm|mov|avi|wav|ogg|css|m?js|map|json|xml|rss|atom|txt|csv|md|exe|dmg|pkg|deb|rpm|iso|woff2?|ttf|eot|docx?|xlsx?|pptx?)$/i;

/**
 * The one name of an address, under which it is imported once: without its fragment, the queries of trackers, the name of
 * an index page, `.html` and a slash at the end. It is not what is fetched.
 */
export function addressKey(address: string): string {
  const url = new URL(address);
  url.hash = '';
  for (const name of [...url.searchParams.keys()]) if (tracking.test(name)) url.searchParams.delete(name);
  url.pathname = url.pathname.replace(indexName, '/').replace(ending, '');
  url.pathname = url.pathname.replace(/%[\da-f]{2}/gi, plainly);
  if (url.pathname.length > 1) url.pathname = url.pathname.replace(/\/+$/, '') || '/';
  return url.href.replace(/\?$/, '');
}

/** One spelling of an escape: letters, digits and `-._~` need none. */
function plainly(escaped: string): string {
  const letter = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return /[\w.~-]/.test(letter) ? letter : escaped.toUpperCase();
}

/** Whether an address says more exactly what to fetch than another of its name: sites link to `page` and have `page.html`. */
const isMoreExact = (address: string, other: string): boolean =>
  ending.test(new URL(address).pathname) && !ending.test(new URL(other).pathname);

/** The part of a site that an import of an address takes: what stands in the address's folder and below. */
export const folderOf = (address: string): string => {
  const { origin, pathname } = new URL(address);
  return origin + pathname.slice(0, pathname.lastIndexOf('/') + 1);
};

/** Whether an address is in the folder, or names the folder itself without its slash. */
export const isInFolder = (address: string, folder: string): boolean =>
  address.startsWith(folder) || address.replace(/[?#].*$/s, '') === folder.slice(0, -1);

/** Whether an address may be a page of the site, by its form. */
export const mayBePage = (address: string): boolean =>
  address.length <= maxLength && !noPage.test(new URL(address).pathname);

/** The last part of an address's path, as the name of a file. */
export function fileNameOf(address: string): string {
  const last = decoded(new URL(address).pathname).split('/').at(-1) ?? '';
  return cleanName(last) || 'file';
}

/** The path of an address, as the path of a file in its repository. */
export const gitPathOf = (address: string): string => decoded(new URL(address).pathname).replace(/^\/+/, '');

const cleanName = (name: string): string =>
  name
    .replace(/[\p{Cc}\\/]/gu, '')
    .slice(-200)
    .toWellFormed();

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** An address that was found on the way; `refused` says why it is not read. */
export interface FoundAddress {
  url: string;
  kind: 'page' | 'file' | 'sitemap';
  refused?: string;
}

export interface ReadPage {
  stored: StoredText;
  fields: PageFields;
  /** The slug that its own text asks for. */
  slug?: string | undefined;
  /** The title that its frontmatter gives. */
  ownTitle?: string | undefined;
}

/** What came of one address. */
export interface AddressReading {
  row: AddressRow;
  status: 'done' | 'skipped' | 'failed' | 'pending';
  error?: string;
  bytes?: number;
  /** The name of the address that it turned out to be, where that is another. */
  address?: string;
  /** The name of the address that was read in the end, whatever the page claims. */
  ownAddress?: string;
  page?: ReadPage;
  /** A reusable content with its text. */
  content?: { node: Node; stored: StoredText };
  file?: NamedBytes & { gitPath?: string };
  /** Where it leads to, instead of having content. */
  leadsTo?: string;
  found?: FoundAddress[];
  navigation?: Navigation;
}

/** What came of an address that could not be read: what may pass is tried again, later. */
export function unread(row: AddressRow, error: unknown): AddressReading {
  const message = describeFault(error);
  if (message === undefined) throw error;
  const isLast = row.attempts + 1 >= importLimits.attempts;
  return { row, status: mayPass(error) && !isLast ? 'pending' : 'failed', error: message };
}

function describeFault(error: unknown): string | undefined {
  if (error instanceof ExternalFetchError || error instanceof UnfitContent) return error.message;
  return error instanceof ApiError && error.type === 'invalid' ? error.message : undefined;
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof ExternalFetchError)) return false;
  if (error.fault === 'status') return error.status === 429 || (error.status ?? 0) >= 500;
  return error.fault === 'timeout' || error.fault === 'unreachable';
}

/** Content that cannot be imported, whose address could be read. */
export class UnfitContent extends Error {
  override name = 'UnfitContent';
}
