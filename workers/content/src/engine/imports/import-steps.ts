import type { Database, Parameter, RecordOf, Statement } from '@octavo/db';
import {
  abortUnless,
  createOrderKeyAtEnd,
  documents,
  fromQuery,
  importAddresses,
  imports,
  nullable,
  prepareQuery,
  readRow,
  readRows,
  selection,
  splitIntoJson,
  versions,
} from '@octavo/db';
import { cleanTitle, createSlugAllocator, getLinks, rewriteTargets, slugify } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { EditableBranchId, NewEvent, SpaceId } from '@octavo/schema';
import { createId, notFound } from '@octavo/schema';
import type { AddressNode } from '@octavo/website';
import { createAddressTree } from '@octavo/website';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import { toNode, toNodeFields } from '../store/nodes.ts';
import type { StoredText } from '../store/revisions.ts';
import { advanceLineage, findTexts, toStoredText, writeDocuments, writeRevision } from '../store/revisions.ts';
import { findAddresses, getAddressKey, writeAddresses } from './address-book.ts';
import { gather } from './gather.ts';
import type { AddressRow, ImportContext, ImportRecord, ImportStep } from './import-record.ts';
import { describeImport, ImportFailure, importRow, maxStepAttempts, stepLimits } from './import-record.ts';
import { archiveKey } from './plan-archive.ts';

const findImportById = prepareQuery(importRow, (select, id: Parameter<string>) =>
  select.from(imports).where(eq(imports.id, id)),
);

export const findImport = (db: Database, id: string): Promise<ImportRecord | undefined> =>
  readRow(db, findImportById(id));

/** The target of an import: the live content of a space (`branch` is the space's id), or a change request. */
interface ImportTarget {
  space: SpaceId;
  branch: EditableBranchId;
}

/** Reads an import with this target. @throws ApiError not_found */
export async function requireImport(db: Database, { space, branch }: ImportTarget, id: string): Promise<ImportRecord> {
  const record = await findImport(db, id);
  if (record?.space !== space || record.branch !== branch) throw notFound('import');
  return record;
}

export const toFailedStep = ({ organization, space, id }: ImportRecord, error: string): ImportStep => ({
  changes: { status: 'failed', phase: 'clean', error, finishedAt: Date.now() },
  events: [{ type: 'import.failed', organization, space, data: { import: id } }],
});

/**
 * Returns the statements and events of a step, and the record after it. Of two concurrent steps, the later one fails.
 */
export function writeStep(
  db: Database,
  record: ImportRecord,
  step: ImportStep,
): { next: ImportRecord; statements: Statement[]; events: NewEvent[] } {
  const seq = record.seq + 1;
  const { writes = [], changes } = step;
  const revision = writes.length === 0 ? undefined : createHiddenRevision(db, record, { seq, writes });
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

const createHiddenRevision = (
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
    summary: describeImport(record),
    writes,
  });

/** Runs the next step of an import, except the last one, which the space head runs. */
export async function runNextStep(context: ImportContext, record: ImportRecord, attempts: number): Promise<ImportStep> {
  try {
    if (record.phase === 'clean') return await cleanUp(context, record);
    if (record.phase === 'place') return await positionPages(context, record);
    if (record.phase === 'link') return await linkPages(context, record, attempts);
    return await gather(context, record, attempts);
  } catch (error) {
    if (error instanceof ImportFailure) return toFailedStep(record, error.message);
    throw error;
  }
}

interface LinkedPage {
  row: Pick<AddressRow, 'address' | 'ordinal' | 'parent' | 'position' | 'slug'>;
  node: Node;
  markdown: string | null;
}

/**
 * Positions the next pages of a website and links them to each other. It processes several pages at once, a single page
 * after a failed attempt, and finally that page with unchanged links.
 */
async function linkPages(context: ImportContext, record: ImportRecord, attempts: number): Promise<ImportStep> {
  if (record.source !== 'website') return { changes: { phase: 'arrive' } };
  const { db } = context;
  const pages = await readNextPages(context, record, attempts > 1 ? 1 : stepLimits.linked);
  const last = pages.at(-1);
  if (last === undefined) return { changes: { phase: 'arrive' } };
  const internal = attempts > maxStepAttempts ? undefined : await resolveTargets(context, record, pages);
  const texts: StoredText[] = [];
  const writes = await Promise.all(
    pages.map(async ({ row, node, markdown }) => {
      const storedText =
        markdown === null || internal === undefined
          ? null
          : await toStoredText(
              record.organization,
              rewriteTargets(markdown, (to) => internal.get(to)),
            );
      if (storedText !== null) texts.push(storedText);
      const { parent, position, slug } = row;
      const document = storedText === null ? {} : { document: storedText.hash, oid: storedText.oid };
      return { key: node, node: { ...node, ...document, parent, position, slug } };
    }),
  );
  return { changes: { cursor: last.row.ordinal }, writes, statements: writeDocuments(db, texts) };
}

const [a, v, d] = [aliasedTable(importAddresses, 'a'), aliasedTable(versions, 'v'), aliasedTable(documents, 'd')];

/** An address with its position and the state of its page; headings have no page. */
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

/** Reads pages and headings in the order in which they were found, up to the limits of a step. */
async function readNextPages({ db }: ImportContext, record: ImportRecord, limit: number): Promise<LinkedPage[]> {
  const pages = await readRows(
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
  const rows = pages.filter((row, index) => {
    bytes += row.bytes ?? 0;
    return index === 0 || bytes <= stepLimits.linkedBytes;
  });
  const texts = await findTexts(
    db,
    rows.flatMap(({ state }) => state?.document ?? []),
  );
  return rows.map((row) => toLinkedPage(record, row, texts.get(row.state?.document ?? '') ?? null));
}

type LinkedRow = RecordOf<typeof linkedRow>;

function toLinkedPage({ createdAt }: ImportRecord, row: LinkedRow, markdown: string | null): LinkedPage {
  const { state, kind, node: id, title, parent, position, slug } = row;
  if (id === null) throw new Error(`The address ${row.address} was imported but has no page.`);
  const page = { kind: 'page' as const, id, parent, position, slug };
  const node = kind === 'group' || state === null ? undefined : toNode({ ...page, ...state });
  if (node !== undefined) return { row, node, markdown };
  const fields = toNodeFields({ type: 'group', title: title ?? '' });
  return { row, node: { ...page, fields, document: null, createdAt, updatedAt: createdAt }, markdown: null };
}

/** Maps link targets to the imported pages or files that they name. */
async function resolveTargets(
  { db }: ImportContext,
  record: ImportRecord,
  pages: LinkedPage[],
): Promise<Map<string, string>> {
  const targets = new Set(
    pages.flatMap(({ markdown }) => (markdown === null ? [] : getLinks(markdown).map(({ target }) => target))),
  );
  const absoluteTargets = [...targets].filter((target) => /^https?:/i.test(target) && URL.canParse(target));
  const keys = absoluteTargets.flatMap((target) => [getAddressKey(target, 'page'), getAddressKey(target, 'file')]);
  const rows = new Map((await findAddresses(db, record, keys)).map((row) => [row.address, row]));
  for (let hops = 0; hops < maxHops; hops += 1) {
    const further = [...rows.values()].flatMap(({ sameAs }) => (sameAs === null || rows.has(sameAs) ? [] : [sameAs]));
    if (further.length === 0) break;
    for (const row of await findAddresses(db, record, further)) rows.set(row.address, row);
  }
  return new Map(
    absoluteTargets.flatMap((target) => {
      const to = findInternalTarget(rows, target);
      return to === undefined ? [] : [[target, to] as const];
    }),
  );
}

const maxHops = 4;

function findInternalTarget(rows: Map<string, AddressRow>, target: string): string | undefined {
  let row = rows.get(getAddressKey(target, 'page'));
  for (let hops = 0; hops < maxHops && row?.sameAs != null; hops += 1) row = rows.get(row.sameAs);
  if (row?.kind === 'page' && row.node !== null) return `/pages/${row.node}${getFragment(row, new URL(target).hash)}`;
  const file = rows.get(getAddressKey(target, 'file'));
  return file?.node == null ? undefined : `/files/${file.node}`;
}

/**
 * A link to the heading that became the page's title is a link to the page, because the heading is no longer in its
 * text.
 */
const getFragment = ({ title }: AddressRow, hash: string): string =>
  title !== null && hash === `#${slugify(title)}` ? '' : hash;

type PositionedAddress = Pick<AddressRow, 'address' | 'parent' | 'position' | 'slug'>;

const { address, node, title, ordinal } = importAddresses;

const readImportedPages = prepareQuery(selection({ address, node, title, ordinal }), (select, id: Parameter<string>) =>
  select.from(importAddresses).where(sql`import = ${id} AND status = 'done' AND rank = 1`).orderBy(ordinal),
);

/** Decides the position of each page of a website. Headings in the navigation become groups. */
async function positionPages({ db }: ImportContext, record: ImportRecord): Promise<ImportStep> {
  const rows = await readRows(db, readImportedPages(record.id));
  if (rows.length === 0) throw new ImportFailure('No page could be imported.');
  const pages = rows.map((row) => ({ address: row.address, title: row.title ?? '' }));
  const titles = new Map(pages.map(({ address, title }) => [address, title]));
  const tree = addMissingPages(createAddressTree([...titles.keys()], record.navigation, titles), titles);
  const nodes = new Map(rows.map((row) => [row.address, row.node ?? '']));
  const positioning: Positioning = { record, nodes, positions: [], groups: [], knownCount: record.known };
  positionItems(positioning, tree, '');
  const from = Math.min(...rows.map((row) => row.ordinal));
  return {
    changes: { phase: 'link', cursor: from - 1, known: positioning.knownCount },
    statements: [
      ...writeAddresses(db, positioning.groups),
      ...splitIntoJson(positioning.positions).map((json) =>
        db.run(sql`UPDATE import_addresses SET parent = w.value->>'parent', position = w.value->>'position', slug = w.value->>'slug'
          FROM json_each(${json}) w
          WHERE import_addresses.import = ${record.id} AND import_addresses.address = w.value->>'address'`),
      ),
    ],
  };
}

interface Positioning {
  record: ImportRecord;
  nodes: Map<string, string>;
  positions: PositionedAddress[];
  groups: AddressRow[];
  knownCount: number;
}

function positionItems(positioning: Positioning, items: AddressNode[], parent: string): void {
  const allocate = createSlugAllocator();
  for (const { url, slug, title, children } of items) {
    const location = { parent, position: createOrderKeyAtEnd(positioning.record.createdAt), slug: allocate(slug) };
    let node = positioning.nodes.get(url ?? '');
    if (url !== undefined && node !== undefined) positioning.positions.push({ address: url, ...location });
    else {
      node = createId('page');
      positioning.groups.push(createGroup(positioning, { ...location, node, title: cleanTitle(title) || 'Untitled' }));
    }
    positionItems(positioning, children, node);
  }
}

/**
 * Appends pages that are missing in the tree. Two pages of the import are one page in the tree if the tree treats their
 * addresses as equal.
 */
function addMissingPages(tree: AddressNode[], titles: Map<string, string>): AddressNode[] {
  const missing = new Map(titles);
  const drop = (items: AddressNode[]): void => {
    for (const { url, children } of items) {
      missing.delete(url ?? '');
      drop(children);
    }
  };
  drop(tree);
  const rest = [...missing].map(([url, title]) => ({
    kind: 'page' as const,
    url,
    title,
    slug: slugify(title),
    children: [],
  }));
  return [...tree, ...rest];
}

function createGroup(
  positioning: Positioning,
  row: Pick<AddressRow, 'parent' | 'position' | 'slug' | 'node' | 'title'>,
): AddressRow {
  const ordinal = positioning.knownCount;
  positioning.knownCount += 1;
  return {
    import: positioning.record.id,
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

const remainingRow = selection({ addresses: fromQuery(Boolean), revisions: fromQuery(Boolean) });

const stateRow = selection({
  kind: versions.kind,
  id: versions.id,
  since: versions.since,
  document: versions.document,
});

const readStates = prepareQuery(stateRow, (select, branch: Parameter<string>, limit: Parameter<number>) =>
  select.from(versions).where(eq(versions.branch, branch)).limit(limit),
);

/**
 * Deletes a part of the data that a finished import gathered. Failed and skipped addresses stay, so that they can be
 * listed.
 */
async function cleanUp({ db, env }: ImportContext, record: ImportRecord): Promise<ImportStep> {
  const { id } = record;
  if (record.source === 'zip') await env.FILES.delete(archiveKey(id));
  const states = await readRows(db, readStates(id, stepLimits.cleaned));
  const limit = sql.raw(String(stepLimits.cleaned));
  const [addresses, revisions] = [
    db.run(sql`DELETE FROM import_addresses WHERE import = ${id} AND address IN (
      SELECT address FROM import_addresses WHERE import = ${id} AND ${isDone} LIMIT ${limit})`),
    db.run(sql`DELETE FROM revisions WHERE branch = ${id} AND seq IN (
      SELECT seq FROM revisions WHERE branch = ${id} LIMIT ${limit})`),
  ];
  const findRemaining = remainingRow.query(sql`
    SELECT EXISTS (SELECT 1 FROM import_addresses WHERE import = ${id} AND ${isDone}) AS addresses,
      EXISTS (SELECT 1 FROM revisions WHERE branch = ${id}) AS revisions`);
  const { addresses: hasAddresses, revisions: hasRevisions } = (await readRow(db, findRemaining)) ?? {};
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
