import type { SiteId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { RecordOf } from './fields.ts';
import { given, parsed } from './fields.ts';
import { selection, statement } from './selection.ts';

type Vars = Record<string, string | number | boolean | null>;

/** What a computed page of a site is shown by: each condition must hold that is not null. */
const useRow = selection({
  /** Of the site space and its section. */
  places: given(parsed<(string | null)[]>()),
  /** Of the page and those above it, each with the variables of its page. */
  pages: given(parsed<[condition: string | null, vars: Vars | null][]>()),
  vars: given(parsed<Vars>()),
});

export type SpecUse = RecordOf<typeof useRow>;

/** At most so many uses of one specification are looked through. */
const maxUses = sql.raw('200');
/** Pages nest no deeper. */
const maxLevels = sql.raw('64');

/** An expression: parent, condition and variables of the page above `up`; one that is not there is shown to nobody. */
const stateAbove = sql.raw(`COALESCE((
  SELECT CASE WHEN p.deleted = 0 THEN json_array(p.parent, p.data->>'$.fields.condition', json(p.data->'$.fields.variables')) END
  FROM json_each(head.lineage) n CROSS JOIN versions p ON p.branch = n.value->>0 AND p.kind = 'page' AND p.id = (up.state->>0)
    AND p.since = (SELECT MAX(x.since) FROM versions x
      WHERE x.branch = n.value->>0 AND x.kind = 'page' AND x.id = (up.state->>0) AND x.since <= n.value->>1)
  ORDER BY n.key LIMIT 1), '["","false",null]')`);

const chain = sql`(
  WITH RECURSIVE up(level, state) AS (
    SELECT 0, json_array(v.parent, v.data->>'$.fields.condition', json(v.data->'$.fields.variables'))
    UNION ALL SELECT level + 1, ${stateAbove} FROM up WHERE state->>0 <> '' AND level < ${maxLevels}
  ) SELECT json_group_array(json_array(state->>1, json(state->'$[2]'))) FROM up)`;

/** The nearest of a lineage comes last, and counts. */
const variables = sql.raw(`(SELECT json_group_object(id, json(value)) FROM (
  SELECT w.id, CASE WHEN w.deleted = 0 THEN w.data->'$.fields.value' END AS value
  FROM json_each(head.lineage) n CROSS JOIN versions w ON w.branch = n.value->>0 AND w.kind = 'variable'
    AND w.until > n.value->>1 AND w.since <= n.value->>1
  ORDER BY n.key DESC))`);

/** The computed pages that a site shows of a specification of its organization, by what each is shown. */
export const specUses = statement((site: SQL<SiteId>, organization: SQL<string>, slug: SQL<string>) =>
  useRow.query(sql`
    SELECT ${useRow.with({ places: sql`json_array(ss.condition, sec.condition)`, pages: chain, vars: variables })}
    FROM site_spaces ss LEFT JOIN site_sections sec ON sec.id = ss.section
    CROSS JOIN spaces s ON s.id = ss.space AND s.organization = ${organization} AND s.deleted_at IS NULL AND s.purging_at IS NULL
    CROSS JOIN revisions head ON head.branch = s.id AND head.seq = (SELECT MAX(seq) FROM revisions WHERE branch = s.id)
    CROSS JOIN json_each(head.lineage) l
    CROSS JOIN versions v INDEXED BY versions_specs ON v.branch = l.value->>0
      AND v.data->>'$.fields.computed.dependencies.spec.ref.spec' = ${slug} AND v.until > l.value->>1 AND v.since <= l.value->>1
    WHERE ss.site = ${site} AND v.data->>'$.fields.computed.type' = 'builtin:openapi' AND v.kind = 'page' AND v.deleted = 0
      AND NOT EXISTS (SELECT 1 FROM json_each(head.lineage) n CROSS JOIN versions x ON x.branch = n.value->>0
        AND x.kind = 'page' AND x.id = v.id AND x.since <= n.value->>1 WHERE n.key < l.key)
    LIMIT ${maxUses}`),
);
