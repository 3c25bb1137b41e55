import type { Database, imports, Parameter, Statement } from '@octavo/db';
import {
  computed,
  foreverSeq,
  getOnlyRow,
  importAddresses,
  orderKeyAtEnd,
  prepareQuery,
  readRows,
  selection,
} from '@octavo/db';
import { slugify } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { createUrls } from '@octavo/runtime';
import { newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { createFile, settleBlobs, storeBlobs } from '../blobs/store-blobs.ts';
import type { WrittenTree } from '../links/resolve-writes.ts';
import { resolveWrites } from '../links/resolve-writes.ts';
import type { StoredText } from '../store/documents.ts';
import { writeDocuments } from '../store/documents.ts';
import { toNodeFields } from '../store/nodes.ts';
import type { NodeWrite } from '../store/revisions.ts';
import type { AddressReading } from './address-book.ts';
import { AddressBook, findAddresses, keyOf, unread } from './address-book.ts';
import type { AddressRow, ImportContext, ImportRecord, ImportStep } from './import-record.ts';
import { addressRow, hopelessAttempts, importLimits, perStep } from './import-record.ts';
import { readEntries } from './read-entries.ts';
import { crawlDelayOf, NoTurn, readFileAt, readSitemapAt, readWebsitePage } from './read-website.ts';

/** Reads the next addresses of an import: some at once, or one alone, after an attempt that failed and where the site asks for it. */
export async function gather(context: ImportContext, record: ImportRecord, attempts: number): Promise<ImportStep> {
  const reached = limitReached(record);
  if (reached !== undefined) return leaveRest(context.db, record, reached);
  const most = record.source === 'zip' ? perStep.unpacked : perStep.fetched;
  const isAlone = attempts > 1 || crawlDelayOf(record) > 0;
  const rows = await nextAddresses(context, record, isAlone ? 1 : most);
  if (rows.length === 0) return { changes: { phase: record.source === 'website' ? 'place' : 'link' } };
  const [first] = rows;
  if (first !== undefined && attempts > hopelessAttempts)
    return keepReadings(context, record, [{ row: first, status: 'failed', error: 'could not be read' }]);
  const readings =
    record.source === 'zip' ? await readEntries(context, record, rows) : await fetchAll(context, record, rows);
  return keepReadings(context, record, readings);
}

const pendingAddresses = prepareQuery(addressRow, (select, id: Parameter<string>, limit: Parameter<number>) =>
  select
    .from(importAddresses)
    .where(sql`import = ${id} AND status = 'pending'`)
    .orderBy(importAddresses.rank, importAddresses.ordinal)
    .limit(limit),
);

const nextAddresses = ({ db }: ImportContext, { id }: ImportRecord, limit: number): Promise<AddressRow[]> =>
  readRows(db, pendingAddresses(id, limit));

const readers = { sitemap: readSitemapAt, page: readWebsitePage, file: readFileAt };

/** Those for which there was no turn are left for a later step, as if they had not been tried. */
async function fetchAll({ env }: ImportContext, record: ImportRecord, rows: AddressRow[]): Promise<AddressReading[]> {
  const readings = await Promise.all(
    rows.map(async (row) => {
      const read = readers[row.kind as keyof typeof readers];
      return read(env, record, row).catch((error: unknown) =>
        error instanceof NoTurn ? undefined : unread(row, error),
      );
    }),
  );
  return readings.filter((reading) => reading !== undefined);
}

/** Writes what came of addresses: pages, files, further addresses. */
export async function keepReadings(
  context: ImportContext,
  record: ImportRecord,
  readings: AddressReading[],
): Promise<ImportStep> {
  const { db } = context;
  const named = readings.flatMap(({ address, ownAddress, leadsTo, found = [] }) => [
    ...[address, ownAddress].flatMap((name) => name ?? []),
    ...(leadsTo === undefined ? [] : [keyOf(leadsTo, 'page')]),
    ...found.map(({ url, kind }) => keyOf(url, kind)),
  ]);
  const stored = await findAddresses(db, record, named);
  const book = new AddressBook(record, [...stored, ...readings.map(({ row }) => row)]);
  const files = await keepFiles(context, record, { book, readings });
  const now = Date.now();
  const writes: NodeWrite[] = [];
  const texts: StoredText[] = [];
  for (const reading of readings) {
    const { content, page } = reading;
    const node = content === undefined ? keepPage(book, reading, now) : keepContent(book, reading.row, content.node);
    if (node === undefined) continue;
    writes.push({ key: node, node });
    texts.push(...[content?.stored ?? page?.stored].filter((text) => text !== undefined));
  }
  for (const { found = [], row } of readings) for (const each of found) book.add(each, row.depth + 1);
  const navigation = readings.find((each) => each.navigation !== undefined)?.navigation;
  return {
    changes: {
      ...book.counts(),
      bytes: record.bytes + readings.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
      ...(navigation === undefined || record.navigation.length > 0 ? {} : { navigation }),
    },
    writes: await withLinks(context, record, { writes: [...files.writes, ...writes], texts }),
    statements: [...files.statements, ...writeDocuments(db, texts), ...book.write(db)],
  };
}

/** In an archive all that its texts may lead to is there by now, read or planned; websites have their links in the end. */
function withLinks(
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

/** Writes as a batch that deletes and moves nothing, and names nothing. */
const toWrittenTree = (writes: NodeWrite[], nodes: Node[]): WrittenTree => ({
  getWrites: () => writes,
  nodes: () => nodes,
  findRef: () => undefined,
  findUnmoved: (node) => node,
  isDeleted: () => false,
  loaded: () => undefined,
  content: { texts: new Map() },
});

interface Keeping {
  book: AddressBook;
  readings: AddressReading[];
}

/** Stores the bytes of what was read as files, and notes each. */
async function keepFiles({ db, env }: ImportContext, { organization }: ImportRecord, { book, readings }: Keeping) {
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

function keepContent(book: AddressBook, row: AddressRow, node: Node): Node {
  book.put({ ...row, status: 'done' });
  return node;
}

/** Notes what came of an address; gives the page that is to be written, if it is one that was not there yet. */
function keepPage(book: AddressBook, reading: AddressReading, now: number): Node | undefined {
  const { row, status, error = null, page, leadsTo } = reading;
  const current = book.get(row.address);
  if (current === undefined || current.status !== 'pending') return undefined;
  if (leadsTo !== undefined) {
    book.put(aliasOf(current, keyOf(leadsTo, 'page')));
    book.add({ url: leadsTo, kind: 'page' }, row.depth);
    return undefined;
  }
  if (page === undefined) {
    const again = status === 'pending' ? { rank: row.rank + 3, attempts: row.attempts + 1 } : {};
    book.put({ ...current, ...again, status, error });
    return undefined;
  }
  const address = nameOf(book, reading);
  const known = book.get(address);
  if (address !== row.address) {
    book.put(aliasOf(current, address));
    // What leads back here, or was read already, is not written once more.
    if (known?.node != null || known?.kind === 'alias')
      return known.sameAs === row.address ? keepOwn(book, reading, now) : undefined;
  }
  return keepOwn(book, { ...reading, row: { ...(known ?? row), address, kind: 'page', ordinal: row.ordinal } }, now);
}

/** The address that a page claims to be of; where quite another page was read already, the page's own. */
function nameOf(
  book: AddressBook,
  { row, address = row.address, ownAddress = row.address, page }: AddressReading,
): string {
  const claimed = book.get(address);
  const isAnother = claimed?.node != null && claimed.title !== page?.fields.title;
  return isAnother && address !== ownAddress ? ownAddress : address;
}

const aliasOf = (row: AddressRow, sameAs: string): AddressRow => ({
  ...row,
  kind: 'alias',
  rank: 9,
  status: 'done',
  sameAs,
});

function keepOwn(book: AddressBook, { row, page }: AddressReading, now: number): Node | undefined {
  if (page === undefined) return undefined;
  const id = row.node ?? newId('page');
  const title = page.fields.title;
  book.put({ ...row, kind: 'page', rank: 1, status: 'done', node: id, title, sameAs: null, error: null });
  return {
    kind: 'page',
    id,
    parent: row.parent,
    position: row.position || orderKeyAtEnd(now),
    slug: row.slug || page.slug || slugify(title),
    fields: toNodeFields(page.fields),
    document: page.stored.hash,
    oid: page.stored.oid,
    createdAt: now,
    updatedAt: now,
  };
}

type Left = Pick<typeof imports.$inferSelect, 'id' | 'source' | 'skipped'>;
type Tallied = Pick<typeof imports.$inferSelect, 'source' | 'createdAt' | 'bytes' | 'pages' | 'files'>;

/** Of an archive only the time: its plan holds the others, and what it plans is read, up to the last of them. */
export function limitReached({ source, createdAt, bytes, pages, files }: Tallied): string | undefined {
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

/** What is left when a limit is reached is not read any more. */
export async function leaveRest(db: Database, record: Left, error: string) {
  const pending = sql`import = ${record.id} AND status = 'pending'`;
  const { skipped } = getOnlyRow(await readRows(db, countPending(record.id)));
  return {
    changes: {
      phase: record.source === 'website' ? ('place' as const) : ('link' as const),
      skipped: record.skipped + skipped,
    },
    statements: [
      ...(record.source === 'zip' ? [dropUnread(db, record)] : []),
      db.run(sql`UPDATE import_addresses SET status = 'skipped', error = ${error} WHERE ${pending}`),
    ],
  };
}

/** The pages and texts of an archive that were planned and never read do not come in empty, nor does what is below them. */
const dropUnread = (db: Database, { id }: Pick<Left, 'id'>): Statement =>
  db.run(sql`
    WITH RECURSIVE unread (kind, id) AS (
      SELECT iif(kind = 'content', 'reusable-content', 'page'), node FROM import_addresses
      WHERE import = ${id} AND status = 'pending' AND node IS NOT NULL
      UNION
      SELECT v.kind, v.id FROM unread u CROSS JOIN versions v
        ON v.branch = ${id} AND v.kind = 'page' AND v.parent = u.id AND v.until = ${foreverSeq}
      WHERE u.kind = 'page')
    DELETE FROM versions WHERE branch = ${id} AND (kind, id) IN (SELECT kind, id FROM unread)`);
