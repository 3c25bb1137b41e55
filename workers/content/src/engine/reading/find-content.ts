import type { Database, RevisionPoint } from '@octavo/db';
import { runBatch, statement } from '@octavo/db';
import type { Visitor } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { allNodesIn, findAncestors } from '../store/lineage.ts';
import { nodesOf } from '../store/nodes.ts';
import { contentsOf, linksIn, metLinks, readIncluded } from './included-contents.ts';
import type { ReadText } from './page-text.ts';
import { readShownUse, ShownPages, scopeOfSpace, scopeOn, shownUse } from './visibility.ts';

interface ContentReading {
  db: Database;
  point: RevisionPoint;
  visitor?: Visitor | undefined;
}

const included = statement((lineage: SQL<string>, id: SQL<string>) => readIncluded(lineage, sql`SELECT ${id}`));

/** The pages that the content or what it includes links to, with all above them, where pages have conditions. */
const linked = statement((lineage: SQL<string>, id: SQL<string>) =>
  findAncestors(lineage, linksIn(metLinks(sql`SELECT ${id}`))),
);

/**
 * A reusable content with its text and all that this includes, in one round trip. For a visitor also what uses it:
 * whether anything of that is shown.
 */
export async function findContent(
  id: string,
  { db, point, visitor }: ContentReading,
): Promise<{ text: ReadText; shown: ShownPages | undefined }> {
  const lineage = JSON.stringify(point.lineage);
  const rows = await runBatch(db, {
    included: included(lineage, id),
    linked: visitor === undefined ? [] : linked(lineage, id),
    ...(visitor === undefined
      ? { some: [], users: [], variables: allNodesIn(lineage, 'variable') }
      : readShownUse(lineage, id)),
  });
  const contents = contentsOf(rows.included);
  const content = contents.get(id);
  if (content === undefined) throw notFound('reusable content');
  const scope = scopeOfSpace(nodesOf(rows.variables), visitor?.claims);
  const use = visitor && (await shownUse({ db, lineage, id, claims: visitor.claims }, rows));
  if (use?.uses(content.node) === false) throw notFound('reusable content');
  const shown = use && new ShownPages(scope, nodesOf(rows.linked), use.pages.hasConditions);
  const text = { node: content.node, markdown: content.markdown, scope: scopeOn(undefined, scope), contents };
  return { text, shown };
}
