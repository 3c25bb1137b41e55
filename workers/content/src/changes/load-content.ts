import type { Database, Row } from '@octavo/db';
import { optionalText, runBatch, text } from '@octavo/db';
import type { Node } from '@octavo/document';
import type { ContentChange } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import {
  findAncestors,
  findChildren,
  findDescendants,
  findNodes,
  findSlugs,
  selectIds,
  selectKeys,
} from '../nodes/find-nodes.ts';
import { lineageCte, stateAt } from '../nodes/lineage-sql.ts';
import { toNode } from '../nodes/stored-node.ts';
import type { LoadedContent } from './tree.ts';

/** A change as it is applied: its documents are hashed and its slug is known. */
export interface Wanted {
  pages: string[];
  /** Pages whose present parent matters, for their slug or their place changes. */
  renamed: { page: string; slug: string }[];
  inserted: { parent: string; slug: string }[];
  parents: string[];
  deleted: string[];
  ordered: { page: string | null; parent: string | null }[];
  reusableContents: string[];
  variables: string[];
  reverts: { index: number; page: string; revision: string | null }[];
}

/** What the changes will need, gathered before anything is read. `slugs[i]` is the slug that change `i` asks for. */
export function wantedOf(changes: ContentChange[], slugs: (string | undefined)[]): Wanted {
  const wanted: Wanted = {
    pages: [],
    renamed: [],
    inserted: [],
    parents: [],
    deleted: [],
    ordered: [],
    reusableContents: [],
    variables: [],
    reverts: [],
  };
  for (const [index, change] of changes.entries()) addWanted(wanted, change, { index, slug: slugs[index] });
  return wanted;
}

function addWanted(
  wanted: Wanted,
  change: ContentChange,
  { index, slug }: { index: number; slug: string | undefined },
): void {
  const into = 'into' in change ? change.into : undefined;
  if (into != null) wanted.parents.push(into);
  if ('page' in change) wanted.pages.push(change.page);
  if ('at' in change && change.at !== undefined) {
    const page = change.operation === 'update_page' && into === undefined ? change.page : null;
    wanted.ordered.push({ page, parent: page === null ? (into ?? '') : null });
  }
  if (change.operation === 'update_page') {
    if (into === undefined && slug !== undefined) wanted.renamed.push({ page: change.page, slug });
    if (into !== undefined) wanted.renamed.push({ page: change.page, slug: slug ?? '' });
    if (into !== undefined && slug !== undefined) wanted.inserted.push({ parent: into ?? '', slug });
  } else if (slug !== undefined) wanted.inserted.push({ parent: into ?? '', slug });
  if (change.operation === 'delete_page' || change.operation === 'revert_page') wanted.deleted.push(change.page);
  if (change.operation === 'revert_page')
    wanted.reverts.push({ index, page: change.page, revision: change.revision ?? null });
  if ('reusableContent' in change) wanted.reusableContents.push(change.reusableContent);
  if (change.operation === 'set_variables') wanted.variables.push(...Object.keys(change.variables));
}

export interface Source {
  space: string;
  /** An expression: the lineage that the changes start from. */
  lineage: SQL;
  /** An expression: the lineage that a revert without a revision goes back to; null on main. */
  baseLineage: SQL;
}

/** The statements that read what a batch of changes needs, and the reader of their results: together one round trip. */
export function contentReads(db: Database, source: Source, wanted: Wanted) {
  const { lineage } = source;
  const keys = [
    ...[...wanted.pages, ...wanted.parents].map((id) => ({ kind: 'page', id })),
    ...wanted.reusableContents.map((id) => ({ kind: 'reusable-content', id })),
    ...wanted.variables.map((id) => ({ kind: 'variable', id })),
  ];
  const reads = {
    nodes: findNodes(db, lineage, selectKeys(keys)),
    ancestors: findAncestors(db, lineage, selectIds(wanted.parents)),
    descendants: findDescendants(db, lineage, selectIds(wanted.deleted)),
    slugs: findSlugs(db, lineage, slugPlaces(source, wanted)),
    siblings: findChildren(db, lineage, orderedParents(lineage, wanted)),
    reverts: revertedNodes(db, source, wanted),
  };
  return Object.values(reads);
}

/** Reads what a batch of changes needs in one round trip, with `first` in front. Gives also the rows of `first`. */
export async function loadContent(db: Database, source: Source, wanted: Wanted, first: ReturnType<typeof findNodes>) {
  const results = (await runBatch(db, [first, ...contentReads(db, source, wanted)])) as Row[][];
  const [state = [], nodes = [], ancestors = [], descendants = [], slugs = [], siblings = [], reverts = []] = results;
  const content: LoadedContent = {
    nodes: live([...ancestors, ...nodes]),
    descendants: live(descendants),
    slugs: slugs.map((row) => ({ id: text(row, 'id'), parent: text(row, 'parent'), slug: text(row, 'slug') })),
    siblings: groupByParent(live(siblings)),
    reverts: new Map(
      reverts.map((row) => [Number(row.change), optionalText(row, 'id') === null ? undefined : toNode(row)]),
    ),
  };
  return { state: state[0], content };
}

const live = (rows: Row[]): Node[] => rows.flatMap((row) => toNode(row) ?? []);

function groupByParent(nodes: Node[]): Map<string, Node[]> {
  const groups = new Map<string, Node[]>();
  for (const node of nodes) groups.set(node.parent, [...(groups.get(node.parent) ?? []), node]);
  return groups;
}

/** An expression: a column of the state that a page has now; `id` is an expression. */
const presently = (lineage: SQL, column: 'parent' | 'slug', id: SQL): SQL => sql`(WITH ${lineageCte(lineage)}
  SELECT v.${sql.raw(column)} FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;

/** Where slugs must be free: under the parent of a renamed page, under the parent named by an insertion or a move. */
function slugPlaces(source: Source, wanted: Wanted): SQL {
  const { lineage } = source;
  const inserted = JSON.stringify(wanted.inserted);
  const renamed = JSON.stringify(wanted.renamed.filter(({ slug }) => slug !== ''));
  const moved = JSON.stringify(
    wanted.renamed
      .flatMap(({ page }) => [...new Set(['', ...wanted.parents])].map((parent) => ({ page, parent })))
      .slice(0, 5000),
  );
  const anyMove = wanted.renamed.some(({ slug }) => slug === '');
  return sql`SELECT value->>'parent', value->>'slug' FROM json_each(${inserted})
    UNION SELECT ${presently(lineage, 'parent', sql`value->>'page'`)}, value->>'slug' FROM json_each(${renamed})
    UNION SELECT value->>'parent', ${presently(lineage, 'slug', sql`value->>'page'`)} FROM json_each(${anyMove ? moved : '[]'})
    UNION SELECT parent, slug FROM (${revertedStates(source, wanted)})`;
}

const orderedParents = (lineage: SQL, wanted: Wanted): SQL =>
  sql`SELECT DISTINCT COALESCE(value->>'parent', ${presently(lineage, 'parent', sql`value->>'page'`)})
    FROM json_each(${JSON.stringify(wanted.ordered)})`;

/** For each revert the state to go back to: of the named revision of this space, else of the change request's base. */
const revertedStates = (source: Source, wanted: Wanted): SQL => sql`
  SELECT asked.change, asked.lineage, v.kind, v.id, v.parent, v.position, v.slug, v.deleted, v.data, v.document, MIN(l.key) AS depth
  FROM (SELECT value->>'index' AS change, value->>'page' AS page, CASE WHEN value->>'revision' IS NULL THEN ${source.baseLineage}
      ELSE (SELECT lineage FROM revisions WHERE id = value->>'revision' AND space = ${source.space}) END AS lineage
    FROM json_each(${JSON.stringify(wanted.reverts)})) asked
  LEFT JOIN json_each(asked.lineage) l
  LEFT JOIN versions v ON v.branch = l.value->>0 AND v.kind = 'page' AND v.id = asked.page AND v.since <= l.value->>1 AND v.until > l.value->>1
  WHERE asked.lineage IS NOT NULL AND (v.id IS NOT NULL OR l.key = 0)
  GROUP BY asked.change`;

const revertedNodes = (db: Database, source: Source, wanted: Wanted) => db.all<Row>(revertedStates(source, wanted));
