import type { Database, RevisionPoint, Row } from '@octavo/db';
import type { ContentQuery, Page } from '@octavo/schema';
import { findAllNodes } from '../nodes/find-nodes.ts';
import { toNode } from '../nodes/stored-node.ts';
import { presentTree } from './page-tree.ts';
import type { Presentation } from './present-page.ts';
import { root } from './present-page.ts';

interface Reading {
  db: Database;
  point: RevisionPoint;
  query: ContentQuery;
  to: Omit<Presentation, 'metadata'>;
}

/** The whole page tree at a revision, in one round trip. */
export async function readTree({ db, point, query, to }: Reading): Promise<{ pages: Page[] }> {
  const rows: Row[] = await findAllNodes(db, JSON.stringify(point.lineage), 'page');
  const nodes = rows.flatMap((row) => toNode(row) ?? []);
  return { pages: presentTree(nodes, { parent: '', above: root }, { ...to, metadata: query.metadata }) };
}
