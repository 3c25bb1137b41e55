import type { Database, RevisionPoint } from '@octavo/db';
import { documents, maybe, readRows, runBatch, selection, statement } from '@octavo/db';
import type { DocumentTree, Includable } from '@octavo/markdown';
import { evaluateTree, includesOf, maxIncludeDepth, parseTree, renderTree, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptLink } from '@octavo/merge';
import type { DocumentPage, Page, PageContentQuery } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import {
  allNodesIn,
  findAncestors,
  findLevels,
  lineageCte,
  nodeRow,
  pageIdAtPath,
  seen,
  stateAt,
} from '../nodes/find-nodes.ts';
import type { NodeRow } from '../nodes/stored-node.ts';
import { pageFields, toNode } from '../nodes/stored-node.ts';
import type { Above, Presentation } from './present-page.ts';
import { below, presentPage, presentTree, root } from './present-page.ts';

const contentRow = selection({ ...nodeRow.fields, markdown: maybe(documents.markdown) });

/** At most this many contents are included, and this much of text; others stay as they are written. */
const maxContents = 100;
const maxBytes = 2 * 1024 * 1024;
/** How often one content is met on the way down, at most. */
const maxMet = 300;

const byId = /^\/?reusable-contents\/([a-zA-Z0-9_-]{1,64})$/;

/** What an address leads to by which a node's text includes: what was kept when it was written, else the id it holds. */
export function includeTarget(node: Node, address: string): string | undefined {
  const target = withoutAnchor(address);
  return keptLink(node, target) ?? byId.exec(target)?.[1];
}

/** A content that something includes, and the node that it is of. */
export interface IncludedContent extends Includable {
  node: Node;
}

/** Reusable contents and all that they include in turn, by their ids, in one round trip. */
export async function includedContents(
  db: Database,
  lineage: SQL | string,
  ids: Iterable<string>,
): Promise<Map<string, IncludedContent>> {
  const wanted = [...new Set(ids)].slice(0, maxContents);
  if (wanted.length === 0) return new Map();
  const contents = contentRow.query(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, met(id, level) AS (
      SELECT value, 1 FROM json_each(${JSON.stringify(wanted)})
      UNION
      SELECT j.value, level + 1 FROM met CROSS JOIN lineage l
      CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`met.id`)}
      CROSS JOIN json_each(v.data, '$.links') j
      WHERE level < ${maxIncludeDepth} AND j.value GLOB 'rc_*' AND v.deleted = 0 AND ${seen}
      UNION
      SELECT substr(ltrim(d.target, '/'), 19), level + 1 FROM met CROSS JOIN lineage l
      CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`met.id`)}
      CROSS JOIN document_links d ON d.hash = v.document
      WHERE level < ${maxIncludeDepth} AND d.relation = 'dependsOn' AND ltrim(d.target, '/') GLOB 'reusable-contents/*'
        AND v.deleted = 0 AND ${seen}
      LIMIT ${maxMet}
    ), contents AS MATERIALIZED (
      SELECT v.*, n.level FROM (SELECT id, MIN(level) AS level FROM met GROUP BY id) n
      CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`n.id`)}
      WHERE v.deleted = 0 AND ${seen} ORDER BY n.level, v.id LIMIT ${maxContents}
    )
    SELECT c.*, d.markdown FROM (
      SELECT c.*, SUM(COALESCE(sized.bytes, 0)) OVER (ORDER BY c.level, c.id) AS total
      FROM contents c LEFT JOIN documents sized ON sized.hash = c.document) c
    LEFT JOIN documents d ON d.hash = c.document WHERE c.total <= ${maxBytes}`);
  return new Map(
    (await readRows(db, contents)).flatMap((row) => {
      const node = toNode(row);
      if (node === undefined) return [];
      const targetOf = (address: string) => includeTarget(node, address);
      return [[node.id, { node, markdown: row.markdown ?? '', targetOf }] as const];
    }),
  );
}

interface Reading {
  db: Database;
  point: RevisionPoint;
  query: PageContentQuery;
  to: Omit<Presentation, 'metadata'>;
}

/** A page by its id, at a revision: the page, its document, its ancestors and what is below it in one round trip. */
export const readPageById = (id: string, reading: Reading): Promise<Page> =>
  readPage(toldById, { key: id, length: 0 }, reading);

/** A page by its path, at a revision; same cost. */
export function readPageByPath(path: string, reading: Reading): Promise<Page> {
  const slugs = path.split('/').filter((slug) => slug !== '');
  if (slugs.length === 0 || slugs.length > 256) throw notFound('page');
  return readPage(toldByPath, { key: JSON.stringify(slugs), length: slugs.length }, reading);
}

/** Tells a page by a value and a number; gives its id. */
type IdOf = (lineage: SQL<string>, key: SQL<string>, length: SQL<number>) => SQL;

/** The statements that read a page which is told in one way. */
const statementsBy = (idOf: IdOf) => ({
  text: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    readDocument(lineage, idOf(lineage, key, length)),
  ),
  chain: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    findAncestors(lineage, sql`SELECT ${idOf(lineage, key, length)}`),
  ),
  descendants: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    findLevels(lineage, { start: sql`SELECT ${idOf(lineage, key, length)}` }),
  ),
  levels: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>, depth: SQL<number>) =>
    findLevels(lineage, { start: sql`SELECT ${idOf(lineage, key, length)}`, depth }),
  ),
});

const toldById = statementsBy((_, id) => id);
const toldByPath = statementsBy(pageIdAtPath);

async function readPage(
  find: ReturnType<typeof statementsBy>,
  { key, length }: { key: string; length: number },
  { db, point, query, to }: Reading,
): Promise<Page> {
  const lineage = JSON.stringify(point.lineage);
  const { depth: levels } = query;
  const { texts, chain, descendants, variables } = await runBatch(db, {
    texts: find.text(lineage, key, length),
    chain: find.chain(lineage, key, length),
    descendants:
      levels === undefined ? find.descendants(lineage, key, length) : find.levels(lineage, key, length, levels),
    variables: query.evaluated ? allNodesIn(lineage, 'variable') : [],
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

const readDocument = (lineage: SQL<string>, id: SQL) =>
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
