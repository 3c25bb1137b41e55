import type { Database, NodeKind, RecordOf, RevisionPoint, RowsOf } from '@octavo/db';
import { documents, given, maybe, readRows, selection, statement } from '@octavo/db';
import type { Includable } from '@octavo/markdown';
import { maxIncludeDepth, withoutAnchor } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { keptLink } from '@octavo/merge';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { PageKey } from '../computed/sources.ts';
import { readMade } from '../computed/sources.ts';
import {
  allNodesIn,
  findAncestors,
  findLevels,
  findNodes,
  lineageCte,
  nodeRow,
  pageIdAtPath,
  seen,
  selectIds,
  someCondition,
  stateAt,
} from './lineage.ts';
import { toNode } from './nodes.ts';

/**
 * The query for the live pages at a point, down to `depth`, where 0 is the top level. On the branch of a change request
 * pages may have lost their parents, so there all pages are read.
 */
export function getTree(point: RevisionPoint, { space, depth }: { space: SpaceId; depth?: number | undefined }) {
  if (depth === undefined || point.branch !== space) return getNodes(point, 'page');
  return topLevels(JSON.stringify(point.lineage), depth + 1);
}

const topLevels = statement((lineage: SQL<string>, depth: SQL<number>) =>
  findLevels(lineage, { start: sql`SELECT ''`, depth }),
);

/** The query for the live nodes of a kind at a point. Rows follow the size of the space. */
export const getNodes = (point: RevisionPoint, kind: NodeKind) => allNodesIn(JSON.stringify(point.lineage), kind);

/** The query for a node at a point; a deleted one is a tombstone. */
export const getNode = (point: RevisionPoint, kind: NodeKind, id: string) =>
  nodeAt(JSON.stringify(point.lineage), kind, id);

const nodeAt = statement((lineage: SQL<string>, kind: SQL<string>, id: SQL<string>) =>
  findNodes(lineage, sql`SELECT ${kind} AS kind, ${id} AS id`),
);

const hasConditionsRow = selection({ some: given(Number) });

/** Whether pages may have conditions: one seek. */
const readConditions = statement((lineage: SQL<string>) =>
  hasConditionsRow.query(sql`WITH ${lineageCte(lineage)} SELECT ${someCondition} AS ${hasConditionsRow.names.some}`),
);

const d = aliasedTable(documents, 'd');
/** Returns the id of the page that a key names. */
type IdOf = (lineage: SQL<string>, key: SQL<string>, length: SQL<number>) => SQL;

const pageKind = sql`'page'`;

/** The statements that read a page by one kind of key. */
const pageStatements = (idOf: IdOf) => ({
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
  /** The reusable contents that the page includes, at every level. */
  contents: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    readIncluded(lineage, includedBy(pageKind, sql`(${idOf(lineage, key, length)})`)),
  ),
  /** If pages have conditions: the pages that the page or a content in it links to, with their ancestors. */
  linked: statement((lineage: SQL<string>, key: SQL<string>, length: SQL<number>) =>
    findAncestors(lineage, linkedFrom(idOf(lineage, key, length))),
  ),
});

const linkedFrom = (id: SQL): SQL =>
  linksIn(sql`SELECT data FROM (${textStateOf(pageKind, sql`(${id})`)})
    UNION ALL ${metLinks(includedBy(pageKind, sql`(${id})`))}`);

const textRow = selection({ markdown: d.markdown });

const readDocument = (lineage: SQL<string>, id: SQL) =>
  textRow.query(sql`
    WITH ${lineageCte(lineage)}, wanted(id) AS MATERIALIZED (SELECT ${id})
    SELECT ${textRow} FROM (
      SELECT v.document FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)}
      ORDER BY l.depth LIMIT 1) p
    CROSS JOIN documents d ON d.hash = p.document`);

const byId = pageStatements((_, id) => id);
const byPath = pageStatements(pageIdAtPath);

/** What to read of a page. */
export interface PageOptions {
  /** The number of levels below the page; all if undefined. */
  depth?: number | undefined;
  /** Whether to read what evaluating the text needs: variables and included contents. */
  isEvaluated: boolean;
  /** Whether to read the pages that are generated from computed ones. */
  computed: boolean;
  /** Whether to read what decides on what a visitor is shown. */
  isVisited: boolean;
}

/** The queries for a page at a point: its text, ancestors and descendants. Rows follow the page and its links. */
export function getPage(
  { point, space }: { point: RevisionPoint; space: SpaceId },
  key: PageKey,
  { depth, isEvaluated, computed, isVisited }: PageOptions,
) {
  const lineage = JSON.stringify(point.lineage);
  const { value, length } = key;
  const by = length === 0 ? byId : byPath;
  const isWhole = isEvaluated || isVisited;
  return {
    texts: by.text(lineage, value, length),
    chain: by.chain(lineage, value, length),
    descendants:
      depth === undefined ? by.descendants(lineage, value, length) : by.levels(lineage, value, length, depth),
    variables: isWhole ? allNodesIn(lineage, 'variable') : [],
    contents: isWhole ? by.contents(lineage, value, length) : [],
    conditions: isVisited ? readConditions(lineage) : [],
    linked: isVisited ? by.linked(lineage, value, length) : [],
    ...readMade(key, { lineage, space }, computed),
  };
}

export type PageRows = RowsOf<ReturnType<typeof getPage>>;

const includedIn = statement((lineage: SQL<string>, id: SQL<string>) => readIncluded(lineage, sql`SELECT ${id}`));

const linkedFromContent = statement((lineage: SQL<string>, id: SQL<string>) =>
  findAncestors(lineage, linksIn(metLinks(sql`SELECT ${id}`))),
);

/** The queries for a reusable content at a point and all that it includes; for a visitor also for the pages it links to. */
export function getContent(point: RevisionPoint, id: string, isVisited: boolean) {
  const lineage = JSON.stringify(point.lineage);
  return { included: includedIn(lineage, id), linked: isVisited ? linkedFromContent(lineage, id) : [] };
}

const anchorsRow = selection({ id: given(String), anchors: given(String) });

/** The query for the former anchors of pages at a point, in JSON. */
export const getAnchors = (point: RevisionPoint, pages: Iterable<string>) =>
  anchorsRow.query(sql`
    WITH ${lineageCte(JSON.stringify(point.lineage))}, wanted(id) AS MATERIALIZED (${selectIds(pages)})
    SELECT ${anchorsRow.with({ id: sql`a.id`, anchors: sql`a.anchors` })} FROM (
      SELECT w.id, v.data->'$.anchors' AS anchors, MIN(l.depth)
      FROM wanted w CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, sql`w.id`)}
      GROUP BY w.id) a
    WHERE a.anchors IS NOT NULL`);

const contentRow = selection({ ...nodeRow.fields, markdown: maybe(documents.markdown) });

/** At most this many contents are included, and this much of text; others stay as they are written. */
const maxContents = 100;
const maxBytes = 2 * 1024 * 1024;
/** How often one content is met on the way down, at most. */
const maxMet = 300;

const contentAddress = /^\/?reusable-contents\/([a-zA-Z0-9_-]{1,64})$/;

/** What an address leads to by which a node's text includes: what was kept when it was written, else the id it holds. */
export function includeTarget(node: Node, address: string): string | undefined {
  const target = withoutAnchor(address);
  return keptLink(node, target) ?? contentAddress.exec(target)?.[1];
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
  return contentsOf(await readRows(db, readIncluded(lineage, selectIds(wanted))));
}

export const contentsOf = (rows: RecordOf<typeof contentRow>[]): Map<string, IncludedContent> =>
  new Map(
    rows.flatMap((row) => {
      const node = toNode(row);
      if (node === undefined) return [];
      const targetOf = (address: string) => includeTarget(node, address);
      return [[node.id, { node, markdown: row.markdown ?? '', targetOf }] as const];
    }),
  );

/** A SELECT of the ids of what the document of a node includes itself, beside the CTE `lineage`. */
const includedBy = (kind: SQL, id: SQL): SQL => sql`
  SELECT j.value FROM (${textStateOf(kind, id)}) p CROSS JOIN json_each(p.data, '$.links') j WHERE j.value GLOB 'rc_*'
  UNION
  SELECT substr(ltrim(d.target, '/'), 19) FROM (${textStateOf(kind, id)}) p CROSS JOIN document_links d ON d.hash = p.document
  WHERE d.relation = 'dependsOn' AND ltrim(d.target, '/') GLOB 'reusable-contents/*'`;

/** A SELECT of the state that a node has, beside the CTE `lineage`. */
const textStateOf = (kind: SQL, id: SQL): SQL => sql`
  SELECT v.data, v.document FROM lineage l CROSS JOIN versions v ON ${stateAt(kind, id)} ORDER BY l.depth LIMIT 1`;

/** The CTE `met(id, level)` of contents and what they include in turn; `start` is a SELECT of ids. */
const metCte = (start: SQL): SQL => sql`met(id, level) AS (
    SELECT *, 1 FROM (${start})
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
  )`;

/** The contents of `start`, a SELECT of ids, and all that they include in turn. */
const readIncluded = (lineage: SQL | string, start: SQL) =>
  contentRow.query(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, ${metCte(start)}, contents AS MATERIALIZED (
      SELECT v.*, n.level FROM (SELECT id, MIN(level) AS level FROM met GROUP BY id) n
      CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`n.id`)}
      WHERE v.deleted = 0 AND ${seen} ORDER BY n.level, v.id LIMIT ${maxContents}
    )
    SELECT c.*, d.markdown FROM (
      SELECT c.*, SUM(COALESCE(sized.bytes, 0)) OVER (ORDER BY c.level, c.id) AS total
      FROM contents c LEFT JOIN documents sized ON sized.hash = c.document) c
    LEFT JOIN documents d ON d.hash = c.document WHERE c.total <= ${maxBytes}`);

/** A SELECT of the data of reusable contents and all that they include in turn; `start` is a SELECT of ids. */
const metLinks = (start: SQL): SQL => sql`
  SELECT v.data FROM (WITH RECURSIVE ${metCte(start)} SELECT DISTINCT id FROM met) m
  CROSS JOIN lineage l CROSS JOIN versions v ON ${stateAt(sql`'reusable-content'`, sql`m.id`)}
  WHERE v.deleted = 0 AND ${seen}`;

/** A SELECT of the pages that nodes link to, given a SELECT of their data; of none where no page has a condition. */
const linksIn = (data: SQL): SQL => sql`
  SELECT DISTINCT j.value FROM (${data}) p CROSS JOIN json_each(p.data, '$.links') j
  WHERE ${someCondition} AND j.value NOT GLOB 'file_*' AND j.value NOT GLOB 'rc_*'`;
