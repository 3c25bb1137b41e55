import type { RecordOf } from '@octavo/db';
import { documents, fromJson, fromQuery, nullable, selection } from '@octavo/db';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { createHeadCte, createLineageCte, selectIds, selectNearest } from '../store/lineage.ts';
import type { NodeRow } from '../store/nodes.ts';

/** The content of a change request, and the live content, as lineages in JSON. */
export interface SearchedBranch {
  space: SpaceId;
  lineage: string;
  liveLineage: string;
}

/** Maximum number of pages in which a change request differs from live content. */
export const maxChangedPages = 200;
/** Maximum number of pages that are found because they include a changed reusable content. */
export const maxIncludingPages = 20;
/** Maximum number of pages that are read because an ancestor is excluded from search in only one of the two contents. */
export const maxPagesBelow = 120;
/** Maximum number of versions, of the change request and of live content, that are searched for changed pages. */
const maxVersions = sql.raw('300');
/** Maximum number of versions of live content that the change request does not have. */
const maxMissingVersions = sql.raw('100');
/** Maximum number of revisions of live content that are searched for versions that the change request does not have. */
const maxRevisions = sql.raw('100');
/** Maximum number of changed reusable contents, of the change request and of live content. */
const maxChangedContents = sql.raw('25');

/** The state of a page in live content, as far as the index depends on it. Empty if the page is deleted. */
export type LiveState =
  | [document: string | null, title: string, type: string, parent: string, noIndex: number | null]
  | [];

/** The ways to find a page: by a version of the change request, by a version of live content, or by an include. */
export const origins = { own: 0, live: 1, include: 2 };

/** A page in a change request and in live content; null if it never existed there. */
const comparedRow = selection({
  id: fromQuery(String),
  own: nullable(fromQuery(fromJson<NodeRow>())),
  live: nullable(fromQuery(fromJson<LiveState>())),
  /** The number (`seq`) of the revision that wrote the version; 0 for a page found by an include. */
  since: fromQuery(Number),
  /** One of `origins`. */
  origin: fromQuery(Number),
});
export type ComparedRow = RecordOf<typeof comparedRow>;

/** Maximum length of the data of a page that is read completely. Longer data contains many links. */
const maxDataLength = sql.raw('16384');

/** The row of a version as JSON. Links that are left out are found again when a text is included. */
const nodeState = sql`json_object('kind', v.kind, 'id', v.id, 'parent', v.parent, 'position', v.position, 'slug', v.slug,
  'deleted', json(iif(v.deleted, 'true', 'false')), 'document', v.document,
  'data', iif(length(v.data) <= ${maxDataLength}, v.data, json_object('fields', json_object('type', v.data->'$.fields.type',
    'title', v.data->'$.fields.title', 'condition', v.data->'$.fields.condition', 'noIndex', v.data->'$.fields.noIndex'))) || '')`;

const liveState = sql`iif(v.deleted, '[]', json_array(v.document, v.data->>'$.fields.title', v.data->>'$.fields.type',
  v.parent, v.data->>'$.fields.noIndex'))`;

/**
 * Returns the query that compares pages of a change request with live content. It reads three groups of pages:
 *
 * 1. Pages with a version on a branch that only the change request has.
 * 2. Pages with a version in live content that the change request does not have.
 * 3. Pages that include a reusable content with such a version, or whose include was not found when they were indexed.
 *
 * If a page has several rows, the first is current. The outer LIMIT stops before live content is read if the change
 * request has changed enough pages.
 */
export const compareChangedPages = ({ space, lineage, liveLineage }: SearchedBranch) => {
  const selectLive = (id: SQL) => selectNearest(liveLineage, id, liveState, sql`live_head`);
  return comparedRow.query(sql`
    WITH RECURSIVE ${createHeadCte(lineage)}, ${createHeadCte(liveLineage, sql`live_head`)},
    ${createLineageCte(sql`(SELECT lineage FROM head)`)}, live(depth, branch, seq) AS MATERIALIZED (
      SELECT key, value->>0, value->>1 FROM json_each((SELECT lineage FROM live_head))
    ), ${selectMissingRevisions(space)}, ${selectChangedContents(space)}
    SELECT * FROM (
      SELECT w.id, w.since, w.state AS own, ${selectLive(sql`w.id`)} AS live, ${origins.own} AS origin FROM (${selectOwnVersions(sql`'page'`)}) w
      UNION ALL
      SELECT w.id, w.since, ${selectNearest(lineage, sql`w.id`, nodeState)}, ${selectLive(sql`w.id`)}, ${origins.live}
      FROM (${selectMissingVersions(space, sql`'page'`)}) w
      LIMIT ${maxVersions})
    UNION ALL
    SELECT w.page, 0, ${selectNearest(lineage, sql`w.page`, nodeState)}, ${selectLive(sql`w.page`)}, ${origins.include}
    FROM (SELECT DISTINCT i.page FROM (
        SELECT id FROM contents UNION ALL SELECT '' WHERE EXISTS (SELECT 1 FROM contents)
      ) c CROSS JOIN search_includes i ON i.space = ${space} AND i.content = c.id LIMIT ${sql.raw(String(maxIncludingPages))}) w`);
};

/**
 * The CTE of the newest revisions of live content that the change request does not have. Each is found by a seek, so the
 * rows read do not depend on what the revisions contain.
 */
const selectMissingRevisions = (space: SpaceId): SQL => sql`revised(since, step) AS (
    SELECT seq + 1, 0 FROM live WHERE branch = ${space}
    UNION ALL
    SELECT (SELECT MAX(v.since) FROM versions v INDEXED BY versions_written
      WHERE v.branch = ${space} AND v.since < revised.since), step + 1
    FROM revised WHERE since > (SELECT seq FROM lineage WHERE branch = ${space}) + 1 AND step < ${maxRevisions}
  )`;

/**
 * Selects the versions of a kind that only the change request has, those of the nearest branch first; a limited number
 * is read.
 */
const selectOwnVersions = (kind: SQL): SQL => sql`
  SELECT id, since, state FROM (SELECT v.id, v.since, l.seq, ${nodeState} AS state
    FROM lineage l CROSS JOIN versions v INDEXED BY versions_live
      ON v.branch = l.branch AND v.kind = ${kind} AND v.until > l.seq
    WHERE l.branch NOT IN (SELECT branch FROM live) LIMIT ${maxVersions}) WHERE since <= seq`;

/** Selects the versions of a kind in `revised`, if a condition holds; a limited number is read. */
const selectMissingVersions = (space: SpaceId, kind: SQL, condition = sql`1`): SQL => sql`
  SELECT v.id, v.since FROM revised r CROSS JOIN versions v INDEXED BY versions_written
    ON v.branch = ${space} AND v.since = r.since AND v.kind = ${kind}
  WHERE r.step > 0 AND r.since > (SELECT seq FROM lineage WHERE branch = ${space}) AND ${condition}
  LIMIT ${maxMissingVersions}`;

const hasIncludes = (space: SpaceId): SQL => sql`EXISTS (SELECT 1 FROM search_includes WHERE space = ${space})`;

/** The CTE of the reusable contents that may differ. It is empty if no page of the space includes one. */
const selectChangedContents = (space: SpaceId): SQL => sql`contents(id) AS MATERIALIZED (
    SELECT * FROM (SELECT DISTINCT id FROM (${selectOwnVersions(sql`'reusable-content'`)}) LIMIT ${maxChangedContents})
    UNION
    SELECT * FROM (SELECT DISTINCT id FROM (${selectMissingVersions(space, sql`'reusable-content'`, hasIncludes(space))}) LIMIT ${maxChangedContents})
  )`;

const pageBelowRow = selection({ own: fromQuery(fromJson<NodeRow>()) });

/**
 * Returns the query for pages of a change request and the pages below them, up to a limit. It finds the children that a
 * parent has on each branch. A child that another branch moved or deleted is left out.
 */
export const queryPagesBelow = (lineage: string, pages: string[], limit: number) => {
  const isChild = sql`own->>'parent' = COALESCE(down.parent, own->>'parent') AND NOT own->>'deleted'`;
  return pageBelowRow.query(sql`
    WITH RECURSIVE ${createHeadCte(lineage)}, ${createLineageCte(sql`(SELECT lineage FROM head)`)}, down(id, parent, own) AS (
      SELECT w.value, NULL, ${selectNearest(lineage, sql`w.value`, nodeState)} FROM (${selectIds(pages)}) w
      UNION
      SELECT w.id, down.id, ${selectNearest(lineage, sql`w.id`, nodeState)}
      FROM down CROSS JOIN lineage l CROSS JOIN versions w INDEXED BY versions_children ON w.branch = l.branch
        AND w.kind = 'page' AND w.parent = down.id AND w.until > l.seq AND w.since <= l.seq
      WHERE w.deleted = 0 AND ${isChild} LIMIT ${limit}
    )
    SELECT own FROM down WHERE ${isChild}`);
};

const textRow = selection({ hash: documents.hash, bytes: documents.bytes, markdown: documents.markdown });

/**
 * Returns the query for the texts of documents, in their order. A text is left out if the texts before it leave no room
 * for it. Each text is read once.
 */
export const queryLimitedTexts = (hashes: string[], maxBytes: number) => {
  const list = JSON.stringify(hashes);
  return textRow.query(sql`
    WITH RECURSIVE texts(number, room, hash, bytes, markdown) AS (
      SELECT -1, ${maxBytes}, NULL, 0, NULL
      UNION ALL
      SELECT number + 1, room - iif(d.bytes <= room, d.bytes, 0), d.hash, d.bytes, iif(d.bytes <= room, d.markdown, NULL)
      FROM texts LEFT JOIN documents d ON d.hash = ${list}->>(texts.number + 1)
      WHERE number + 1 < json_array_length(${list})
    )
    SELECT hash, bytes, markdown FROM texts WHERE markdown IS NOT NULL`);
};
