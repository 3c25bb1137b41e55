import { importAddresses, jsonChunks, orderKeyAtEnd } from '@octavo/db';
import { cleanTitle, slugAllocator, slugify } from '@octavo/markdown';
import { newId } from '@octavo/schema';
import type { AddressNode } from '@octavo/website';
import { treeOfAddresses } from '@octavo/website';
import { sql } from 'drizzle-orm';
import { writeAddresses } from './address-book.ts';
import type { AddressRow, ImportContext, ImportRecord, ImportStep } from './import-record.ts';
import { ImportFailure } from './import-record.ts';

type PlacedAddress = Pick<AddressRow, 'address' | 'parent' | 'position' | 'slug'>;

/** Decides where each page of a website stands: its rows get their places, and headings become rows of their own. */
export async function place({ db }: ImportContext, record: ImportRecord): Promise<ImportStep> {
  const { address, node, title, ordinal } = importAddresses;
  const rows = await db
    .select({ address, node, title, ordinal })
    .from(importAddresses)
    .where(sql`import = ${record.id} AND status = 'done' AND rank = 1`)
    .orderBy(ordinal);
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
      ...jsonChunks(placing.places).map((json) =>
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
