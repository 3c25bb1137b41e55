import type { Database, Statement } from '@octavo/db';
import { importAddresses, jsonChunks } from '@octavo/db';
import { sql } from 'drizzle-orm';
import { addressKey, isMoreExact } from './addresses.ts';
import type { AddressRow, ImportRecord } from './import-record.ts';
import { importLimits } from './limits.ts';
import type { Found } from './reading.ts';

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
  add({ url, kind, refused }: Found, depth: number): void {
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
export const keyOf = (url: string, kind: Found['kind']): string =>
  kind === 'page' ? addressKey(url) : `${kind} ${url.replace(/#.*$/s, '')}`;

function add(tally: Tally, { kind, status }: AddressRow, sign: 1 | -1): void {
  if (kind !== 'page' && kind !== 'file') return;
  tally.total += sign;
  if (status === 'skipped' || status === 'failed') tally[status] += sign;
  else if (status === 'done') tally[kind === 'page' ? 'pages' : 'files'] += sign;
}

/** Writes addresses as they are now, new ones and those that were there. */
export const writeAddresses = (db: Database, rows: AddressRow[]): Statement[] =>
  jsonChunks(rows).map((json) =>
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

/** The rows of addresses that are known. */
export async function findAddresses(db: Database, { id }: ImportRecord, addresses: string[]): Promise<AddressRow[]> {
  const found = await Promise.all(
    jsonChunks([...new Set(addresses)]).map((json) =>
      db
        .select()
        .from(importAddresses)
        .where(sql`import = ${id} AND address IN (SELECT value FROM json_each(${json}))`),
    ),
  );
  return found.flat();
}
