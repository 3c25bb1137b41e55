import type { Database, RevisionPoint } from '@octavo/db';
import { changeRequestJoins, changeRequestRow, readRow } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { readChanges, toldKinds } from './read-changes.ts';

/** What a revision changed against its first parent; rows follow what was written between the two. */
export const getRevisionSemanticChanges: Handler<
  typeof content.getRevisionSemanticChanges,
  ContentEnvironment
> = async ({ query: { limit } }, { db, env, space, point, urls, visitor }) => {
  const place = { space: space.id, branch: null };
  const [changes, mergedFrom] = await Promise.all([
    readChanges({ db, env, urls, place }, betweenParentAnd(point), limit),
    findMerged(db, point),
  ]);
  return {
    ...changes,
    ...(mergedFrom === undefined || visitor !== undefined
      ? {}
      : { mergedFrom: presentChangeRequest(mergedFrom, urls) }),
  };
};

/**
 * A branch that the parent does not read through has nothing before; only the revision's own adds to what it reads. A
 * revision without a parent wrote nothing: what flattening has put under it was there before.
 */
function betweenParentAnd({ id, seq, lineage }: RevisionPoint) {
  const after = JSON.stringify(lineage);
  const before = sql`(SELECT p.lineage FROM revisions r CROSS JOIN revisions p ON p.id = r.parents->>0 WHERE r.id = ${id})`;
  const keys = sql`SELECT DISTINCT v.kind AS kind, v.id AS id FROM (
      SELECT l.value->>0 AS branch, l.value->>1 AS upTo, COALESCE(
        (SELECT o.value->>1 FROM json_each(${before}) o WHERE o.value->>0 = l.value->>0),
        CASE WHEN l.key = 0 AND ${before} IS NOT NULL THEN ${seq} - 1 ELSE l.value->>1 END) AS beyond
      FROM json_each(${after}) l) b
    CROSS JOIN versions v INDEXED BY versions_written ON v.branch = b.branch AND v.since > b.beyond AND v.since <= b.upTo
    WHERE v.kind IN ${toldKinds}`;
  return { before, after, keys };
}

/** The change request that the revision merged, if it did. */
const findMerged = (db: Database, { id }: RevisionPoint) =>
  readRow(
    db,
    changeRequestRow.query(sql`SELECT ${changeRequestRow} FROM revisions r
    JOIN change_requests cr ON cr.id = r.change_request ${changeRequestJoins} WHERE r.id = ${id}`),
  );
