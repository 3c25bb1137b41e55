import type { Database } from '@octavo/db';
import { given, maybe, parsed, readRow, selection } from '@octavo/db';
import { integratedBy } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { TakenContent } from './due-content.ts';

/** What a computation depends on, with its state: `value` is null of what is not there for it. */
export type Dependencies = Record<string, { ref: Record<string, unknown>; value: Record<string, unknown> | null }>;

const maxDependencies = sql.raw('10');
/** Of the computed pages of a space readers find pages of so many, the first by their ids. */
const maxSources = sql.raw('50');

const stateRow = selection({
  /** Whether the computed page stands in live content of its organization. */
  isLive: given(Boolean),
  /** Whether it is among those that readers find pages of. */
  isShown: given(Boolean),
  /** The active installation on the space of an integration that has such a source. */
  installation: maybe(given(String)),
  dependencies: given(parsed<Dependencies>()),
});
export type ContentState = {
  isLive: boolean;
  isShown: boolean;
  installation: string | null;
  dependencies: Dependencies;
};

/** An expression, in JSON: the state of the reference `r.value`, of things of the organization `o` alone. */
const valueOfReference = sql`CASE r.value->>'$.ref.kind'
  WHEN 'openapi' THEN (SELECT json_object('object', 'openapi-spec', 'id', s.id, 'slug', s.slug,
      'lastVersion', s.version, 'visibility', s.visibility)
    FROM openapi_specs s WHERE s.organization = o.organization AND s.slug = r.value->>'$.ref.spec')
  WHEN 'space' THEN (SELECT json_object('object', 'space', 'id', d.id, 'revision', (
      SELECT h.id FROM revisions h WHERE h.branch = d.id ORDER BY h.seq DESC LIMIT 1))
    FROM spaces d WHERE d.id = r.value->>'$.ref.space' AND d.organization = o.organization
      AND d.deleted_at IS NULL AND d.purging_at IS NULL)
  END`;

/** What decides on the pages of a computed page. One round trip. */
export async function readState(db: Database, content: TakenContent): Promise<ContentState> {
  const { space, page, organization, integration, source } = content;
  const dependencies = JSON.stringify(source.dependencies ?? {});
  const sourceId = integratedBy(source)?.source ?? '';
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
