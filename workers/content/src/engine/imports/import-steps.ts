import type { Database, Parameter, RecordOf, Statement } from '@octavo/db';
import {
  abortUnless,
  documents,
  fromQuery,
  importAddresses,
  imports,
  nullable,
  orderKeyAtEnd,
  prepareQuery,
  readRow,
  readRows,
  selection,
  splitIntoJson,
  versions,
} from '@octavo/db';
import { cleanTitle, getLinks, rewriteTargets, slugAllocator, slugify } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { NewEvent, OpenBranchId, SpaceId } from '@octavo/schema';
import { newId, notFound } from '@octavo/schema';
import type { AddressNode } from '@octavo/website';
import { treeOfAddresses } from '@octavo/website';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import type { StoredText } from '../store/documents.ts';
import { findTexts, toStoredText, writeDocuments } from '../store/documents.ts';
import { toNode, toNodeFields } from '../store/nodes.ts';
import { advanceLineage, writeRevision } from '../store/revisions.ts';
import { findAddresses, keyOf, writeAddresses } from './address-book.ts';
import { gather } from './gather.ts';
import type { AddressRow, ImportContext, ImportRecord, ImportStep } from './import-record.ts';
import { hopelessAttempts, ImportFailure, importRow, perStep } from './import-record.ts';
import { archiveKey } from './plan-archive.ts';

const importById = prepareQuery(importRow, (select, id: Parameter<string>) =>
  select.from(imports).where(eq(imports.id, id)),
);

export const findImport = (db: Database, id: string): Promise<ImportRecord | undefined> => readRow(db, importById(id));

/** Where an import goes: the live content of a space (`branch` is the space's id), or a change request. */
interface ImportPlace {
  space: SpaceId;
  branch: OpenBranchId;
}

/** The import of an id, if it goes to this place. @throws ApiError not_found */
export async function requireImport(db: Database, { space, branch }: ImportPlace, id: string): Promise<ImportRecord> {
  const record = await findImport(db, id);
  if (record?.space !== space || record.branch !== branch) throw notFound('import');
  return record;
}

export const failed = ({ organization, space, id }: ImportRecord, error: string): ImportStep => ({
  changes: { status: 'failed', phase: 'clean', error, finishedAt: Date.now() },
  events: [{ type: 'import.failed', organization, space, data: { import: id } }],
});

/** The statements and events of a step, and the record after it. Two that start from one state: the later writes nothing. */
export function writeStep(
  db: Database,
  record: ImportRecord,
  step: ImportStep,
): { next: ImportRecord; statements: Statement[]; events: NewEvent[] } {
  const seq = record.seq + 1;
  const { writes = [], changes } = step;
  const revision = writes.length === 0 ? undefined : hiddenRevision(db, record, { seq, writes });
  const values = { ...(revision && { revision: revision.id }), ...changes, seq, updatedAt: Date.now() };
  const { id } = record;
  return {
    next: { ...record, ...values },
    statements: [
      abortUnless(db, sql`EXISTS (SELECT 1 FROM imports WHERE id = ${id} AND seq = ${record.seq})`),
      ...(step.statements ?? []),
      ...(revision?.statements ?? []),
      db.update(imports).set(values).where(sql`id = ${id}`),
    ],
    events: step.events ?? [],
  };
}

const hiddenRevision = (
  db: Database,
  record: ImportRecord,
  { seq, writes }: Required<Pick<ImportStep, 'writes'>> & { seq: number },
) =>
  writeRevision(db, {
    space: record.space,
    organization: record.organization,
    branch: record.id,
    seq,
    type: 'edits',
    parents: [record.revision],
    lineage: advanceLineage(record.lineage, record.id, seq),
    author: record.createdBy,
    summary: `Import of ${record.url}`,
    writes,
  });

/** The next step of an import: what it writes and the record after it. Arriving is the space head's to do. */
export async function nextStep(context: ImportContext, record: ImportRecord, attempts: number): Promise<ImportStep> {
  try {
    if (record.phase === 'clean') return await clean(context, record);
    if (record.phase === 'place') return await place(context, record);
    if (record.phase === 'link') return await link(context, record, attempts);
    return await gather(context, record, attempts);
  } catch (error) {
    if (error instanceof ImportFailure) return failed(record, error.message);
    throw error;
  }
}

interface Linking {
  row: Pick<AddressRow, 'address' | 'ordinal' | 'parent' | 'position' | 'slug'>;
  node: Node;
  markdown: string | null;
}

/**
 * Puts the next pages of a website into their places, with links to each other where they linked to the site: some at
 * once, after an attempt that failed one alone, in the end that one with its links as they are.
 */
async function link(context: ImportContext, record: ImportRecord, attempts: number): Promise<ImportStep> {
  if (record.source !== 'website') return { changes: { phase: 'arrive' } };
  const { db } = context;
  const pages = await nextPages(context, record, attempts > 1 ? 1 : perStep.linked);
  const last = pages.at(-1);
  if (last === undefined) return { changes: { phase: 'arrive' } };
  const internal = attempts > hopelessAttempts ? undefined : await targetsOf(context, record, pages);
  const texts: StoredText[] = [];
  const writes = await Promise.all(
    pages.map(async ({ row, node, markdown }) => {
      const stored =
        markdown === null || internal === undefined
          ? null
          : await toStoredText(
              record.organization,
              rewriteTargets(markdown, (to) => internal.get(to)),
            );
      if (stored !== null) texts.push(stored);
      const { parent, position, slug } = row;
      const document = stored === null ? {} : { document: stored.hash, oid: stored.oid };
      return { key: node, node: { ...node, ...document, parent, position, slug } };
    }),
  );
  return { changes: { cursor: last.row.ordinal }, writes, statements: writeDocuments(db, texts) };
}

const [a, v, d] = [aliasedTable(importAddresses, 'a'), aliasedTable(versions, 'v'), aliasedTable(documents, 'd')];

/** An address with its place, and what was gathered of its page: headings have none. */
const linkedRow = selection({
  address: a.address,
  ordinal: a.ordinal,
  kind: a.kind,
  node: a.node,
  title: a.title,
  parent: a.parent,
  position: a.position,
  slug: a.slug,
  state: nullable({ data: v.data, deleted: v.deleted, document: v.document }),
  bytes: nullable(d.bytes),
});

/** Pages and headings in the order in which they were found, as many as may be held at once. */
async function nextPages({ db }: ImportContext, record: ImportRecord, limit: number): Promise<Linking[]> {
  const found = await readRows(
    db,
    linkedRow.query(sql`
    SELECT ${linkedRow} FROM import_addresses a
    LEFT JOIN versions v ON v.branch = ${record.id} AND v.kind = 'page' AND v.id = a.node
      AND v.since = (SELECT MAX(x.since) FROM versions x WHERE x.branch = ${record.id} AND x.kind = 'page' AND x.id = a.node)
    LEFT JOIN documents d ON d.hash = v.document
    WHERE a.import = ${record.id} AND a.status = 'done' AND a.rank = 1 AND a.ordinal > ${record.cursor}
    ORDER BY a.ordinal LIMIT ${sql.raw(String(limit))}`),
  );
  let bytes = 0;
  const rows = found.filter((row, index) => {
    bytes += row.bytes ?? 0;
    return index === 0 || bytes <= perStep.linkedBytes;
  });
  const texts = await findTexts(
    db,
    rows.flatMap(({ state }) => state?.document ?? []),
  );
  return rows.map((row) => linkingOf(record, row, texts.get(row.state?.document ?? '') ?? null));
}

type LinkedRow = RecordOf<typeof linkedRow>;

function linkingOf({ createdAt }: ImportRecord, row: LinkedRow, markdown: string | null): Linking {
  const { state, kind, node: id, title, parent, position, slug } = row;
  if (id === null) throw new Error(`The address ${row.address} was imported but has no page.`);
  const page = { kind: 'page' as const, id, parent, position, slug };
  const node = kind === 'group' || state === null ? undefined : toNode({ ...page, ...state });
  if (node !== undefined) return { row, node, markdown };
  const fields = toNodeFields({ type: 'group', title: title ?? '' });
  return { row, node: { ...page, fields, document: null, createdAt, updatedAt: createdAt }, markdown: null };
}

/** What the targets of these pages mean, where the import has what they name: a page or a file of its own. */
async function targetsOf({ db }: ImportContext, record: ImportRecord, pages: Linking[]): Promise<Map<string, string>> {
  const targets = new Set(
    pages.flatMap(({ markdown }) => (markdown === null ? [] : getLinks(markdown).map(({ target }) => target))),
  );
  const named = [...targets].filter((target) => /^https?:/i.test(target) && URL.canParse(target));
  const keys = named.flatMap((target) => [keyOf(target, 'page'), keyOf(target, 'file')]);
  const rows = new Map((await findAddresses(db, record, keys)).map((row) => [row.address, row]));
  for (let hops = 0; hops < maxHops; hops += 1) {
    const further = [...rows.values()].flatMap(({ sameAs }) => (sameAs === null || rows.has(sameAs) ? [] : [sameAs]));
    if (further.length === 0) break;
    for (const row of await findAddresses(db, record, further)) rows.set(row.address, row);
  }
  return new Map(
    named.flatMap((target) => {
      const to = internalTarget(rows, target);
      return to === undefined ? [] : [[target, to] as const];
    }),
  );
}

const maxHops = 4;

function internalTarget(rows: Map<string, AddressRow>, target: string): string | undefined {
  let row = rows.get(keyOf(target, 'page'));
  for (let hops = 0; hops < maxHops && row?.sameAs != null; hops += 1) row = rows.get(row.sameAs);
  if (row?.kind === 'page' && row.node !== null) return `/pages/${row.node}${fragmentFor(row, new URL(target).hash)}`;
  const file = rows.get(keyOf(target, 'file'));
  return file?.node == null ? undefined : `/files/${file.node}`;
}

/** The heading that became a page's title is in its text no more: what names it leads to the page. */
const fragmentFor = ({ title }: AddressRow, hash: string): string =>
  title !== null && hash === `#${slugify(title)}` ? '' : hash;

type PlacedAddress = Pick<AddressRow, 'address' | 'parent' | 'position' | 'slug'>;

const { address, node, title, ordinal } = importAddresses;

const importedPages = prepareQuery(selection({ address, node, title, ordinal }), (select, id: Parameter<string>) =>
  select.from(importAddresses).where(sql`import = ${id} AND status = 'done' AND rank = 1`).orderBy(ordinal),
);

/** Decides where each page of a website stands: its rows get their places, and headings become rows of their own. */
async function place({ db }: ImportContext, record: ImportRecord): Promise<ImportStep> {
  const rows = await readRows(db, importedPages(record.id));
  if (rows.length === 0) throw new ImportFailure('No page could be imported.');
  const pages = rows.map((row) => ({ address: row.address, title: row.title ?? '' }));
  const titles = new Map(pages.map(({ address, title }) => [address, title]));
  const tree = withAll(treeOfAddresses([...titles.keys()], record.navigation, titles), titles);
  const nodes = new Map(rows.map((row) => [row.address, row.node ?? '']));
  const placing: Placing = { record, nodes, places: [], groups: [], known: record.known };
  placeAll(placing, tree, '');
  const from = Math.min(...rows.map((row) => row.ordinal));
  return {
    changes: { phase: 'link', cursor: from - 1, known: placing.known },
    statements: [
      ...writeAddresses(db, placing.groups),
      ...splitIntoJson(placing.places).map((json) =>
        db.run(sql`UPDATE import_addresses SET parent = w.value->>'parent', position = w.value->>'position', slug = w.value->>'slug'
          FROM json_each(${json}) w
          WHERE import_addresses.import = ${record.id} AND import_addresses.address = w.value->>'address'`),
      ),
    ],
  };
}

interface Placing {
  record: ImportRecord;
  nodes: Map<string, string>;
  places: PlacedAddress[];
  groups: AddressRow[];
  known: number;
}

function placeAll(placing: Placing, items: AddressNode[], parent: string): void {
  const allocate = slugAllocator();
  for (const { url, slug, title, children } of items) {
    const place = { parent, position: orderKeyAtEnd(placing.record.createdAt), slug: allocate(slug) };
    let node = placing.nodes.get(url ?? '');
    if (url !== undefined && node !== undefined) placing.places.push({ address: url, ...place });
    else {
      node = newId('page');
      placing.groups.push(groupOf(placing, { ...place, node, title: cleanTitle(title) || 'Untitled' }));
    }
    placeAll(placing, children, node);
  }
}

/** The tree, and at its end the pages that it leaves out: it takes some addresses for one that are two pages here. */
function withAll(tree: AddressNode[], titles: Map<string, string>): AddressNode[] {
  const left = new Map(titles);
  const drop = (items: AddressNode[]): void => {
    for (const { url, children } of items) {
      left.delete(url ?? '');
      drop(children);
    }
  };
  drop(tree);
  const rest = [...left].map(([url, title]) => ({
    kind: 'page' as const,
    url,
    title,
    slug: slugify(title),
    children: [],
  }));
  return [...tree, ...rest];
}

function groupOf(
  placing: Placing,
  row: Pick<AddressRow, 'parent' | 'position' | 'slug' | 'node' | 'title'>,
): AddressRow {
  const ordinal = placing.known;
  placing.known += 1;
  return {
    import: placing.record.id,
    address: `group ${ordinal}`,
    url: '',
    kind: 'group',
    rank: 1,
    ordinal,
    depth: 0,
    status: 'done',
    attempts: 0,
    sameAs: null,
    error: null,
    ...row,
  };
}

const isDone = sql`NOT (kind = 'problem' OR (status = 'failed' AND kind IN ('page', 'file', 'content')))`;

const leftRow = selection({ addresses: fromQuery(Boolean), revisions: fromQuery(Boolean) });

const stateRow = selection({
  kind: versions.kind,
  id: versions.id,
  since: versions.since,
  document: versions.document,
});

const statesOf = prepareQuery(stateRow, (select, branch: Parameter<string>, limit: Parameter<number>) =>
  select.from(versions).where(eq(versions.branch, branch)).limit(limit),
);

/** Clears away a part of what an import that has ended gathered; what failed or was left out stays, to be told. */
async function clean({ db, env }: ImportContext, record: ImportRecord): Promise<ImportStep> {
  const { id } = record;
  if (record.source === 'zip') await env.FILES.delete(archiveKey(id));
  const states = await readRows(db, statesOf(id, perStep.cleaned));
  const limit = sql.raw(String(perStep.cleaned));
  const [addresses, revisions] = [
    db.run(sql`DELETE FROM import_addresses WHERE import = ${id} AND address IN (
      SELECT address FROM import_addresses WHERE import = ${id} AND ${isDone} LIMIT ${limit})`),
    db.run(sql`DELETE FROM revisions WHERE branch = ${id} AND seq IN (
      SELECT seq FROM revisions WHERE branch = ${id} LIMIT ${limit})`),
  ];
  const left = leftRow.query(sql`
    SELECT EXISTS (SELECT 1 FROM import_addresses WHERE import = ${id} AND ${isDone}) AS addresses,
      EXISTS (SELECT 1 FROM revisions WHERE branch = ${id}) AS revisions`);
  const { addresses: hasAddresses, revisions: hasRevisions } = (await readRow(db, left)) ?? {};
  const isClean = states.length === 0 && !hasAddresses && !hasRevisions;
  if (isClean) return { changes: { phase: 'ended', robots: '', navigation: [] } };
  const keys = JSON.stringify(states.map((state) => [state.kind, state.id, state.since]));
  const hashes = JSON.stringify(states.flatMap(({ document }) => document ?? []));
  return {
    changes: {},
    statements: [
      db.run(sql`DELETE FROM versions WHERE branch = ${id} AND (kind, id, since) IN (
        SELECT value->>0, value->>1, value->>2 FROM json_each(${keys}))`),
      db.run(sql`DELETE FROM document_links WHERE hash IN (SELECT value FROM json_each(${hashes}))
        AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.document = document_links.hash)`),
      db.run(sql`DELETE FROM documents WHERE hash IN (SELECT value FROM json_each(${hashes}))
        AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.document = documents.hash)`),
      addresses,
      revisions,
    ],
  };
}
