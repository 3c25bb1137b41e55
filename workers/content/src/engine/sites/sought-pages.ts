import type { RecordOf } from '@octavo/db';
import {
  computed,
  given,
  isActive,
  maybe,
  parsed,
  placesInSite,
  readPlacesInSite,
  selection,
  spaceRank,
  statement,
} from '@octavo/db';
import { maxPageDepth } from '@octavo/merge';
import type { SiteId, SpaceId, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageCte, lineageOfBranch, pageIdAtPath, seen } from '../nodes/find-nodes.ts';
import { placeOf, stateOf } from '../nodes/page-state.ts';

type Vars = Record<string, string | number | boolean>;

/** A page on the way up; null where a page is gone. */
type State = [parent: string, slug: string, type: string, condition: string | null, variables: Vars | null] | null;

/** A page that was sought in the live content of a space of a site, with what decides on who is shown it. */
const soughtRow = selection({
  ordinal: given(Number),
  space: given((id: string) => id as SpaceId),
  lineage: given(String),
  /** Null where a space is sought, or the page is not there. */
  page: maybe(given(String)),
  places: computed(readPlacesInSite, sql`places`),
  /** The page and all above it, itself first. */
  chain: maybe(given(parsed<State[]>())),
  /** The variables of the space, where conditions of the chain may name them. */
  variables: maybe(given(parsed<Vars>())),
});
export type SoughtPage = RecordOf<typeof soughtRow>;

const maxLevels = sql.raw(String(maxPageDepth));

/** An expression: the state of a page in a lineage in JSON; both are expressions. */
const stateIn = (lineage: SQL, id: SQL): SQL => sql`(WITH ${lineageCte(lineage)} SELECT ${stateOf(id)})`;

const variablesIn = (lineage: SQL): SQL => sql`(
  WITH ${lineageCte(lineage)} SELECT json_group_object(v.id, json(v.data->'$.fields.value')) FROM lineage l
  CROSS JOIN versions v ON v.branch = l.branch AND v.kind = 'variable' AND v.until > l.seq AND v.since <= l.seq
  WHERE v.deleted = 0 AND ${seen})`;

/** Of a member, or whoever previews, those that the user may see; a visitor sees what the site shows. */
const homesCte = (site: SQL<SiteId>, user: SQL<UserId | null>): SQL => {
  const rank = spaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
  return sql`homes(space, lineage, places) AS MATERIALIZED (
    SELECT s.id, ${lineageOfBranch(sql`s.id`)}, ${placesInSite}
    FROM (SELECT DISTINCT space FROM wanted) w CROSS JOIN sites st ON st.id = ${site}
    CROSS JOIN organizations o ON o.id = st.organization
    CROSS JOIN spaces s ON s.id = w.space AND s.organization = st.organization AND s.deleted_at IS NULL AND s.purging_at IS NULL
    LEFT JOIN members m ON m.organization = st.organization AND m.user = ${user}
    WHERE EXISTS (SELECT 1 FROM site_spaces x INDEXED BY site_spaces_by_space WHERE x.space = s.id AND x.site = st.id)
      AND (${user} IS NULL OR COALESCE(${rank}, 0) > 0))`;
};

/**
 * Looks up pages of spaces that a site shows: rows follow what is wanted. `wanted` is a SELECT of (ordinal, space, page,
 * slugs): a page by its id, else by its path, as a JSON array of slugs; without either the space itself.
 */
const soughtIn = (wanted: SQL, { site, user }: { site: SQL<SiteId>; user: SQL<UserId | null> }) => {
  const above = sql`(u.state->>${placeOf.parent})`;
  const byPath = pageIdAtPath(sql`h.lineage`, sql<string>`w.slugs`, sql<number>`json_array_length(w.slugs)`);
  const columns = soughtRow.with({
    ordinal: sql`w.ordinal`,
    space: sql`h.space`,
    lineage: sql`h.lineage`,
    page: sql`b.id`,
    chain: sql`c.chain`,
    variables: sql`CASE WHEN c.conditions LIKE '%space%' THEN k.variables END`,
  });
  return soughtRow.query(sql`
    WITH RECURSIVE wanted(ordinal, space, page, slugs) AS MATERIALIZED (${wanted}), ${homesCte(site, user)},
    begun(ordinal, lineage, id) AS MATERIALIZED (
      SELECT w.ordinal, h.lineage, COALESCE(CASE WHEN ${stateIn(sql`h.lineage`, sql`w.page`)} IS NOT NULL THEN w.page END, ${byPath})
      FROM wanted w CROSS JOIN homes h ON h.space = w.space WHERE w.page IS NOT NULL OR w.slugs IS NOT NULL
    ), up(ordinal, place, lineage, state) AS (
      SELECT b.ordinal, 0, b.lineage, ${stateIn(sql`b.lineage`, sql`b.id`)} FROM begun b WHERE b.id IS NOT NULL
      UNION ALL
      SELECT u.ordinal, u.place + 1, u.lineage, ${stateIn(sql`u.lineage`, above)} FROM up u
      WHERE ${above} <> '' AND u.place <= ${maxLevels}
    ), chains(ordinal, chain, conditions) AS MATERIALIZED (
      SELECT ordinal, json_group_array(json(state) ORDER BY place), group_concat(state->>${placeOf.condition}) FROM up GROUP BY ordinal
    ), scopes(space, variables) AS MATERIALIZED (
      SELECT h.space, ${variablesIn(sql`h.lineage`)} FROM homes h WHERE h.space IN (
        SELECT w.space FROM chains c CROSS JOIN wanted w ON w.ordinal = c.ordinal WHERE c.conditions LIKE '%space%')
    )
    SELECT ${columns} FROM wanted w CROSS JOIN homes h ON h.space = w.space
    LEFT JOIN begun b ON b.ordinal = w.ordinal LEFT JOIN chains c ON c.ordinal = w.ordinal
    LEFT JOIN scopes k ON k.space = w.space ORDER BY w.ordinal`);
};

/** Pages that are named, as JSON: a list of [space, page, slugs], the latter two or null. */
export const soughtByName = statement((site: SQL<SiteId>, user: SQL<UserId | null>, named: SQL<string>) =>
  soughtIn(sql`SELECT key, value->>0, value->>1, value->>2 FROM json_each(${named})`, { site, user }),
);

/** An expression: the slugs on the way to a page, in JSON. */
const slugsOf = (lineage: SQL<string>, page: SQL<string>): SQL => sql`(
  WITH RECURSIVE ${lineageCte(lineage)}, rise(level, state) AS (
    SELECT 0, ${stateOf(page)}
    UNION ALL
    SELECT level + 1, ${stateOf(sql`(rise.state->>${placeOf.parent})`)} FROM rise
    WHERE rise.state->>${placeOf.parent} <> '' AND level <= ${maxLevels})
  SELECT json_group_array(state->>${placeOf.slug} ORDER BY level DESC) FROM rise)`;

/** So many other site spaces of its sections are looked through for a page of a space. */
export const maxBeside = 30;

/** The space itself, and the page of a lineage in the spaces that stand beside it in its sections, or in a site without sections. */
export const soughtBeside = statement(
  (site: SQL<SiteId>, user: SQL<UserId | null>, space: SQL<SpaceId>, page: SQL<string>, lineage: SQL<string>) =>
    soughtIn(
      sql`SELECT 0, ${space}, NULL, NULL UNION ALL SELECT ordinal, space, ${page}, ${slugsOf(lineage, page)} FROM (
        SELECT row_number() OVER (ORDER BY sec.position, beside.position, beside.id) AS ordinal, beside.space FROM (
          SELECT DISTINCT own.section FROM site_spaces own INDEXED BY site_spaces_by_space
          WHERE own.space = ${space} AND own.site = ${site}) here
        CROSS JOIN site_spaces beside INDEXED BY site_spaces_by_place ON beside.site = ${site} AND beside.section = here.section
        LEFT JOIN site_sections sec ON sec.id = beside.section
        WHERE beside.space <> ${space} ORDER BY ordinal LIMIT ${sql.raw(String(maxBeside))})`,
      { site, user },
    ),
);
