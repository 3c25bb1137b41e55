import type { Database, Query } from '@octavo/db';
import { documents, given, maybe, openapiSpecs, runBatch, selection } from '@octavo/db';
import type { Node, Undecided } from '@octavo/merge';
import { nodeKey } from '@octavo/merge';
import type { ContentChange, RevisionId, SpaceId } from '@octavo/schema';
import { decidedNode, specOf } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import {
  findAncestors,
  findChildren,
  findDescendants,
  findHeights,
  findNodes,
  findSlugs,
  lineageCte,
  nodeRow,
  pageColumnAt,
  selectIds,
  selectKeys,
  stateAt,
} from '../store/lineage.ts';
import type { NodeRow } from '../store/nodes.ts';
import { nodesOf, toNode, undecidedOf } from '../store/nodes.ts';
import type { LoadedContent } from './tree.ts';

/**
 * The statements that read what a batch of changes needs, by what each reads: together one round trip. What the changes
 * ask nothing of is not read.
 */
function contentReads(source: ContentSource, wanted: WantedContent) {
  const { lineage } = source;
  const keys = [
    ...[...wanted.pages, ...wanted.parents].map((id) => ({ kind: 'page', id })),
    ...wanted.files.map((id) => ({ kind: 'file', id })),
    ...wanted.reusableContents.map((id) => ({ kind: 'reusable-content', id })),
    ...wanted.variables.map((id) => ({ kind: 'variable', id })),
    ...wanted.decided,
  ];
  const { reverts, moved, parents, deleted, rewritten, ordered, specs } = wanted;
  const isShifting = isAny(moved, reverts);
  return {
    nodes: isAny(keys) ? [findNodes(lineage, selectKeys(keys))] : [],
    ancestors: isShifting || isAny(parents) ? [findAncestors(lineage, placesAbove(source, wanted))] : [],
    descendants: isAny(deleted, reverts) ? [findDescendants(lineage, goingPages(source, wanted))] : [],
    slugs: isShifting || isAny(wanted.slugs, wanted.renamed) ? [findSlugs(lineage, slugPlaces(source, wanted))] : [],
    siblings: isAny(ordered.parents, ordered.pages) ? [findChildren(lineage, orderedParents(source, wanted))] : [],
    reverts: isAny(reverts) ? [readReverts(source, wanted)] : [],
    heights: isShifting
      ? [findHeights(lineage, { start: shiftedPages(source, wanted), gone: gonePages(source, wanted) })]
      : [],
    texts: isAny(rewritten) ? [findTextStarts(lineage, rewritten)] : [],
    specs: isAny(specs) ? [findSpecs(source, specs)] : [],
  };
}

/** Reads what a batch of changes needs in one round trip, with `first` in front. Gives also the rows of `first`. */
export async function loadContent<State>(
  db: Database,
  source: ContentSource,
  wanted: WantedContent,
  first: Query<State>,
) {
  const { state, ...rows } = await runBatch(db, { state: first, ...contentReads(source, wanted) });
  const { nodes, ancestors, descendants, slugs, siblings, reverts, heights, texts, specs } = rows;
  const content: LoadedContent = {
    nodes: nodesOf([...ancestors, ...nodes]),
    gone: new Map(nodes.flatMap((row): [string, Undecided][] => undecidedOfGone(row))),
    decisions: new Map(),
    descendants: nodesOf(descendants),
    slugs,
    siblings: groupByParent(nodesOf(siblings)),
    reverts: new Map(reverts.map(({ change, state: node }) => [change, node === null ? undefined : toNode(node)])),
    heights: new Map(heights.map(({ id, height }) => [id, height])),
    texts: new Map(texts.map(({ hash, markdown }) => [hash, markdown])),
    specs: new Set(specs.map(({ slug }) => slug)),
  };
  return { state: state[0], content };
}

const { since: _, ...stateFields } = nodeRow.fields;
const revertRow = selection({ change: given(Number), state: maybe(stateFields) });
const d = aliasedTable(documents, 'd');
const textRow = selection({ hash: d.hash, markdown: given(d.markdown) });

/** As much of a text is read, in characters, as its frontmatter and its first heading stand in. */
const maxStart = 128 * 1024;

/** The beginnings of the texts that pages have, by their hashes. */
const findTextStarts = (lineage: SQL, pages: string[]) =>
  textRow.query(sql`
    WITH ${lineageCte(lineage)}, wanted(id) AS MATERIALIZED (${selectIds(pages)}),
    states AS MATERIALIZED (
      SELECT v.document, MIN(l.depth) FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v
        ON ${stateAt(sql`'page'`, sql`w.id`)}
      GROUP BY v.id)
    SELECT ${textRow.with({ markdown: sql`substr(d.markdown, 1, ${maxStart})` })} FROM states s CROSS JOIN documents d ON d.hash = s.document`);

const specRow = selection({ slug: aliasedTable(openapiSpecs, 's').slug });

/** The specifications of the space's organization, of those that are named. */
const findSpecs = ({ space }: ContentSource, slugs: string[]) =>
  specRow.query(sql`
    SELECT ${specRow} FROM json_each(${JSON.stringify(slugs)}) CROSS JOIN openapi_specs s
      ON s.organization = (SELECT organization FROM spaces WHERE id = ${space}) AND s.slug = value`);

function undecidedOfGone(row: NodeRow): [string, Undecided][] {
  const undecided = row.deleted ? undecidedOf(row) : undefined;
  return undecided === undefined ? [] : [[nodeKey(row), undecided]];
}

function groupByParent(nodes: Node[]): Map<string, Node[]> {
  const groups = new Map<string, Node[]>();
  for (const node of nodes) {
    const siblings = groups.get(node.parent);
    if (siblings === undefined) groups.set(node.parent, [node]);
    else siblings.push(node);
  }
  return groups;
}

const readReverts = (source: ContentSource, wanted: WantedContent) =>
  revertRow.query(sql`SELECT ${revertRow.with({ change: sql`v.change` })} FROM (${revertedStates(source, wanted)}) v`);

/** What the changes of a batch will need, by ids and by references, which name nothing that is stored. */
interface WantedContent {
  pages: string[];
  /** Pages that get another text: what the one before said of them counts. */
  rewritten: string[];
  parents: string[];
  /** Pages that are deleted by name. */
  deleted: string[];
  /** Where slugs must be free: all parents and slugs that the batch names for each page. */
  slugs: { parent: string; slug: string }[];
  /** Slugs that pages take where they are, or where a revert puts them. */
  renamed: { page: string; slug: string }[];
  /** Parents that pages go to with the slug that they have, or that a revert gives them. */
  moved: { page: string; parent: string }[];
  /** Whose children must all be known: parents, and pages for the parents that they have or that a revert gives them. */
  ordered: { parents: string[]; pages: string[] };
  /** What decisions are about. */
  decided: { kind: string; id: string }[];
  files: string[];
  reusableContents: string[];
  variables: string[];
  /** The slugs of OpenAPI specifications. */
  specs: string[];
  reverts: { index: number; page: string; revision: RevisionId | null }[];
}

/** What one batch says of one page. */
interface Placed {
  page: string;
  isNew: boolean;
  slugs: string[];
  parents: string[];
  ordered: boolean;
}

/** What the changes will need, gathered before anything is read. `slugs[i]` are those that change `i` may give. */
export function wantedOf(changes: ContentChange[], slugs: string[][]): WantedContent {
  const placed = [...placesOf(changes, slugs).values()];
  const product = placed.flatMap(({ parents, slugs: own }) =>
    parents.flatMap((parent) => own.map((slug) => ({ parent, slug }))),
  );
  const present = placed.filter(({ isNew }) => !isNew);
  const ordered = placed.filter((each) => each.ordered);
  const named = changes.flatMap((change) => ('page' in change ? (change.page ?? []) : []));
  return {
    pages: named,
    rewritten: changes.flatMap((change) =>
      ('document' in change && 'page' in change) || (change.operation === 'revert_page' && change.block)
        ? [change.page]
        : [],
    ),
    parents: changes.flatMap((change) => ('into' in change ? (change.into ?? []) : [])),
    deleted: changes.flatMap((change) => (change.operation === 'delete_page' ? [change.page] : [])),
    slugs: product,
    renamed: present.flatMap(({ page, slugs: own }) => own.map((slug) => ({ page, slug }))),
    moved: present.flatMap(({ page, parents }) => parents.map((parent) => ({ page, parent }))),
    ordered: { parents: ordered.flatMap(({ parents }) => parents), pages: ordered.map(({ page }) => page) },
    decided: changes.flatMap((change) => (change.operation === 'resolve' ? [decidedNode(change)] : [])),
    files: changes.flatMap((change) => ('file' in change ? [change.file] : [])),
    reusableContents: changes.flatMap((change) => ('reusableContent' in change ? [change.reusableContent] : [])),
    variables: changes.flatMap((change) => (change.operation === 'set_variables' ? Object.keys(change.variables) : [])),
    specs: changes.flatMap((change) => (change.operation === 'insert_computed' ? (specOf(change.computed) ?? []) : [])),
    reverts: changes.flatMap((change, index) =>
      change.operation === 'revert_page' ? [{ index, page: change.page, revision: change.revision ?? null }] : [],
    ),
  };
}

/** All places that a batch gives to each page, whatever the order: a page may be moved, renamed and placed one by one. */
function placesOf(changes: ContentChange[], slugs: string[][]): Map<string, Placed> {
  const places = new Map<string, Placed>();
  for (const [index, change] of changes.entries()) {
    const isNew = change.operation.startsWith('insert_');
    const name = 'page' in change ? change.page : 'ref' in change ? change.ref : undefined;
    const page = name ?? `change ${index}`;
    const place = places.get(page) ?? { page, isNew, slugs: [], parents: [], ordered: false };
    const into = 'into' in change ? change.into : undefined;
    place.slugs.push(...(slugs[index] ?? []));
    if (isNew || into !== undefined) place.parents.push(into ?? '');
    if ('at' in change && change.at !== undefined) place.ordered = true;
    places.set(page, place);
  }
  return places;
}

export interface ContentSource {
  space: SpaceId;
  /** An expression: the lineage that the changes start from. */
  lineage: SQL;
  /** An expression: the lineage that a revert without a revision goes back to; null on main. */
  baseLineage: SQL;
}

/** Whether a batch wants anything of these. */
const isAny = (...lists: unknown[][]): boolean => lists.some(({ length }) => length > 0);

/** The pages that some change puts below another parent than they have. */
function shiftedPages(source: ContentSource, wanted: WantedContent): SQL {
  const presently = (id: SQL) => pageColumnAt(source.lineage, 'parent', id);
  return union(
    sql`SELECT value->>'page' AS id FROM json_each(${JSON.stringify(wanted.moved)})
      WHERE ${presently(sql`value->>'page'`)} IS NOT value->>'parent'`,
    fromReverts(
      source,
      wanted,
      (reverted) => sql`SELECT id FROM (${reverted}) r WHERE deleted = 0 AND ${presently(sql`r.id`)} IS NOT r.parent`,
    ),
  );
}

/** The pages that are deleted, by name or because a revert goes back to where they were not. */
const gonePages = (source: ContentSource, wanted: WantedContent): SQL =>
  union(
    selectIds(wanted.deleted),
    fromReverts(source, wanted, (reverted) => sql`SELECT page FROM (${reverted}) WHERE id IS NULL OR deleted = 1`),
  );

/** What is moved below a page goes with it when that is deleted. */
function goingPages(source: ContentSource, wanted: WantedContent): SQL {
  const gone = gonePages(source, wanted);
  return union(gone, [sql`SELECT id FROM (${shiftedPages(source, wanted)}) WHERE EXISTS (${gone})`]);
}

const placesAbove = (source: ContentSource, wanted: WantedContent): SQL =>
  union(selectIds(wanted.parents), [
    ...fromReverts(source, wanted, (reverted) => sql`SELECT parent FROM (${reverted})`),
    sql`SELECT id FROM (${shiftedPages(source, wanted)})`,
  ]);

function slugPlaces(source: ContentSource, wanted: WantedContent): SQL {
  const { slugs, renamed, moved } = wanted;
  const presently = (column: 'parent' | 'slug') => pageColumnAt(source.lineage, column, sql`value->>'page'`);
  const afterRevert = JSON.stringify([{}, ...renamed, ...moved]);
  // D1 takes at most five SELECTs in one UNION.
  return union(sql`SELECT value->>'parent', value->>'slug' FROM json_each(${JSON.stringify(slugs)})`, [
    ...fromRows(renamed, (rows) => sql`SELECT ${presently('parent')}, value->>'slug' FROM json_each(${rows})`),
    ...fromRows(moved, (rows) => sql`SELECT value->>'parent', ${presently('slug')} FROM json_each(${rows})`),
    ...fromReverts(
      source,
      wanted,
      (reverted) => sql`SELECT COALESCE(j.value->>'parent', r.parent), COALESCE(j.value->>'slug', r.slug)
      FROM (${reverted}) r JOIN json_each(${afterRevert}) j ON COALESCE(j.value->>'page', r.id) = r.id`,
    ),
  ]);
}

function orderedParents(source: ContentSource, wanted: WantedContent): SQL {
  const pages = JSON.stringify(wanted.ordered.pages);
  return union(selectIds(wanted.ordered.parents), [
    sql`SELECT ${pageColumnAt(source.lineage, 'parent', sql`value`)} FROM json_each(${pages})`,
    ...fromReverts(
      source,
      wanted,
      (reverted) => sql`SELECT parent FROM (${reverted}) WHERE id IN (SELECT value FROM json_each(${pages}))`,
    ),
  ]);
}

const union = (first: SQL, others: SQL[]): SQL => sql.join([first, ...others], sql` UNION `);

/** A SELECT from what the batch has of a kind, where it has any. */
const fromRows = (rows: unknown[], select: (json: string) => SQL): SQL[] =>
  isAny(rows) ? [select(JSON.stringify(rows))] : [];

/** A SELECT from the states that reverts go back to, where there are reverts: most batches have none. */
const fromReverts = (source: ContentSource, wanted: WantedContent, select: (reverted: SQL) => SQL): SQL[] =>
  isAny(wanted.reverts) ? [select(revertedStates(source, wanted))] : [];

/**
 * For each revert the state to go back to: of the named revision of this space, else of the change request's base.
 * A page that was not there has a row without an id; a revision that is none of this space has no row.
 */
const revertedStates = (source: ContentSource, wanted: WantedContent): SQL => sql`
  WITH asked AS MATERIALIZED (
    SELECT value->>'index' AS change, value->>'page' AS page, CASE WHEN value->>'revision' IS NULL THEN ${source.baseLineage}
      ELSE (SELECT lineage FROM revisions WHERE id = value->>'revision' AND space = ${source.space}) END AS lineage
    FROM json_each(${JSON.stringify(wanted.reverts)})),
  states AS MATERIALIZED (
    SELECT a.change, v.kind, v.id, v.parent, v.position, v.slug, v.deleted, v.data, v.document, MIN(l.key) AS depth
    FROM asked a CROSS JOIN json_each(a.lineage) l CROSS JOIN versions v
      ON v.branch = l.value->>0 AND v.kind = 'page' AND v.id = a.page AND v.since = (SELECT MAX(x.since) FROM versions x
        WHERE x.branch = l.value->>0 AND x.kind = 'page' AND x.id = a.page AND x.since <= l.value->>1)
    GROUP BY a.change)
  SELECT asked.change, asked.page, s.kind, s.id, s.parent, s.position, s.slug, s.deleted, s.data, s.document
  FROM asked LEFT JOIN states s ON s.change = asked.change WHERE asked.lineage IS NOT NULL`;
