import type { Cursor, Database, NodeKind, ReadPoint, RecordOf, RevisionPoint, RowsOf } from '@octavo/db';
import { documents, fromQuery, nullable, prepareStatement, runBatch, selection, toLineageValue } from '@octavo/db';
import type { Includable } from '@octavo/markdown';
import { maxIncludeDepth, removeAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { getRecordedLink } from '@octavo/merge';
import { mapInSlices } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { PageKey } from '../computed/sources.ts';
import { readGeneratedPage } from '../computed/sources.ts';
import {
  createLineageCte,
  isNearest,
  mayHaveConditions,
  nodeRow,
  queryAncestors,
  queryLevels,
  queryNodes,
  readAllNodes,
  selectFirstPageId,
  selectIds,
  selectPageIdAtPath,
  selectState,
} from './lineage.ts';
import { type NodeRow, toNode } from './nodes.ts';

/**
 * Returns the query for the live pages at a point, down to `depth`, where 0 is the top level. On the branch of a change
 * request, pages can have lost their parents, so all pages are read there. Undefined if this depends on a branch that is
 * not known yet.
 */
export function queryTree(point: ReadPoint, { space, depth }: { space: SpaceId; depth?: number | undefined }) {
  if (depth !== undefined && point.branch === undefined) return undefined;
  if (depth === undefined || point.branch !== space) return queryNodesOfKind(point, 'page');
  return readTopLevels(toLineageValue(point), depth + 1);
}

const readTopLevels = prepareStatement((lineage: SQL<string>, depth: SQL<number>) =>
  queryLevels(lineage, { start: sql`SELECT ''`, depth }),
);

/** Returns the query for the live nodes of a kind at a point. It reads rows in proportion to the size of the space. */
export const queryNodesOfKind = (point: ReadPoint, kind: NodeKind) => readAllNodes(toLineageValue(point), kind);

/** Returns the query for a node at a point; a deleted node is a tombstone. */
export const queryNode = (point: ReadPoint, kind: NodeKind, id: string) => readNode(toLineageValue(point), kind, id);

const readNode = prepareStatement((lineage: SQL<string>, kind: SQL<string>, id: SQL<string>) =>
  queryNodes(lineage, sql`SELECT ${kind} AS kind, ${id} AS id`),
);

/** Returns the query for the live files at a point, newest first, after a cursor (position and id). */
export function queryFilesAfter(point: ReadPoint, { after, limit }: { after: Cursor | undefined; limit: number }) {
  const lineage = toLineageValue(point);
  const [position, id] = after ?? [];
  return after === undefined ? readFirstFiles(lineage, limit) : readFilesAfter(lineage, limit, position, id);
}

const readFirstFiles = prepareStatement((lineage: SQL<string>, limit: SQL<number>) =>
  queryFiles(lineage, limit, sql`1`),
);

type CursorPart = Cursor[number] | undefined;

const readFilesAfter = prepareStatement(
  (lineage: SQL<string>, limit: SQL<number>, position: SQL<CursorPart>, id: SQL<CursorPart>) =>
    queryFiles(lineage, limit, sql`(v.position, v.id) < (${position}, ${id})`),
);

/** Reads the first files of each branch by an index. The page of the list contains the first of all these files. */
const queryFiles = (lineage: SQL<string>, limit: SQL<number>, isAfter: SQL) =>
  nodeRow.query(sql`
    WITH ${createLineageCte(lineage)}
    SELECT ${nodeRow}
    FROM lineage l CROSS JOIN json_each((
      SELECT json_group_array(json_array(id, since)) FROM (
        SELECT v.id, v.since FROM versions v INDEXED BY versions_files
        WHERE v.kind = 'file' AND v.branch = l.branch AND v.until > l.seq AND v.since <= l.seq AND v.deleted = 0
          AND ${isAfter} AND ${isNearest}
        ORDER BY v.position DESC, v.id DESC LIMIT ${limit}))) first
    CROSS JOIN versions v ON v.branch = l.branch AND v.kind = 'file' AND v.id = first.value->>0 AND v.since = first.value->>1
    ORDER BY v.position DESC, v.id DESC LIMIT ${limit}`);

const hasConditionsRow = selection({ some: fromQuery(Number) });

/** Whether pages may have conditions. One index seek. */
const readConditions = prepareStatement((lineage: SQL<string>) =>
  hasConditionsRow.query(
    sql`WITH ${createLineageCte(lineage)} SELECT ${mayHaveConditions} AS ${hasConditionsRow.names.some}`,
  ),
);

const d = aliasedTable(documents, 'd');
/** Returns the SQL expression of a page's id for a key. */
type PageIdSelector = (lineage: SQL<string>, key: SQL<string>, length: SQL<number>) => SQL;

const pageKind = sql`'page'`;

/**
 * Returns a SELECT that uses the id of a page several times. If `isLookup` is true, SQLite looks up the id only once.
 */
const selectWithId = (id: SQL, isLookup: boolean, select: (id: SQL) => SQL): SQL =>
  isLookup
    ? sql`WITH page(id) AS MATERIALIZED (SELECT ${id}) ${select(sql`(SELECT id FROM page)`)}`
    : select(sql`(${id})`);

/** Prepares the statements that read a page by one kind of key. */
const createPageStatements = (selectId: PageIdSelector, isLookup = true) => ({
  text: prepareStatement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    readDocument(lineage, selectId(lineage, key, length)),
  ),
  chain: prepareStatement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    queryAncestors(lineage, sql`SELECT ${selectId(lineage, key, length)}`),
  ),
  descendants: prepareStatement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    queryLevels(lineage, { start: sql`SELECT ${selectId(lineage, key, length)}` }),
  ),
  levels: prepareStatement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>, depth: SQL<number>) =>
    queryLevels(lineage, { start: sql`SELECT ${selectId(lineage, key, length)}`, depth }),
  ),
  /** The reusable contents that the page includes, at every level. */
  contents: prepareStatement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    queryIncludedContents(
      lineage,
      selectWithId(selectId(lineage, key, length), isLookup, (id) => selectIncludes(pageKind, id)),
    ),
  ),
  /** The recorded link targets of the page and its included contents that no longer exist. */
  missing: prepareStatement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    queryMissingTargets(
      lineage,
      selectWithId(selectId(lineage, key, length), isLookup, (id) => selectTargets(selectTextsOfPage(id))),
    ),
  ),
  /**
   * The pages that the page or an included content links to, with their ancestors. Empty if no page has a condition.
   */
  linked: prepareStatement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    queryAncestors(
      lineage,
      selectWithId(selectId(lineage, key, length), isLookup, (id) => selectPageLinks(selectTextsOfPage(id))),
    ),
  ),
});

/** A SELECT of the data of a page and of all contents that it includes. */
const selectTextsOfPage = (id: SQL): SQL => sql`SELECT data FROM (${selectTextState(pageKind, id)})
    UNION ALL ${selectIncludedData(selectIncludes(pageKind, id))}`;

const missingRow = selection({ id: fromQuery(String) });

/** A SELECT of the recorded targets of nodes; `data` is a SELECT of their data. Needs the CTE `lineage`. */
const selectTargets = (data: SQL): SQL =>
  sql`SELECT DISTINCT j.value FROM (${data}) p CROSS JOIN json_each(p.data, '$.links') j`;

/**
 * Returns the query for the recorded link targets in `targets`, a SELECT of ids, that no longer exist. Reads rows in
 * proportion to the targets.
 */
export const queryMissingTargets = (lineage: SQL | string, targets: SQL) =>
  missingRow.query(sql`
    WITH ${createLineageCte(lineage)}, targets(id) AS MATERIALIZED (${targets}), wanted(kind, id) AS MATERIALIZED (
      SELECT CASE WHEN id GLOB 'file_*' THEN 'file' WHEN id GLOB 'rc_*' THEN 'reusable-content' ELSE 'page' END, id
      FROM targets)
    SELECT ${missingRow.with({ id: sql`w.id` })} FROM wanted w
    WHERE COALESCE((SELECT v.deleted FROM lineage l CROSS JOIN versions v ON ${selectState(sql`w.kind`, sql`w.id`)}
      ORDER BY l.depth LIMIT 1), 1) = 1`);

const textRow = selection({ markdown: d.markdown });

const readDocument = (lineage: SQL<string>, id: SQL) =>
  textRow.query(sql`
    WITH ${createLineageCte(lineage)}, wanted(id) AS MATERIALIZED (SELECT ${id})
    SELECT ${textRow} FROM (
      SELECT v.document FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`w.id`)}
      ORDER BY l.depth LIMIT 1) p
    CROSS JOIN documents d ON d.hash = p.document`);

const statementsById = createPageStatements((_, id) => id, false);
const statementsByPath = createPageStatements(selectPageIdAtPath);
const statementsOfFirstPage = createPageStatements(selectFirstPageId);

/** The parts of a page to read. */
export interface PageOptions {
  /** The number of levels below the page; all if undefined. */
  depth?: number | undefined;
  /** Whether to read the data that the evaluation of the text needs: variables and included contents. */
  isEvaluated: boolean;
  /** Whether to read the pages generated from computed pages. */
  computed: boolean;
}

/**
 * Returns the queries for a page at a point: its text, ancestors and descendants; for a visitor, also for the data that
 * decides which pages the visitor may see. They read rows in proportion to the page and its links.
 */
export function getPage(
  { point, space, visitor }: { point: ReadPoint; space: SpaceId; visitor?: object | undefined },
  key: PageKey,
  { depth, isEvaluated, computed }: PageOptions,
) {
  const lineage = toLineageValue(point);
  const { value, length } = key;
  const statements = value === '' ? statementsOfFirstPage : length === 0 ? statementsById : statementsByPath;
  const isVisited = visitor !== undefined;
  const isComplete = isEvaluated || isVisited;
  return {
    texts: statements.text(lineage, value, length),
    chain: statements.chain(lineage, value, length),
    descendants:
      depth === undefined
        ? statements.descendants(lineage, value, length)
        : statements.levels(lineage, value, length, depth),
    variables: isComplete ? readAllNodes(lineage, 'variable') : [],
    contents: isComplete ? statements.contents(lineage, value, length) : [],
    missing: statements.missing(lineage, value, length),
    conditions: isVisited ? readConditions(lineage) : [],
    linked: isVisited ? statements.linked(lineage, value, length) : [],
    ...readGeneratedPage(key, { lineage, space }, computed),
  };
}

export type PageRows = RowsOf<ReturnType<typeof getPage>>;

const readIncludedById = prepareStatement((lineage: SQL<string>, id: SQL<string>) =>
  queryIncludedContents(lineage, sql`SELECT ${id}`),
);

const readMissingFromContent = prepareStatement((lineage: SQL<string>, id: SQL<string>) =>
  queryMissingTargets(lineage, selectTargets(selectIncludedData(sql`SELECT ${id}`))),
);

const readLinkedFromContent = prepareStatement((lineage: SQL<string>, id: SQL<string>) =>
  queryAncestors(lineage, selectPageLinks(selectIncludedData(sql`SELECT ${id}`))),
);

/**
 * Returns the queries for a reusable content at a point and everything it includes; for a visitor, also for the pages
 * it links to.
 */
export function getContent(point: ReadPoint, id: string, isVisited: boolean) {
  const lineage = toLineageValue(point);
  return {
    included: readIncludedById(lineage, id),
    missing: readMissingFromContent(lineage, id),
    linked: isVisited ? readLinkedFromContent(lineage, id) : [],
  };
}

const anchorsRow = selection({ id: fromQuery(String), anchors: fromQuery(String) });

/** Returns the query for the former anchors of pages at a point, as JSON. */
export const queryAnchors = (point: RevisionPoint, pages: Iterable<string>) =>
  anchorsRow.query(sql`
    WITH ${createLineageCte(JSON.stringify(point.lineage))}, wanted(id) AS MATERIALIZED (${selectIds(pages)})
    SELECT ${anchorsRow.with({ id: sql`a.id`, anchors: sql`a.anchors` })} FROM (
      SELECT w.id, v.data->'$.anchors' AS anchors, MIN(l.depth)
      FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`w.id`)}
      GROUP BY w.id) a
    WHERE a.anchors IS NOT NULL`);

const contentRow = selection({ ...nodeRow.fields, markdown: nullable(documents.markdown) });

/** Limits of the number of included contents and of the total size of their text. Further includes are not replaced. */
export const maxContents = 100;
export const maxBytes = 2 * 1024 * 1024;
/** Maximum number of chunks of `maxContents` ids that one batch reads. */
const maxChunks = 5;
/** Maximum number of visits to contents when includes are followed. A content can be visited several times. */
const maxIncludeVisits = 300;

const contentAddressPattern = /^\/?reusable-contents\/([a-zA-Z0-9_-]{1,64})$/;

/**
 * Finds the id that an include address refers to: the id stored when the text was written, else the id in the address.
 */
export function findIncludeTarget(node: Node, address: string): string | undefined {
  const target = removeAnchor(address);
  return getRecordedLink(node, target) ?? contentAddressPattern.exec(target)?.[1];
}

/** An included content with its node. */
export interface IncludedContent extends Includable {
  node: Node;
}

/** Reads reusable contents and everything they include, by id, in one round trip. */
export async function readIncludedContents(
  db: Database,
  lineage: SQL | string,
  ids: Iterable<string>,
): Promise<Map<string, IncludedContent>> {
  const uniqueIds = [...new Set(ids)].slice(0, maxContents * maxChunks);
  if (uniqueIds.length === 0) return new Map();
  const parts = Array.from({ length: Math.ceil(uniqueIds.length / maxContents) }, (_, index) =>
    uniqueIds.slice(index * maxContents, (index + 1) * maxContents),
  );
  return toContents(
    await runBatch(
      db,
      parts.map((part) => queryIncludedContents(lineage, selectIds(part))),
    ),
  );
}

export const toContents = (rows: RecordOf<typeof contentRow>[]): Map<string, IncludedContent> =>
  new Map(
    rows.flatMap((row) => {
      const node = toNode(row);
      return node === undefined ? [] : [[node.id, toContent(node, row.markdown ?? '')] as const];
    }),
  );

export const toContent = (node: Node, markdown: string): IncludedContent => ({
  node,
  markdown,
  findTarget: (address) => findIncludeTarget(node, address),
});

/** A SELECT of the ids that the document of a node includes directly. Needs the CTE `lineage`. */
const selectIncludes = (kind: SQL, id: SQL): SQL => sql`
  SELECT j.value FROM (${selectTextState(kind, id)}) p CROSS JOIN json_each(p.data, '$.links') j WHERE j.value GLOB 'rc_*'
  UNION
  SELECT substr(ltrim(d.target, '/'), 19) FROM (${selectTextState(kind, id)}) p CROSS JOIN document_links d ON d.hash = p.document
  WHERE d.relation = 'dependsOn' AND ltrim(d.target, '/') GLOB 'reusable-contents/*'`;

/** A SELECT of the current state of a node. Needs the CTE `lineage`. */
const selectTextState = (kind: SQL, id: SQL): SQL => sql`
  SELECT v.data, v.document FROM lineage l CROSS JOIN versions v ON ${selectState(kind, id)} ORDER BY l.depth LIMIT 1`;

/** The CTE `met(id, level)`: contents and everything they include; `start` is a SELECT of ids. */
const createIncludesCte = (start: SQL): SQL => sql`met(id, level) AS (
    SELECT *, 1 FROM (${start})
    UNION
    SELECT j.value, level + 1 FROM met CROSS JOIN lineage l
    CROSS JOIN versions v ON ${selectState(sql`'reusable-content'`, sql`met.id`)}
    CROSS JOIN json_each(v.data, '$.links') j
    WHERE level < ${maxIncludeDepth} AND j.value GLOB 'rc_*' AND v.deleted = 0 AND ${isNearest}
    UNION
    SELECT substr(ltrim(d.target, '/'), 19), level + 1 FROM met CROSS JOIN lineage l
    CROSS JOIN versions v ON ${selectState(sql`'reusable-content'`, sql`met.id`)}
    CROSS JOIN document_links d ON d.hash = v.document
    WHERE level < ${maxIncludeDepth} AND d.relation = 'dependsOn' AND ltrim(d.target, '/') GLOB 'reusable-contents/*'
      AND v.deleted = 0 AND ${isNearest}
    LIMIT ${maxIncludeVisits}
  )`;

/** Reads the contents of `start`, a SELECT of ids, and everything they include. */
const queryIncludedContents = (lineage: SQL | string, start: SQL) =>
  contentRow.query(sql`
    WITH RECURSIVE ${createLineageCte(lineage)}, ${createIncludesCte(start)}, contents AS MATERIALIZED (
      SELECT v.*, n.level FROM (SELECT id, MIN(level) AS level FROM met GROUP BY id) n
      CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'reusable-content'`, sql`n.id`)}
      WHERE v.deleted = 0 AND ${isNearest} ORDER BY n.level, v.id LIMIT ${maxContents}
    )
    SELECT c.*, d.markdown FROM (
      SELECT c.*, SUM(COALESCE(sized.bytes, 0)) OVER (ORDER BY c.level, c.id) AS total
      FROM contents c LEFT JOIN documents sized ON sized.hash = c.document) c
    LEFT JOIN documents d ON d.hash = c.document WHERE c.total <= ${maxBytes}`);

/** Returns the query for the contents that a page includes, at every level. */
export const queryContentsOfPage = (lineage: SQL | string, page: string) =>
  queryIncludedContents(lineage, selectIncludes(pageKind, sql`${page}`));

/** A SELECT of the data of reusable contents and everything they include; `start` is a SELECT of ids. */
const selectIncludedData = (start: SQL): SQL => sql`
  SELECT v.data FROM (WITH RECURSIVE ${createIncludesCte(start)} SELECT DISTINCT id FROM met) m
  CROSS JOIN lineage l CROSS JOIN versions v ON ${selectState(sql`'reusable-content'`, sql`m.id`)}
  WHERE v.deleted = 0 AND ${isNearest}`;

/** A SELECT of the pages that nodes link to, given a SELECT of their data. It is empty if no page has a condition. */
const selectPageLinks = (data: SQL): SQL => sql`
  SELECT DISTINCT j.value FROM (${data}) p CROSS JOIN json_each(p.data, '$.links') j
  WHERE ${mayHaveConditions} AND j.value NOT GLOB 'file_*' AND j.value NOT GLOB 'rc_*'`;

/** The number of characters of JSON that are parsed in a microsecond. */
const charactersPerMicrosecond = 100;

/** Returns the nodes of all rows of a space, in slices, without deleted ones. */
export const toNodesInSlices = async (rows: NodeRow[]): Promise<Node[]> =>
  (await mapInSlices(rows, toNode, ({ data }) => 1 + data.length / charactersPerMicrosecond)).filter(
    (node) => node !== undefined,
  );
