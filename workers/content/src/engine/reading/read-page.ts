import type { Database, RevisionPoint } from '@octavo/db';
import { documents, runBatch, selection } from '@octavo/db';
import type { DocumentTree } from '@octavo/markdown';
import { evaluateTree, includesOf, parseTree, renderTree } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { DocumentPage, Page, PageContentQuery } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { findAllNodes, findAncestors, findLevels, pageIdAtPath } from '../nodes/find-nodes.ts';
import { lineageCte, stateAt } from '../nodes/lineage-sql.ts';
import type { NodeRow } from '../nodes/stored-node.ts';
import { pageFields, toNode } from '../nodes/stored-node.ts';
import { includedContents, includeTarget } from './included-contents.ts';
import { presentTree } from './page-tree.ts';
import type { Above, Presentation } from './present-page.ts';
import { below, presentPage, root } from './present-page.ts';

interface Reading {
  db: Database;
  point: RevisionPoint;
  query: PageContentQuery;
  to: Omit<Presentation, 'metadata'>;
}

/** A page by its id, at a revision: the page, its document, its ancestors and what is below it in one round trip. */
export const readPageById = (id: string, reading: Reading): Promise<Page> => readPage(sql`${id}`, reading);

/** A page by its path, at a revision; same cost. */
export function readPageByPath(path: string, reading: Reading): Promise<Page> {
  const slugs = path.split('/').filter((slug) => slug !== '');
  if (slugs.length === 0 || slugs.length > 256) throw notFound('page');
  return readPage(pageIdAtPath(JSON.stringify(reading.point.lineage), slugs), reading);
}

async function readPage(id: SQL, { db, point, query, to }: Reading): Promise<Page> {
  const lineage = JSON.stringify(point.lineage);
  const { texts, chain, descendants, variables } = await runBatch(db, {
    texts: readDocument(lineage, id),
    chain: findAncestors(lineage, sql`SELECT ${id}`),
    descendants: findLevels(lineage, { start: sql`SELECT ${id}`, depth: query.depth }),
    variables: query.evaluated ? findAllNodes(lineage, 'variable') : [],
  });
  const [page, ...ancestors] = chain.sort((one, other) => one.level - other.level).map(requireNode);
  if (page === undefined) throw notFound('page');
  const above = ancestors.reduceRight<Above>((outer, node) => below(outer, pageFields(node), node.slug), root);
  const presentation = { ...to, metadata: query.metadata };
  const depth = query.depth === undefined ? undefined : query.depth - 1;
  const inside = { parent: page.id, above: below(above, pageFields(page), page.slug), depth };
  const children = presentTree(descendants.map(requireNode), inside, presentation);
  const presented = presentPage(page, above, { children, to: presentation });
  if (presented.type !== 'document') return presented;
  const markdown = texts[0]?.markdown ?? '';
  const whole = { ...presented, ...(query.metadata && page.links !== undefined ? { links: page.links } : {}) };
  if (!query.evaluated) return { ...whole, ...bodyOf(markdown, query.format) } satisfies DocumentPage;
  const reading = { db, lineage, page, variables: variables.map(requireNode), format: query.format };
  return { ...whole, ...(await readEvaluated(markdown, reading)) } satisfies DocumentPage;
}

function requireNode(row: NodeRow): Node {
  const node = toNode(row);
  if (node === undefined) throw new Error('A query for live pages gave a tombstone.');
  return node;
}

const d = aliasedTable(documents, 'd');
const textRow = selection({ markdown: d.markdown });

const readDocument = (lineage: string, id: SQL) =>
  textRow.query(sql`
    WITH ${lineageCte(lineage)}, wanted(id) AS MATERIALIZED (SELECT ${id})
    SELECT ${textRow} FROM (
      SELECT v.document FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)}
      ORDER BY l.depth LIMIT 1) p
    CROSS JOIN documents d ON d.hash = p.document`);

type Format = PageContentQuery['format'];

/** A text in the format that is asked for. */
const bodyOf = (markdown: string, format: Format): { markdown: string } | { document: DocumentTree } =>
  format === 'document' ? { document: parseTree(markdown) } : { markdown };

interface Evaluating {
  db: Database;
  lineage: string;
  page: Node;
  variables: Node[];
  format: Format;
}

/** The text of a page with its expressions, conditions and includes evaluated; one round trip more where it includes something. */
async function readEvaluated(markdown: string, { db, lineage, page, variables, format }: Evaluating) {
  const tree = parseTree(markdown);
  const targetOf = (address: string) => includeTarget(page, address);
  const contents = await includedContents(
    db,
    lineage,
    includesOf(tree).flatMap((address) => targetOf(address) ?? []),
  );
  const vars = Object.fromEntries(variables.map((node) => [node.id, node.fields.value ?? null]));
  const scope = { space: { vars }, page: { vars: pageFields(page).variables ?? {} }, visitor: { claims: {} } };
  const evaluated = evaluateTree(tree, { scope, targetOf, contents });
  return format === 'document' ? { document: evaluated } : { markdown: renderTree(evaluated) };
}
