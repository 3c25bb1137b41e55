import type { Database, RevisionPoint, Row } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { Page, PagesQuery } from '@octavo/schema';
import { toNode } from '../../engine/nodes/stored-node.ts';
import { presentTree, readPages } from '../../engine/reading/page-tree.ts';
import { root } from '../../engine/reading/present-page.ts';

interface Reading {
  db: Database;
  point: RevisionPoint;
  space: string;
  query: PagesQuery;
  urls: Urls;
}

/** The page tree at a revision, whole or down to a depth, in one round trip. */
export async function readTree({ db, point, space, query, urls }: Reading): Promise<{ pages: Page[] }> {
  const { depth, metadata } = query;
  const rows: Row[] = await readPages(db, point, { space, depth });
  const nodes = rows.flatMap((row) => toNode(row) ?? []);
  return {
    pages: presentTree(nodes, { parent: '', above: root, depth }, { urls, base: `/spaces/${space}`, metadata }),
  };
}
