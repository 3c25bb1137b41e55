import type { Database, imports, Parameter, Statement } from '@octavo/db';
import {
  computed,
  createOrderKeyAtEnd,
  foreverSeq,
  getOnlyRow,
  importAddresses,
  prepareQuery,
  readRows,
  selection,
} from '@octavo/db';
import { slugify } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { createUrls } from '@octavo/runtime';
import { createId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { createFile, settleBlobs, storeBlobs } from '../blobs/store-blobs.ts';
import type { WrittenTree } from '../links/resolve-writes.ts';
import { resolveWrites } from '../links/resolve-writes.ts';
import { toNodeFields } from '../store/nodes.ts';
import type { NodeWrite, StoredText } from '../store/revisions.ts';
import { writeDocuments } from '../store/revisions.ts';
import type { AddressReading } from './address-book.ts';
import { AddressBook, findAddresses, getAddressKey, toFailedReading } from './address-book.ts';
import type { AddressRow, ImportContext, ImportRecord, ImportStep } from './import-record.ts';
import { addressRow, importLimits, maxStepAttempts, stepLimits } from './import-record.ts';
import { readEntries } from './read-entries.ts';
import { fetchFile, fetchSitemap, fetchWebsitePage, getCrawlDelay, HostBusyError } from './read-website.ts';

/**
 * Reads the next addresses of an import: several at once, or a single one after a failed attempt or if the site asks
 * for a crawl delay.
 */
export async function gather(context: ImportContext, record: ImportRecord, attempts: number): Promise<ImportStep> {
  const reachedLimit = findReachedLimit(record);
  if (reachedLimit !== undefined) return skipRemaining(context.db, record, reachedLimit);
  const batchSize = record.source === 'zip' ? stepLimits.unpacked : stepLimits.fetched;
  const isSingle = attempts > 1 || getCrawlDelay(record) > 0;
  const rows = await readNextAddresses(context, record, isSingle ? 1 : batchSize);
  if (rows.length === 0) return { changes: { phase: record.source === 'website' ? 'place' : 'link' } };
  const [first] = rows;
  if (first !== undefined && attempts > maxStepAttempts)
    return writeReadings(context, record, [{ row: first, status: 'failed', error: 'could not be read' }]);
  const readings =
    record.source === 'zip' ? await readEntries(context, record, rows) : await fetchRows(context, record, rows);
  return writeReadings(context, record, readings);
}

const findPendingAddresses = prepareQuery(addressRow, (select, id: Parameter<string>, limit: Parameter<number>) =>
  select
    .from(importAddresses)
    .where(sql`import = ${id} AND status = 'pending'`)
    .orderBy(importAddresses.rank, importAddresses.ordinal)
    .limit(limit),
);

const readNextAddresses = ({ db }: ImportContext, { id }: ImportRecord, limit: number): Promise<AddressRow[]> =>
  readRows(db, findPendingAddresses(id, limit));

const readers = { sitemap: fetchSitemap, page: fetchWebsitePage, file: fetchFile };

/** Addresses of busy hosts are left for a later step and do not count as attempts. */
async function fetchRows({ env }: ImportContext, record: ImportRecord, rows: AddressRow[]): Promise<AddressReading[]> {
  const readings = await Promise.all(
    rows.map(async (row) => {
      const readAddress = readers[row.kind as keyof typeof readers];
      return readAddress(env, record, row).catch((error: unknown) =>
        error instanceof HostBusyError ? undefined : toFailedReading(row, error),
      );
    }),
  );
  return readings.filter((reading) => reading !== undefined);
}

/** Writes the results of addresses: pages, files and further addresses. */
export async function writeReadings(
  context: ImportContext,
  record: ImportRecord,
  readings: AddressReading[],
): Promise<ImportStep> {
  const { db } = context;
  const addresses = readings.flatMap(({ address, ownAddress, redirectsTo, found = [] }) => [
    ...[address, ownAddress].flatMap((name) => name ?? []),
    ...(redirectsTo === undefined ? [] : [getAddressKey(redirectsTo, 'page')]),
    ...found.map(({ url, kind }) => getAddressKey(url, kind)),
  ]);
  const storedRows = await findAddresses(db, record, addresses);
  const book = new AddressBook(record, [...storedRows, ...readings.map(({ row }) => row)]);
  const files = await storeFiles(context, record, { book, readings });
  const now = Date.now();
  const writes: NodeWrite[] = [];
  const texts: StoredText[] = [];
  for (const reading of readings) {
    const { content, page } = reading;
    const node =
      content === undefined ? recordPage(book, reading, now) : markAddressDone(book, reading.row, content.node);
    if (node === undefined) continue;
    writes.push({ key: node, node });
    texts.push(...[content?.stored ?? page?.stored].filter((text) => text !== undefined));
  }
  for (const { found = [], row } of readings) for (const each of found) book.add(each, row.depth + 1);
  const navigation = readings.find((each) => each.navigation !== undefined)?.navigation;
  return {
    changes: {
      ...book.getCounts(),
      bytes: record.bytes + readings.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
      ...(navigation === undefined || record.navigation.length > 0 ? {} : { navigation }),
    },
    writes: await resolveLinks(context, record, { writes: [...files.writes, ...writes], texts }),
    statements: [...files.statements, ...writeDocuments(db, texts), ...book.write(db)],
  };
}

/**
 * Resolves links of an archive. All their targets already have a node, either read or only planned. Links of websites
 * are resolved at the end.
 */
function resolveLinks(
  { db, env }: ImportContext,
  record: ImportRecord,
  { writes, texts }: { writes: NodeWrite[]; texts: StoredText[] },
): NodeWrite[] | Promise<NodeWrite[]> {
  if (record.source !== 'zip') return writes;
  const nodes = writes.flatMap(({ node }) => node ?? []);
  const lineage = JSON.stringify([[record.id, record.seq]]);
  return resolveWrites({
    db,
    lineage,
    tree: toWrittenTree(writes, nodes),
    texts,
    space: record.space,
    urls: createUrls(env),
  });
}

/** Creates a batch for writes that delete and move no nodes and assign no refs. */
const toWrittenTree = (writes: NodeWrite[], nodes: Node[]): WrittenTree => ({
  getWrites: () => writes,
  listNodes: () => nodes,
  findRef: () => undefined,
  findUnmoved: (node) => node,
  isDeleted: () => false,
  getLoaded: () => undefined,
  content: { texts: new Map() },
});

interface ReadingBatch {
  book: AddressBook;
  readings: AddressReading[];
}

/** Stores the bytes of files and records their addresses. */
async function storeFiles(
  { db, env }: ImportContext,
  { organization }: ImportRecord,
  { book, readings }: ReadingBatch,
) {
  const files = readings.flatMap(({ row, file }) => (file === undefined ? [] : [{ row, file }]));
  const blobs = await storeBlobs(
    env,
    db,
    organization,
    files.map(({ file }) => file),
  );
  const writes = blobs.flatMap((blob, index): NodeWrite[] => {
    const { row, file } = files[index] ?? {};
    if (row === undefined || file === undefined) return [];
    const node = createFile(blob, { ...file, now: Date.now() });
    book.put({ ...row, status: 'done', node: node.id });
    return [{ key: node, node }];
  });
  const statements = settleBlobs(
    db,
    blobs.map(({ key }) => key),
  );
  return { writes, statements };
}

function markAddressDone(book: AddressBook, row: AddressRow, node: Node): Node {
  book.put({ ...row, status: 'done' });
  return node;
}

/** Records the result of an address. Returns the page to be written, if it is new. */
function recordPage(book: AddressBook, reading: AddressReading, now: number): Node | undefined {
  const { row, status, error = null, page, redirectsTo } = reading;
  const current = book.get(row.address);
  if (current === undefined || current.status !== 'pending') return undefined;
  if (redirectsTo !== undefined) {
    book.put(toAlias(current, getAddressKey(redirectsTo, 'page')));
    book.add({ url: redirectsTo, kind: 'page' }, row.depth);
    return undefined;
  }
  if (page === undefined) {
    const retry = status === 'pending' ? { rank: row.rank + 3, attempts: row.attempts + 1 } : {};
    book.put({ ...current, ...retry, status, error });
    return undefined;
  }
  const address = getAddressName(book, reading);
  const knownRow = book.get(address);
  if (address !== row.address) {
    book.put(toAlias(current, address));
    // If the page at the canonical address was already read, this page is not written, unless that page names this page
    // as its own canonical page.
    if (knownRow?.node != null || knownRow?.kind === 'alias')
      return knownRow.sameAs === row.address ? recordReadPage(book, reading, now) : undefined;
  }
  return recordReadPage(
    book,
    { ...reading, row: { ...(knownRow ?? row), address, kind: 'page', ordinal: row.ordinal } },
    now,
  );
}

/**
 * Returns the canonical address of a page, or its own address if a different page was already read under the canonical
 * one.
 */
function getAddressName(
  book: AddressBook,
  { row, address = row.address, ownAddress = row.address, page }: AddressReading,
): string {
  const claimedRow = book.get(address);
  const isAnother = claimedRow?.node != null && claimedRow.title !== page?.fields.title;
  return isAnother && address !== ownAddress ? ownAddress : address;
}

const toAlias = (row: AddressRow, sameAs: string): AddressRow => ({
  ...row,
  kind: 'alias',
  rank: 9,
  status: 'done',
  sameAs,
});

function recordReadPage(book: AddressBook, { row, page }: AddressReading, now: number): Node | undefined {
  if (page === undefined) return undefined;
  const id = row.node ?? createId('page');
  const title = page.fields.title;
  book.put({ ...row, kind: 'page', rank: 1, status: 'done', node: id, title, sameAs: null, error: null });
  return {
    kind: 'page',
    id,
    parent: row.parent,
    position: row.position || createOrderKeyAtEnd(now),
    slug: row.slug || page.slug || slugify(title),
    fields: toNodeFields(page.fields),
    document: page.stored.hash,
    oid: page.stored.oid,
    createdAt: now,
    updatedAt: now,
  };
}

type RemainingImport = Pick<typeof imports.$inferSelect, 'id' | 'source' | 'skipped'>;
type ImportTally = Pick<typeof imports.$inferSelect, 'source' | 'createdAt' | 'bytes' | 'pages' | 'files'>;

/** Finds the reached limit. Archives are limited only by time, because their plan already respects the other limits. */
export function findReachedLimit({ source, createdAt, bytes, pages, files }: ImportTally): string | undefined {
  if (Date.now() - createdAt > importLimits.milliseconds) return 'was skipped because the import ran out of time';
  if (source === 'zip') return undefined;
  if (bytes >= importLimits.totalBytes) return `exceeds the limit of ${importLimits.totalBytes} bytes for one import`;
  if (pages >= importLimits.pages) return `exceeds the limit of ${importLimits.pages} pages for one import`;
  return files >= importLimits.files ? `exceeds the limit of ${importLimits.files} files for one import` : undefined;
}

const countPending = prepareQuery(
  selection({ skipped: computed(Number, sql`count(*)`) }),
  (select, id: Parameter<string>) =>
    select
      .from(importAddresses)
      .where(sql`import = ${id} AND status = 'pending' AND kind IN ('page', 'file', 'content')`),
);

/** Skips all remaining addresses after a limit is reached. */
export async function skipRemaining(db: Database, record: RemainingImport, error: string) {
  const pending = sql`import = ${record.id} AND status = 'pending'`;
  const { skipped } = getOnlyRow(await readRows(db, countPending(record.id)));
  return {
    changes: {
      phase: record.source === 'website' ? ('place' as const) : ('link' as const),
      skipped: record.skipped + skipped,
    },
    statements: [
      ...(record.source === 'zip' ? [deleteUnreadNodes(db, record)] : []),
      db.run(sql`UPDATE import_addresses SET status = 'skipped', error = ${error} WHERE ${pending}`),
    ],
  };
}

/**
 * Deletes planned pages and texts of an archive that were never read, with their descendants. Otherwise they would be
 * imported without content.
 */
const deleteUnreadNodes = (db: Database, { id }: Pick<RemainingImport, 'id'>): Statement =>
  db.run(sql`
    WITH RECURSIVE unread (kind, id) AS (
      SELECT iif(kind = 'content', 'reusable-content', 'page'), node FROM import_addresses
      WHERE import = ${id} AND status = 'pending' AND node IS NOT NULL
      UNION
      SELECT v.kind, v.id FROM unread u CROSS JOIN versions v
        ON v.branch = ${id} AND v.kind = 'page' AND v.parent = u.id AND v.until = ${foreverSeq}
      WHERE u.kind = 'page')
    DELETE FROM versions WHERE branch = ${id} AND (kind, id) IN (SELECT kind, id FROM unread)`);
