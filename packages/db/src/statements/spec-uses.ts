import type { ChangeRequestId, RevisionId, SiteId, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { isActive, selectSpaceRank } from '../access/expressions.ts';
import { prepareStatement } from '../query.ts';
import type { RecordOf } from '../selection.ts';
import { fromJson, fromQuery, nullable, selection } from '../selection.ts';

type Vars = Record<string, string | number | boolean | null>;
/**
 * Conditions as stored in `document_specs` and `document_links`. At least one of the lists must hold. Null if the text
 * is always shown.
 */
type TextConditions = string[][] | null;

/**
 * A use of a specification in a site, with the conditions under which it is visible. All conditions that are not null
 * must hold.
 */
const useRow = selection({
  /** False for reusable content. Its use counts only if a page includes it. */
  isPage: fromQuery(Boolean),
  /** The conditions of the site space and its section. */
  places: fromQuery(fromJson<(string | null)[]>()),
  /** The conditions of the page and its ancestors, each with the variables of its page. */
  pages: fromQuery(fromJson<[condition: string | null, vars: Vars | null][]>()),
  /**
   * One list of conditions for each text on the include path from the page to the block. At least one condition of
   * every list must hold.
   */
  texts: fromQuery(fromJson<TextConditions[][]>()),
  /** The id of the lineage. Only one row of each lineage contains its variables. */
  scope: fromQuery(Number),
  vars: nullable(fromQuery(fromJson<Vars>())),
});

export type SpecUse = RecordOf<typeof useRow>;

/** Maximum nesting depth of pages. */
const maxLevels = sql.raw('64');

/**
 * Returns the SQL condition that `l` is the nearest branch, in the lineage of `alias`, that has a version of the node
 * of `v`.
 */
const isNearestVersion = (alias: string): SQL =>
  sql.raw(`NOT EXISTS (SELECT 1 FROM json_each(${alias}.lineage) n CROSS JOIN versions x ON x.branch = n.value->>0
    AND x.kind = v.kind AND x.id = v.id AND x.since <= n.value->>1 WHERE n.key < l.key)`);

/**
 * An SQL expression for parent, condition and variables of the parent page of `up`. A missing page has the condition
 * `false`.
 */
const parentState = sql.raw(`COALESCE((
  SELECT CASE WHEN p.deleted = 0 THEN json_array(p.parent, p.data->>'$.fields.condition', json(p.data->'$.fields.variables')) END
  FROM json_each(u.lineage) n CROSS JOIN versions p ON p.branch = n.value->>0 AND p.kind = 'page' AND p.id = (up.state->>0)
    AND p.since = (SELECT MAX(x.since) FROM versions x
      WHERE x.branch = n.value->>0 AND x.kind = 'page' AND x.id = (up.state->>0) AND x.since <= n.value->>1)
  ORDER BY n.key LIMIT 1), '["","false",null]')`);

const ancestorStates = sql`(
  WITH RECURSIVE up(level, state) AS (
    SELECT 0, json_array(v.parent, v.data->>'$.fields.condition', json(v.data->'$.fields.variables'))
    UNION ALL SELECT level + 1, ${parentState} FROM up WHERE state->>0 <> '' AND level < ${maxLevels}
  ) SELECT json_group_array(json_array(state->>1, json(state->'$[2]'))) FROM up)`;

/** An SQL expression for the variables of `s.lineage`. The nearest branch is last, so it overrides the others. */
const variables = sql.raw(`(SELECT json_group_object(id, json(value)) FROM (
  SELECT w.id, CASE WHEN w.deleted = 0 THEN w.data->'$.fields.value' END AS value
  FROM json_each(s.lineage) n CROSS JOIN versions w ON w.branch = n.value->>0 AND w.kind = 'variable'
    AND w.until > n.value->>1 AND w.since <= n.value->>1
  ORDER BY n.key DESC))`);

interface VisitedSite {
  site: SQL<SiteId>;
  organization: SQL<string>;
  user: SQL<UserId | null>;
  changeRequest: SQL<ChangeRequestId | null>;
  revision: SQL<RevisionId | null>;
}

const selectNewestLineage = (condition: SQL): SQL =>
  sql`(SELECT r.lineage FROM revisions r WHERE ${condition} ORDER BY r.seq DESC LIMIT 1)`;

/**
 * The CTE `points(places, lineage)`: the live content of the site's spaces. In a preview, it contains only the spaces
 * that the member may view, and the previewed change request or revision.
 */
function buildPointsCte({ site, organization, user, changeRequest, revision }: VisitedSite): SQL {
  const rank = selectSpaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
  return sql`shown(space, places) AS MATERIALIZED (
      SELECT s.id, json_array(ss.condition, sec.condition) FROM site_spaces ss
      CROSS JOIN sites st ON st.id = ss.site AND st.organization = ${organization}
      CROSS JOIN organizations o ON o.id = st.organization
      CROSS JOIN spaces s ON s.id = ss.space AND s.organization = st.organization AND s.deleted_at IS NULL AND s.purging_at IS NULL
      LEFT JOIN site_sections sec ON sec.id = ss.section
      LEFT JOIN members m ON m.organization = st.organization AND m.user = ${user}
      WHERE ss.site = ${site} AND (${user} IS NULL OR COALESCE(${rank}, 0) > 0)
    ), points(places, lineage) AS MATERIALIZED (
      SELECT places, ${selectNewestLineage(sql`r.branch = shown.space`)} FROM shown
      UNION ALL SELECT places, r.lineage FROM shown CROSS JOIN revisions r ON r.id = ${revision} AND r.space = shown.space
      UNION ALL SELECT places, COALESCE(${selectNewestLineage(sql`r.branch = c.id`)}, ${selectNewestLineage(sql`r.id = c.revision_initial`)})
      FROM shown CROSS JOIN change_requests c ON c.id = ${changeRequest} AND c.space = shown.space
    )`;
}

/** Returns an SQL expression for the conditions, in JSON, under which `v` itself refers to a specification. */
const selectOwnConditions = (
  slug: SQL,
): SQL => sql`iif(v.data->>'$.fields.computed.dependencies.spec.ref.spec' = ${slug}, '[null]',
  (SELECT json_array(json(COALESCE(d.conditions, 'null'))) FROM document_specs d WHERE d.hash = v.document AND d.spec = ${slug}))`;

/** An SQL expression for the conditions, in JSON, under which the text of `v` includes the reusable content `u`. */
const inclusionConditions = sql.raw(`(SELECT json_group_array(json(COALESCE(k.conditions, 'null')))
  FROM json_each(v.data, '$.links') j LEFT JOIN document_links k INDEXED BY document_links_conditional ON k.hash = v.document
    AND k.conditions IS NOT NULL AND substr(k.target, 1, instr(k.target || '#', '#') - 1) = j.key WHERE j.value = u.id)`);

const columns = useRow.with({
  isPage: sql`u.kind = 'page'`,
  places: sql`u.places`,
  pages: ancestorStates,
  texts: sql`u.texts`,
  scope: sql`s.id`,
  vars: sql`iif(row_number() OVER (PARTITION BY s.id) = 1, s.vars, NULL)`,
});

/**
 * The pages of a site that use a specification of its organization, with their visibility conditions, at most
 * `maxUses`.
 */
export const selectSpecUses = prepareStatement(
  (
    site: SQL<SiteId>,
    organization: SQL<string>,
    slug: SQL<string>,
    user: SQL<UserId | null>,
    changeRequest: SQL<ChangeRequestId | null>,
    revision: SQL<RevisionId | null>,
    maxIncludes: SQL<number>,
    maxUses: SQL<number>,
  ) =>
    useRow.query(sql`
    WITH RECURSIVE ${buildPointsCte({ site, organization, user, changeRequest, revision })}, uses(places, lineage, branch, kind, id, since, texts, level) AS (
      SELECT * FROM (SELECT u.places, u.lineage, v.branch, v.kind, v.id, v.since, json_array(json(${selectOwnConditions(slug)})), 0
      FROM points u CROSS JOIN json_each(u.lineage) l CROSS JOIN version_uses w
        ON w.branch = l.value->>0 AND w.used = 'openapi:' || ${slug} AND w.until > l.value->>1 AND w.since <= l.value->>1
      CROSS JOIN versions v ON v.branch = w.branch AND v.kind = w.kind AND v.id = w.id AND v.since = w.since
      WHERE v.deleted = 0 AND ${isNearestVersion('u')} LIMIT ${maxUses})
      UNION ALL
      SELECT u.places, u.lineage, v.branch, v.kind, v.id, v.since, json_insert(u.texts, '$[#]', json(${inclusionConditions})), level + 1
      FROM uses u CROSS JOIN json_each(u.lineage) l CROSS JOIN version_uses w
        ON w.branch = l.value->>0 AND w.used = u.id AND w.until > l.value->>1 AND w.since <= l.value->>1
      CROSS JOIN versions v ON v.branch = w.branch AND v.kind = w.kind AND v.id = w.id AND v.since = w.since
      WHERE u.kind = 'reusable-content' AND level < ${maxIncludes} AND v.deleted = 0 AND ${isNearestVersion('u')}
      LIMIT ${maxUses}
    ), scopes(id, lineage, vars) AS MATERIALIZED (
      SELECT row_number() OVER (), s.lineage, ${variables} FROM (SELECT DISTINCT lineage FROM uses) s
    )
    SELECT ${columns} FROM uses u CROSS JOIN scopes s ON s.lineage = u.lineage
    CROSS JOIN versions v ON v.branch = u.branch AND v.kind = u.kind AND v.id = u.id AND v.since = u.since`),
);
