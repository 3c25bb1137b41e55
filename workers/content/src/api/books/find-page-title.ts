import type { Connection } from '@octavo/db';
import { readRow } from '@octavo/db';
import type { RevisionId, SpaceId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { findNodes, lineageOfRevision } from '../../engine/store/lineage.ts';
import { pageFields, toNode } from '../../engine/store/nodes.ts';

interface Reading {
  space: SpaceId;
  revision: RevisionId;
  page: string;
}

/** The title of a page of a revision, or null. One round trip. */
export async function findPageTitle({ page, ...at }: Reading, { db }: Pick<Connection, 'db'>): Promise<string | null> {
  const row = await readRow(db, findNodes(lineageOfRevision(at), sql`SELECT 'page' AS kind, ${page} AS id`));
  const node = row && toNode(row);
  return node === undefined ? null : pageFields(node).title;
}
