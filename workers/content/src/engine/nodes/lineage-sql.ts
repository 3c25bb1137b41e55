import { selection, versions } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

/** The CTE `lineage(depth, branch, seq)` of a lineage in JSON: a bound text or an expression that gives one. */
export const lineageCte = (lineage: SQL | string): SQL =>
  sql`lineage(depth, branch, seq) AS MATERIALIZED (SELECT key, value->>0, value->>1 FROM json_each(${lineage}))`;

/**
 * `v` is the version that a node has on the branch of `l` at its seq: one seek, however often the node was edited.
 * `kind` and `id` name the node.
 */
export const stateAt = (kind: SQL, id: SQL): SQL => sql`v.branch = l.branch AND v.kind = ${kind} AND v.id = ${id}
  AND v.since = (SELECT MAX(x.since) FROM versions x
    WHERE x.branch = l.branch AND x.kind = ${kind} AND x.id = ${id} AND x.since <= l.seq)`;

/** An expression: a column of the state that a page has; `id` is an expression. */
export const pageColumnAt = (lineage: SQL, column: 'parent' | 'slug', id: SQL): SQL => sql`(WITH ${lineageCte(lineage)}
  SELECT v.${sql.raw(column)} FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, id)} ORDER BY l.depth LIMIT 1)`;

/** `v` of `l` is what a reader sees: no nearer branch of the lineage has a state of that node. */
export const seen = sql`NOT EXISTS (SELECT 1 FROM lineage n CROSS JOIN versions x ON x.branch = n.branch
  AND x.kind = v.kind AND x.id = v.id AND x.since <= n.seq WHERE n.depth < l.depth)`;

const v = aliasedTable(versions, 'v');

/** A node's state, of `versions v`. */
export const nodeRow = selection({
  kind: v.kind,
  id: v.id,
  parent: v.parent,
  position: v.position,
  slug: v.slug,
  deleted: v.deleted,
  data: v.data,
  document: v.document,
  since: v.since,
});

/** The lineage of the newest revision of a branch; of a change request without one, that of its initial revision. */
export const lineageOfBranch = (branch: string): SQL => sql`COALESCE(
  (SELECT lineage FROM revisions WHERE branch = ${branch} ORDER BY seq DESC LIMIT 1),
  (SELECT lineage FROM revisions WHERE id = (SELECT revision_initial FROM change_requests WHERE id = ${branch})))`;

/** The lineage of the main revision that a change request stands on. */
export const baseLineageOf = (changeRequest: string): SQL => sql`COALESCE(
  (SELECT json_remove(lineage, '$[0]') FROM revisions WHERE branch = ${changeRequest} ORDER BY seq DESC LIMIT 1),
  (SELECT lineage FROM revisions WHERE id = (SELECT revision_initial FROM change_requests WHERE id = ${changeRequest})))`;
