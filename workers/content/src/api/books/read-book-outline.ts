import { revisions, runBatch, selection } from '@octavo/db';
import type { ServiceContext } from '@octavo/runtime';
import type { BookReading, OutlineEntry, Page } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { presentPage, presentTree, root } from '../../engine/reading/page-presenter.ts';
import { findAllNodes, findDescendants, findNodes, lineageOfRevision } from '../../engine/store/lineage.ts';
import { nodesOf } from '../../engine/store/nodes.ts';

const knownRow = selection({ id: revisions.id });

/** The pages of a book in reading order, those that readers do not see in the tree too. One round trip. */
export async function readBookOutline(
  reading: BookReading,
  { db, urls }: Pick<ServiceContext<unknown>, 'db' | 'urls'>,
): Promise<OutlineEntry[] | null> {
  const { page, only } = reading;
  const lineage = lineageOfRevision(reading);
  const { known, pages, first, below } = await runBatch(db, {
    known: knownRow.query(
      sql`SELECT ${knownRow} FROM revisions WHERE id = ${reading.revision} AND space = ${reading.space}`,
    ),
    pages: page === undefined ? findAllNodes(lineage, 'page') : [],
    first: page === undefined ? [] : findNodes(lineage, sql`SELECT 'page' AS kind, ${page} AS id`),
    below: page === undefined || only ? [] : findDescendants(lineage, sql`SELECT ${page}`),
  });
  if (known.length === 0) return null;
  const to = { urls, base: '', metadata: false };
  if (page === undefined) return outlineOf(presentTree(nodesOf(pages), { parent: '', above: root }, to), 0);
  const [node] = nodesOf(first);
  if (node === undefined) return null;
  const children = presentTree(nodesOf(below), { parent: node.id, above: root }, to);
  return outlineOf([presentPage(node, root, { children, to })], 0);
}

const outlineOf = (pages: Page[], depth: number): OutlineEntry[] =>
  pages.flatMap((page) => [
    { id: page.id, title: page.title, type: page.type, depth },
    ...('pages' in page ? outlineOf(page.pages, depth + 1) : []),
  ]);
