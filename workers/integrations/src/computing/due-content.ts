import type { Database } from '@octavo/db';
import { computedContents, fromJson, fromQuery, nullable, readRow, readRows, selection } from '@octavo/db';
import { createId, getContentSource } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

const { space, page, organization, integration, source, version, former, hash, failures, leasedUntil } =
  computedContents;
const takenRow = selection({
  ...{ space, page, organization, integration, source },
  ...{ version, former, hash, failures, leasedUntil },
});
const dueRow = selection({ space, page });

/** A computed page that is leased to one worker until `leasedUntil`. `failures` counts the current attempt too. */
export type LeasedContent = Pick<typeof computedContents.$inferSelect, keyof typeof takenRow.fields>;
type DueContent = Pick<LeasedContent, keyof typeof dueRow.fields>;

/** Duration of a lease. It must be longer than one attempt can take. */
const leaseMilliseconds = 300_000;
/**
 * Pages are generated again after this time even if no known dependency has changed. The first retry after a failure
 * waits one minute.
 */
export const regenerateMilliseconds = 60 * 60_000;
const firstRetryMilliseconds = 60_000;

const maxOrganizations = sql.raw('500');
const maxOfOne = sql.raw('20');
const maxDue = sql.raw('100');

const isDue = (now: number): SQL => sql`due_at <= ${now} AND leased_until <= ${now}`;

/** Returns the delay before the next attempt, for the number of failures so far. */
export const getRetryDelay = (failures: number): number =>
  Math.min(regenerateMilliseconds, firstRetryMilliseconds * 2 ** Math.min(failures - 1, 10));

/** Selects organizations with computed pages, ordered by id, after the given id. Reads one row for each of them. */
function selectOrganizationsAfter(id: string): SQL {
  const selectNextOrganization = (
    after: SQL,
  ) => sql`(SELECT organization FROM computed_contents INDEXED BY computed_contents_due
    WHERE organization > ${after} ORDER BY organization LIMIT 1)`;
  return sql`SELECT id FROM (WITH RECURSIVE found(id) AS (SELECT ${selectNextOrganization(sql`${id}`)}
    UNION ALL SELECT ${selectNextOrganization(sql`found.id`)} FROM found WHERE found.id IS NOT NULL LIMIT ${maxOrganizations})
    SELECT id FROM found WHERE id IS NOT NULL)`;
}

/**
 * Returns due computed pages in rounds: each round has one page of each organization. Organizations that waited longest
 * come first. The random start makes sure that every organization is found, even if there are more than the limit.
 */
export function findDueContents(db: Database): Promise<DueContent[]> {
  return readRows(
    db,
    dueRow.query(sql`
      WITH each_one(id) AS MATERIALIZED (${selectOrganizationsAfter('')} UNION ${selectOrganizationsAfter(createId('organization'))}),
      turns(last, due) AS (
        SELECT (SELECT MAX(taken_at) FROM computed_contents t INDEXED BY computed_contents_taken
            WHERE t.organization = o.id),
          (SELECT json_group_array(json_array(space, page)) FROM (
            SELECT space, page FROM computed_contents INDEXED BY computed_contents_due
            WHERE organization = o.id AND ${isDue(Date.now())} ORDER BY due_at LIMIT ${maxOfOne}))
        FROM each_one o)
      SELECT d.value->>0 AS space, d.value->>1 AS page FROM turns CROSS JOIN json_each(turns.due) d
      ORDER BY d.key, turns.last LIMIT ${maxDue}`),
  );
}

/**
 * Leases a due computed page for this worker. The lease counts as a failure until the page succeeds, so that a page
 * which kills the process is retried less often.
 */
export function leaseContent(db: Database, { space, page }: DueContent): Promise<LeasedContent | undefined> {
  const now = Date.now();
  return readRow(
    db,
    takenRow.query(sql`
      UPDATE computed_contents SET taken_at = ${now}, leased_until = ${now + leaseMilliseconds}, failures = failures + 1,
        due_at = ${now} + MAX(${leaseMilliseconds},
          MIN(${regenerateMilliseconds}, ${firstRetryMilliseconds} << MIN(failures, 10)))
      WHERE space = ${space} AND page = ${page} AND ${isDue(now)} RETURNING ${takenRow}`),
  );
}

/**
 * The dependencies of a computed page with their state; `value` is null if the dependency does not exist or is not
 * accessible.
 */
export type Dependencies = Record<string, { ref: Record<string, unknown>; value: Record<string, unknown> | null }>;

const maxDependencies = sql.raw('10');
/** Maximum number of computed pages of a space, ordered by id, whose generated pages readers see. */
const maxSources = sql.raw('50');

const stateRow = selection({
  /** Whether the computed page is in the live content of its organization. */
  isLive: fromQuery(Boolean),
  /** Whether the computed page is among those whose generated pages readers see. */
  isShown: fromQuery(Boolean),
  /** The active installation on the space of an integration that declares the content source. */
  installation: nullable(fromQuery(String)),
  dependencies: fromQuery(fromJson<Dependencies>()),
});
type ContentState = {
  isLive: boolean;
  isShown: boolean;
  installation: string | null;
  dependencies: Dependencies;
};

/** SQL expression for the state of the reference `r.value` as JSON, limited to resources of the organization `o`. */
const valueOfReference = sql`CASE r.value->>'$.ref.kind'
  WHEN 'openapi' THEN (SELECT json_object('object', 'openapi-spec', 'id', s.id, 'slug', s.slug,
      'lastVersion', s.version, 'visibility', s.visibility)
    FROM openapi_specs s WHERE s.organization = o.organization AND s.slug = r.value->>'$.ref.spec')
  WHEN 'space' THEN (SELECT json_object('object', 'space', 'id', d.id, 'revision', (
      SELECT h.id FROM revisions h WHERE h.branch = d.id ORDER BY h.seq DESC LIMIT 1))
    FROM spaces d WHERE d.id = r.value->>'$.ref.space' AND d.organization = o.organization
      AND d.deleted_at IS NULL AND d.purging_at IS NULL)
  END`;

/** Reads the state that decides whether and how pages are generated. One round trip. */
export async function readState(db: Database, content: LeasedContent): Promise<ContentState> {
  const { space, page, organization, integration, source } = content;
  const dependencies = JSON.stringify(source.dependencies ?? {});
  const sourceId = getContentSource(source)?.source ?? '';
  const row = await readRow(
    db,
    stateRow.query(sql`
      SELECT EXISTS (SELECT 1 FROM search_sources s WHERE s.space = ${space} AND s.source = ${page})
        AND o.organization = ${organization} AND o.deleted_at IS NULL AND o.purging_at IS NULL AS is_live,
      (SELECT COUNT(*) FROM (SELECT 1 FROM search_sources f WHERE f.space = ${space} AND f.source < ${page}
        LIMIT ${maxSources})) < ${maxSources} AS is_shown,
      (SELECT i.id FROM installations i CROSS JOIN integrations g ON g.name = i.integration AND g.unpublished_at IS NULL
        LEFT JOIN space_installations p ON p.installation = i.id AND p.space = o.id
        WHERE i.integration = ${integration} AND i.organization = o.organization AND i.status = 'active'
          AND COALESCE(p.status = 'active', i.space_selection = 'all')
          AND EXISTS (SELECT 1 FROM json_each(g.content_sources) c WHERE c.value->>'id' = ${sourceId})) AS installation,
      COALESCE((SELECT json_group_object(key, json_object('ref', json(ref), 'value', json(value))) FROM (
        SELECT r.key, r.value->'$.ref' AS ref, ${valueOfReference} AS value
        FROM json_each(${dependencies}) r WHERE r.type = 'object' AND json_type(r.value, '$.ref') = 'object'
        LIMIT ${maxDependencies})), '{}') AS dependencies
      FROM spaces o WHERE o.id = ${space}`),
  );
  return row ?? { isLive: false, isShown: false, installation: null, dependencies: {} };
}
