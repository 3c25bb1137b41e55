import type { Database, RevisionPoint } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { Visitor } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { allNodesIn } from '../nodes/find-nodes.ts';
import { nodesOf } from '../nodes/stored-node.ts';
import { contentsOf, readIncluded } from './included-contents.ts';
import type { ReadText } from './page-text.ts';
import { readShown, ShownContent } from './shown-content.ts';
import type { ShownPages } from './shown-pages.ts';
import { scopeOfSpace, scopeOn } from './shown-pages.ts';

interface ContentReading {
  db: Database;
  point: RevisionPoint;
  visitor: Visitor | undefined;
}

/**
 * A reusable content with its text and all that this includes, in one round trip. For a visitor as much is read as for
 * the whole tree: whether anything that is shown includes it.
 */
export async function findContent(
  id: string,
  { db, point, visitor }: ContentReading,
): Promise<{ text: ReadText; shown: ShownPages | undefined }> {
  const lineage = JSON.stringify(point.lineage);
  const { included, variables, ...rows } = await runBatch(db, {
    included: readIncluded(lineage, sql`SELECT ${id}`),
    ...(visitor === undefined
      ? { pages: [], contents: [], variables: allNodesIn(lineage, 'variable') }
      : readShown(lineage)),
  });
  const contents = contentsOf(included);
  const content = contents.get(id);
  const shown = visitor && new ShownContent(visitor.claims, { ...rows, variables });
  if (content === undefined || shown?.uses(content.node) === false) throw notFound('reusable content');
  const scope = scopeOn(undefined, scopeOfSpace(nodesOf(variables), visitor?.claims));
  const text = { node: content.node, markdown: content.markdown, scope, contents };
  return { text, shown: shown?.pages };
}
