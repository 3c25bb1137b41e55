import type { RecordOf } from '@octavo/db';
import { documents, importAddresses, maybe, readRows, selection, versions } from '@octavo/db';
import { linksOf, rewriteTargets, slugify } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { aliasedTable, sql } from 'drizzle-orm';
import type { StoredText } from '../store/documents.ts';
import { findTexts, storeText, writeDocuments } from '../store/documents.ts';
import { nodeFields, toNode } from '../store/nodes.ts';
import { findAddresses, keyOf } from './address-book.ts';
import type { AddressRow, ImportContext, ImportRecord, ImportStep } from './import-record.ts';
import { hopelessAttempts, perStep } from './import-record.ts';

interface Linking {
  row: Pick<AddressRow, 'address' | 'ordinal' | 'parent' | 'position' | 'slug'>;
  node: Node;
  markdown: string | null;
}

/**
 * Puts the next pages of a website into their places, with links to each other where they linked to the site: some at
 * once, after an attempt that failed one alone, in the end that one with its links as they are.
 */
export async function link(context: ImportContext, record: ImportRecord, attempts: number): Promise<ImportStep> {
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
          : await storeText(
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
  state: maybe({ data: v.data, deleted: v.deleted, document: v.document }),
  bytes: maybe(d.bytes),
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
  if (id === null) throw new Error(`The address ${row.address} is done, but has no page.`);
  const page = { kind: 'page' as const, id, parent, position, slug };
  const node = kind === 'group' || state === null ? undefined : toNode({ ...page, ...state });
  if (node !== undefined) return { row, node, markdown };
  const fields = nodeFields({ type: 'group', title: title ?? '' });
  return { row, node: { ...page, fields, document: null, createdAt, updatedAt: createdAt }, markdown: null };
}

/** What the targets of these pages mean, where the import has what they name: a page or a file of its own. */
async function targetsOf({ db }: ImportContext, record: ImportRecord, pages: Linking[]): Promise<Map<string, string>> {
  const targets = new Set(
    pages.flatMap(({ markdown }) => (markdown === null ? [] : linksOf(markdown).map(({ target }) => target))),
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
