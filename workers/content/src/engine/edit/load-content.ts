import type { RowsOf } from '@octavo/db';
import { documents, fromQuery, nullable, openapiSpecs, selection } from '@octavo/db';
import type { Node, Undecided } from '@octavo/merge';
import { getNodeKey } from '@octavo/merge';
import type { ContentChange, RevisionId, SpaceId } from '@octavo/schema';
import { getDecidedNode, getSpecificationSlug } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import {
  createLineageCte,
  nodeRow,
  queryAncestors,
  queryChildren,
  queryDescendants,
  queryFormerFiles,
  queryHeights,
  queryNodes,
  querySlugs,
  selectIds,
  selectKeys,
  selectPageColumn,
  selectState,
} from '../store/lineage.ts';
import type { NodeRow } from '../store/nodes.ts';
import { getUndecided, toNode, toNodes } from '../store/nodes.ts';
import type { LoadedContent } from './tree.ts';

/**
 * Creates the statements that read what a batch of changes needs, for one round trip. Lists that the changes leave
 * empty are not queried.
 */
export function createContentReads(source: ContentSource, required: RequiredContent) {
  const { lineage } = source;
  const keys = [
    ...[...required.pages, ...required.parents].map((id) => ({ kind: 'page', id })),
    ...required.files.map((id) => ({ kind: 'file', id })),
    ...required.reusableContents.map((id) => ({ kind: 'reusable-content', id })),
    ...required.variables.map((id) => ({ kind: 'variable', id })),
    ...required.decided,
  ];
  const { reverts, moved, parents, deleted, rewritten, ordered, specs } = required;
  const pageReverts = getPageReverts(required);
  const isShifting = hasAny(moved, pageReverts);
  return {
    nodes: hasAny(keys) ? [queryNodes(lineage, selectKeys(keys))] : [],
    ancestors: isShifting || hasAny(parents) ? [queryAncestors(lineage, selectAncestorStarts(source, required))] : [],
    descendants: hasAny(deleted, pageReverts) ? [queryDescendants(lineage, selectDeletionRoots(source, required))] : [],
    slugs:
      isShifting || hasAny(required.slugs, required.renamed)
        ? [querySlugs(lineage, selectSlugPositions(source, required))]
        : [],
    siblings: hasAny(ordered.parents, ordered.pages)
      ? [queryChildren(lineage, selectOrderedParents(source, required))]
      : [],
    reverts: hasAny(reverts) ? [readReverts(source, reverts)] : [],
    heights: isShifting
      ? [
          queryHeights(lineage, {
            start: selectMovedPages(source, required),
            removed: selectDeletedPages(source, required),
          }),
        ]
      : [],
    texts: hasAny(rewritten) ? [queryTextStarts(lineage, rewritten)] : [],
    specs: hasAny(specs) ? [querySpecs(source, specs)] : [],
    formerFiles: hasAny(required.filePaths) ? [queryFormerFiles(lineage, required.filePaths)] : [],
  };
}

/** Returns the content that a batch of changes needs, from the rows of `createContentReads`. */
export function toLoadedContent(rows: RowsOf<ReturnType<typeof createContentReads>>): LoadedContent {
  const { nodes, ancestors, descendants, slugs, siblings, reverts, heights, texts, specs, formerFiles } = rows;
  return {
    nodes: toNodes([...ancestors, ...nodes]),
    tombstones: new Map(nodes.flatMap((row): [string, Undecided][] => findTombstoneConflicts(row))),
    decisions: new Map(),
    descendants: toNodes(descendants),
    slugs,
    siblings: groupByParent(toNodes(siblings)),
    reverts: new Map(reverts.map(({ change, state: node }) => [change, node === null ? undefined : toNode(node)])),
    heights: new Map(heights.map(({ id, height }) => [id, height])),
    texts: new Map(texts.map(({ hash, markdown }) => [hash, markdown])),
    specs: new Set(specs.map(({ slug }) => slug)),
    formerFiles: new Map(formerFiles.map(({ path, id }) => [path, id])),
  };
}

const { since: _, ...stateFields } = nodeRow.fields;
const revertRow = selection({ change: fromQuery(Number), state: nullable(stateFields) });
const d = aliasedTable(documents, 'd');
const textRow = selection({ hash: d.hash, markdown: fromQuery(d.markdown) });

/** Number of characters that are read of a text. They contain its frontmatter and first heading. */
const maxStart = 128 * 1024;

/** Returns the query for the beginnings of the pages' texts, by hash. */
const queryTextStarts = (lineage: SQL, pages: string[]) =>
  textRow.query(sql`
    WITH ${createLineageCte(lineage)}, wanted(id) AS MATERIALIZED (${selectIds(pages)}),
    states AS MATERIALIZED (
      SELECT v.document, MIN(l.depth) FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v
        ON ${selectState(sql`'page'`, sql`w.id`)}
      GROUP BY v.id)
    SELECT ${textRow.with({ markdown: sql`substr(d.markdown, 1, ${maxStart})` })} FROM states s CROSS JOIN documents d ON d.hash = s.document`);

const specRow = selection({ slug: aliasedTable(openapiSpecs, 's').slug });

/** Returns the query for the named specifications of the space's organization. */
const querySpecs = ({ space }: ContentSource, slugs: string[]) =>
  specRow.query(sql`
    SELECT ${specRow} FROM json_each(${JSON.stringify(slugs)}) CROSS JOIN openapi_specs s
      ON s.organization = (SELECT organization FROM spaces WHERE id = ${space}) AND s.slug = value`);

function findTombstoneConflicts(row: NodeRow): [string, Undecided][] {
  const conflicts = row.deleted ? getUndecided(row) : undefined;
  return conflicts === undefined ? [] : [[getNodeKey(row), conflicts]];
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

const readReverts = (source: ContentSource, reverts: Revert[]) =>
  revertRow.query(
    sql`SELECT ${revertRow.with({ change: sql`v.change` })} FROM (${selectRevertedStates(source, reverts)}) v`,
  );

/**
 * The content that a batch of changes needs, by ids. References to new nodes may be among the ids; they match no stored
 * node.
 */
interface RequiredContent {
  pages: string[];
  /** Pages whose text is replaced: the metadata of the previous text is needed. */
  rewritten: string[];
  parents: string[];
  /** Pages deleted explicitly. */
  deleted: string[];
  /** Slugs that must be free: every parent combined with every slug that the batch gives a page. */
  slugs: { parent: string; slug: string }[];
  /** Slugs that pages get under their current parent, or under the parent that a revert restores. */
  renamed: { page: string; slug: string }[];
  /** New parents of pages that keep their slug, or that get a slug from a revert. */
  moved: { page: string; parent: string }[];
  /** Parents of which all children must be read: `parents` by id, and the current or restored parents of `pages`. */
  ordered: { parents: string[]; pages: string[] };
  /** The nodes of `resolve` changes. */
  decided: { kind: string; id: string }[];
  files: string[];
  /** The source paths of new files. */
  filePaths: string[];
  reusableContents: string[];
  variables: string[];
  specs: string[];
  reverts: Revert[];
}

interface Revert {
  index: number;
  kind: 'page' | 'file';
  id: string;
  revision: RevisionId | null;
}

/** Returns the reverts of pages, which can move them. */
const getPageReverts = ({ reverts }: RequiredContent): Revert[] => reverts.filter(({ kind }) => kind === 'page');

/** The parents and slugs that one batch gives one page. */
interface PagePlacement {
  page: string;
  isNew: boolean;
  slugs: string[];
  parents: string[];
  ordered: boolean;
}

/** Collects what the changes need before anything is read. `slugs[i]` are the slugs that change `i` may give. */
export function findRequiredContent(changes: ContentChange[], slugs: string[][]): RequiredContent {
  const placements = [...collectPlacements(changes, slugs).values()];
  const product = placements.flatMap(({ parents, slugs: ownSlugs }) =>
    parents.flatMap((parent) => ownSlugs.map((slug) => ({ parent, slug }))),
  );
  const present = placements.filter(({ isNew }) => !isNew);
  const ordered = placements.filter((each) => each.ordered);
  const pageIds = changes.flatMap((change) => ('page' in change ? (change.page ?? []) : []));
  return {
    pages: pageIds,
    rewritten: changes.flatMap((change) =>
      ('document' in change && 'page' in change) || (change.operation === 'revert_page' && change.block)
        ? [change.page]
        : [],
    ),
    parents: changes.flatMap((change) => ('into' in change ? (change.into ?? []) : [])),
    deleted: changes.flatMap((change) => (change.operation === 'delete_page' ? [change.page] : [])),
    slugs: product,
    renamed: present.flatMap(({ page, slugs: ownSlugs }) => ownSlugs.map((slug) => ({ page, slug }))),
    moved: present.flatMap(({ page, parents }) => parents.map((parent) => ({ page, parent }))),
    ordered: { parents: ordered.flatMap(({ parents }) => parents), pages: ordered.map(({ page }) => page) },
    decided: changes.flatMap((change) => (change.operation === 'resolve' ? [getDecidedNode(change)] : [])),
    files: changes.flatMap((change) => ('file' in change ? [change.file] : [])),
    filePaths: changes.flatMap((change) =>
      change.operation === 'insert_files' ? change.files.flatMap(({ git }) => git?.path ?? []) : [],
    ),
    reusableContents: changes.flatMap((change) => ('reusableContent' in change ? [change.reusableContent] : [])),
    variables: changes.flatMap((change) => (change.operation === 'set_variables' ? Object.keys(change.variables) : [])),
    specs: changes.flatMap((change) =>
      change.operation === 'insert_computed' ? (getSpecificationSlug(change.computed) ?? []) : [],
    ),
    reverts: changes.flatMap((change, index): Revert[] => {
      if (change.operation === 'revert_page')
        return [{ index, kind: 'page', id: change.page, revision: change.revision ?? null }];
      if (change.operation === 'revert_file')
        return [{ index, kind: 'file', id: change.file, revision: change.revision ?? null }];
      return [];
    }),
  };
}

/**
 * Collects all parents and slugs that a batch gives each page, in any order: a page can be moved, renamed and
 * positioned by separate changes.
 */
function collectPlacements(changes: ContentChange[], slugs: string[][]): Map<string, PagePlacement> {
  const placementsByPage = new Map<string, PagePlacement>();
  for (const [index, change] of changes.entries()) {
    const isNew = change.operation.startsWith('insert_');
    const name = 'page' in change ? change.page : 'ref' in change ? change.ref : undefined;
    const page = name ?? `change ${index}`;
    const placement = placementsByPage.get(page) ?? { page, isNew, slugs: [], parents: [], ordered: false };
    const parent = 'into' in change ? change.into : undefined;
    placement.slugs.push(...(slugs[index] ?? []));
    if (isNew || parent !== undefined) placement.parents.push(parent ?? '');
    if ('at' in change && change.at !== undefined) placement.ordered = true;
    placementsByPage.set(page, placement);
  }
  return placementsByPage;
}

export interface ContentSource {
  space: SpaceId;
  /** An SQL expression for the lineage that the changes start from. */
  lineage: SQL;
  /** An SQL expression for the lineage from which a revert restores states if it names no revision; null on main. */
  baseLineage: SQL;
}

const hasAny = (...lists: unknown[][]): boolean => lists.some(({ length }) => length > 0);

/** A SELECT of the pages that a change moves to another parent. */
function selectMovedPages(source: ContentSource, required: RequiredContent): SQL {
  const selectCurrentParent = (id: SQL) => selectPageColumn(source.lineage, 'parent', id);
  return joinSelects(
    sql`SELECT value->>'page' AS id FROM json_each(${JSON.stringify(required.moved)})
      WHERE ${selectCurrentParent(sql`value->>'page'`)} IS NOT value->>'parent'`,
    selectFromReverts(
      source,
      required,
      (revertedPages) =>
        sql`SELECT id FROM (${revertedPages}) r WHERE deleted = 0 AND ${selectCurrentParent(sql`r.id`)} IS NOT r.parent`,
    ),
  );
}

/** A SELECT of the pages that are deleted, explicitly or by a revert to a revision without them. */
const selectDeletedPages = (source: ContentSource, required: RequiredContent): SQL =>
  joinSelects(
    selectIds(required.deleted),
    selectFromReverts(
      source,
      required,
      (revertedPages) => sql`SELECT page FROM (${revertedPages}) WHERE id IS NULL OR deleted = 1`,
    ),
  );

/** Pages moved below a deleted page are deleted with it. */
function selectDeletionRoots(source: ContentSource, required: RequiredContent): SQL {
  const deletedPages = selectDeletedPages(source, required);
  return joinSelects(deletedPages, [
    sql`SELECT id FROM (${selectMovedPages(source, required)}) WHERE EXISTS (${deletedPages})`,
  ]);
}

const selectAncestorStarts = (source: ContentSource, required: RequiredContent): SQL =>
  joinSelects(selectIds(required.parents), [
    ...selectFromReverts(source, required, (revertedPages) => sql`SELECT parent FROM (${revertedPages})`),
    sql`SELECT id FROM (${selectMovedPages(source, required)})`,
  ]);

function selectSlugPositions(source: ContentSource, required: RequiredContent): SQL {
  const { slugs, renamed, moved } = required;
  const selectCurrentParent = (column: 'parent' | 'slug') =>
    selectPageColumn(source.lineage, column, sql`value->>'page'`);
  const afterRevert = JSON.stringify([{}, ...renamed, ...moved]);
  // D1 allows at most five SELECTs in one UNION. These are at most four.
  return joinSelects(sql`SELECT value->>'parent', value->>'slug' FROM json_each(${JSON.stringify(slugs)})`, [
    ...selectFromRows(
      renamed,
      (rows) => sql`SELECT ${selectCurrentParent('parent')}, value->>'slug' FROM json_each(${rows})`,
    ),
    ...selectFromRows(
      moved,
      (rows) => sql`SELECT value->>'parent', ${selectCurrentParent('slug')} FROM json_each(${rows})`,
    ),
    ...selectFromReverts(
      source,
      required,
      (revertedPages) => sql`SELECT COALESCE(j.value->>'parent', r.parent), COALESCE(j.value->>'slug', r.slug)
      FROM (${revertedPages}) r JOIN json_each(${afterRevert}) j ON COALESCE(j.value->>'page', r.id) = r.id`,
    ),
  ]);
}

function selectOrderedParents(source: ContentSource, required: RequiredContent): SQL {
  const pages = JSON.stringify(required.ordered.pages);
  return joinSelects(selectIds(required.ordered.parents), [
    sql`SELECT ${selectPageColumn(source.lineage, 'parent', sql`value`)} FROM json_each(${pages})`,
    ...selectFromReverts(
      source,
      required,
      (revertedPages) => sql`SELECT parent FROM (${revertedPages}) WHERE id IN (SELECT value FROM json_each(${pages}))`,
    ),
  ]);
}

const joinSelects = (first: SQL, others: SQL[]): SQL => sql.join([first, ...others], sql` UNION `);

const selectFromRows = (rows: unknown[], select: (json: string) => SQL): SQL[] =>
  hasAny(rows) ? [select(JSON.stringify(rows))] : [];

/** Returns the SELECT for reverted states of pages, or nothing if the batch reverts none, as in most batches. */
const selectFromReverts = (
  source: ContentSource,
  required: RequiredContent,
  select: (revertedPages: SQL) => SQL,
): SQL[] => {
  const reverts = getPageReverts(required);
  return hasAny(reverts) ? [select(selectRevertedStates(source, reverts))] : [];
};

/**
 * A SELECT of the state that each revert restores: the state in the named revision of this space, or else in the change
 * request's base. Returns a row without an id for a node that did not exist, and no row for a revision of another
 * space.
 */
const selectRevertedStates = (source: ContentSource, reverts: Revert[]): SQL => sql`
  WITH asked AS MATERIALIZED (
    SELECT value->>'index' AS change, value->>'kind' AS kind, value->>'id' AS page, CASE WHEN value->>'revision' IS NULL THEN ${source.baseLineage}
      ELSE (SELECT lineage FROM revisions WHERE id = value->>'revision' AND space = ${source.space}) END AS lineage
    FROM json_each(${JSON.stringify(reverts)})),
  states AS MATERIALIZED (
    SELECT a.change, v.kind, v.id, v.parent, v.position, v.slug, v.deleted, v.data, v.document, MIN(l.key) AS depth
    FROM asked a CROSS JOIN json_each(a.lineage) l CROSS JOIN versions v
      ON v.branch = l.value->>0 AND v.kind = a.kind AND v.id = a.page AND v.since = (SELECT MAX(x.since) FROM versions x
        WHERE x.branch = l.value->>0 AND x.kind = a.kind AND x.id = a.page AND x.since <= l.value->>1)
    GROUP BY a.change)
  SELECT asked.change, asked.page, s.kind, s.id, s.parent, s.position, s.slug, s.deleted, s.data, s.document
  FROM asked LEFT JOIN states s ON s.change = asked.change WHERE asked.lineage IS NOT NULL`;
