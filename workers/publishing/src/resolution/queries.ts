import type { Query, RecordOf } from '@octavo/db';
import {
  fromQuery,
  isActive,
  nullable,
  prepareStatement,
  redirectRow,
  selectIfComplete,
  selection,
  selectSpaceRank,
  siteLocations,
  siteSections,
  siteSpaces,
} from '@octavo/db';
import type { SiteCandidate, SiteId, UserId } from '@octavo/schema';
import { maxSourceLength, toRedirectPath } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

/** A site that is known to be at an address, and the number of path segments in its own address. */
export type KnownSite = [id: SiteId, depth: number];

/** The sites an address may belong to; passed to the statements as JSON. */
interface AddressQuery {
  /** The hostname or id of an organization, in lower case if it comes from a host. */
  named: string | null;
  basename: string | null;
  own: number;
  hostname: string | null;
  proxies: [origin: string, depth: number][];
}

type SiteQuery = AddressQuery | KnownSite;

export function toAddressQuery(candidates: SiteCandidate[]): AddressQuery {
  const siteQuery: AddressQuery = { named: null, basename: null, own: 0, hostname: null, proxies: [] };
  for (const candidate of candidates) {
    if (candidate.by === 'hostname') siteQuery.hostname = candidate.hostname;
    else if (candidate.by === 'proxy') siteQuery.proxies.push([candidate.proxy, candidate.depth]);
    else
      Object.assign(siteQuery, { named: candidate.organization, basename: candidate.basename, own: candidate.depth });
  }
  return siteQuery;
}

/**
 * SQL that holds if no other organization uses the host now. Values between 'host/' and 'host0' are proxies at a path
 * of the host.
 */
const isUnused = (host: SQL): SQL => sql`NOT EXISTS (
  SELECT 1 FROM sites t WHERE t.hostname = ${host} AND t.organization <> f.organization) AND NOT EXISTS (
  SELECT 1 FROM sites t WHERE t.proxy >= ${host} || '/' AND t.proxy < ${host} || '0' AND t.organization <> f.organization)`;

const selectFormerAddresses = (kind: string): SQL => sql`site_former_addresses f ON f.kind = ${sql.raw(`'${kind}'`)}`;
const hostOfProxy = sql`substr(f.value, 1, instr(f.value, '/') - 1)`;

/** Selects the last site that had the address, if no site has it now. */
const formerSite = sql`
  SELECT site, depth FROM (
    SELECT f.site, asked->>'own' AS depth, f.until FROM missed
      CROSS JOIN organizations o ON o.hostname = asked->>'named'
      CROSS JOIN ${selectFormerAddresses('basename')} AND f.value = asked->>'basename' AND f.organization = o.id
    UNION ALL SELECT f.site, asked->>'own', f.until FROM missed
      CROSS JOIN organizations o ON o.id = asked->>'named' COLLATE NOCASE
      CROSS JOIN ${selectFormerAddresses('basename')} AND f.value = asked->>'basename' AND f.organization = o.id
    UNION ALL SELECT f.site, 0, f.until FROM missed
      CROSS JOIN ${selectFormerAddresses('hostname')} AND f.value = asked->>'hostname' WHERE ${isUnused(sql`f.value`)}
    UNION ALL SELECT f.site, p.value->>1, f.until FROM missed CROSS JOIN json_each(asked, '$.proxies') p
      CROSS JOIN ${selectFormerAddresses('proxy')} AND f.value = p.value->>0 WHERE ${isUnused(hostOfProxy)})
  ORDER BY depth DESC, until DESC LIMIT 1`;

/**
 * `site(id, depth, is_former)`: the site of an address, and the number of path segments in its address. The longest
 * match wins.
 */
const createSiteCte = (
  siteQuery: SQL<string>,
): SQL => sql`wanted(asked) AS MATERIALIZED (SELECT ${selectIfComplete(siteQuery)}), present(id, depth) AS MATERIALIZED (
  SELECT id, depth FROM (
    SELECT own.id AS id, asked->>'own' AS depth FROM wanted
      CROSS JOIN organizations o ON o.hostname = asked->>'named' CROSS JOIN sites own
      ON own.organization = o.id AND own.basename = asked->>'basename'
    UNION ALL SELECT own.id, asked->>'own' FROM wanted
      CROSS JOIN organizations o ON o.id = asked->>'named' COLLATE NOCASE CROSS JOIN sites own
      ON own.organization = o.id AND own.basename = asked->>'basename'
    UNION ALL SELECT host.id, 0 FROM wanted CROSS JOIN sites host ON host.hostname = asked->>'hostname'
    UNION ALL SELECT passed.id, p.value->>1 FROM wanted CROSS JOIN json_each(asked, '$.proxies') p
      CROSS JOIN sites passed ON passed.proxy = p.value->>0)
  ORDER BY depth DESC LIMIT 1), missed(asked) AS MATERIALIZED (
  SELECT asked FROM wanted WHERE NOT EXISTS (SELECT 1 FROM present)), former(id, depth) AS MATERIALIZED (${formerSite}),
  site(id, depth, is_former) AS MATERIALIZED (SELECT id, depth, 0 FROM present UNION ALL SELECT id, depth, 1 FROM former)`;

/** The CTE `site(id, depth, is_former)` for a site that is already known. */
const createKnownSiteCte = (known: SQL<string>): SQL =>
  sql`site(id, depth, is_former) AS MATERIALIZED (SELECT ${known}->>0, ${known}->>1, 0)`;

/**
 * Prepares a statement that starts with the CTE `site`, whether the site is known or is looked up by its address.
 */
export function prepareForSite<Values extends unknown[], Record>(
  build: (siteCte: SQL, ...values: { [Place in keyof Values]: SQL<Values[Place]> }) => Query<Record>,
): (siteQuery: SiteQuery, ...values: Values) => Query<Record> {
  const prepare = (createCte: (siteQuery: SQL<string>) => SQL) =>
    prepareStatement<[string, ...Values], Record>((query, ...values) => build(createCte(query), ...values));
  const [byAddress, byId] = [prepare(createSiteCte), prepare(createKnownSiteCte)];
  return (siteQuery, ...values) => (Array.isArray(siteQuery) ? byId : byAddress)(JSON.stringify(siteQuery), ...values);
}

/** Maximum number of periods read for one path, newest first, and of site spaces that use a path. */
const maxPeriods = sql.raw('64');
const maxPathUsers = sql.raw('64');

/**
 * Returns every path of one or two segments in an address, since it is not yet known which segments belong to the
 * site's own address.
 */
export const getPaths = (segments: string[]): string[] => {
  const plain = segments.map((segment) => (segment.includes('/') ? undefined : segment));
  const paths = plain.flatMap((one, index) => {
    const next = plain[index + 1];
    return one === undefined ? [] : [one, ...(next === undefined ? [] : [`${one}/${next}`])];
  });
  return ['', ...new Set(paths)];
};

const x = aliasedTable(siteLocations, 'x');
const pathUseRow = selection({
  path: x.path,
  rank: x.rank,
  space: x.space,
  siteSpace: x.siteSpace,
  since: x.since,
  until: x.until,
});

const joinPathUses = (
  paths: SQL<string>,
): SQL => sql`site CROSS JOIN json_each(${paths}) asked_path CROSS JOIN site_places x
  ON x.id IN (SELECT y.id FROM site_places y INDEXED BY site_places_by_path
    WHERE y.site = site.id AND y.path = asked_path.value ORDER BY y.until DESC LIMIT ${maxPeriods})`;

/** Returns the spaces that are or were at these paths of the site, with the times. */
export const pathUsesByPath = prepareForSite((siteCte, paths: SQL<string>) =>
  pathUseRow.query(sql`WITH ${siteCte} SELECT ${pathUseRow} FROM ${joinPathUses(paths)}`),
);

const [ss, sec] = [aliasedTable(siteSpaces, 'ss'), aliasedTable(siteSections, 'sec')];
const pathUserRow = selection({
  id: ss.id,
  space: ss.space,
  path: ss.path,
  isDefault: ss.isDefault,
  condition: ss.condition,
  isSeen: fromQuery(Boolean),
  section: nullable({ path: sec.path, isDefault: sec.isDefault, condition: sec.condition }),
});

/** Returns the current locations in the site of the spaces from `pathUsesByPath`, and whether a user can see them. */
export const pathUsersByPath = prepareForSite((siteCte, paths: SQL<string>, user: SQL<UserId | null>) => {
  const rank = selectSpaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
  const isSeen = sql`CASE WHEN ${user} IS NULL THEN 1 ELSE COALESCE(${rank}, 0) > 0 END`;
  return pathUserRow.query(sql`
    WITH ${siteCte}, path_users(space) AS MATERIALIZED (SELECT DISTINCT x.space FROM ${joinPathUses(paths)})
    SELECT ${pathUserRow.with({ isSeen })} FROM site CROSS JOIN path_users
    CROSS JOIN site_spaces ss INDEXED BY site_spaces_by_space ON ss.space = path_users.space AND ss.site = site.id
    CROSS JOIN sites st ON st.id = ss.site
    CROSS JOIN organizations o ON o.id = st.organization
    CROSS JOIN spaces s ON s.id = ss.space AND s.organization = st.organization AND s.deleted_at IS NULL
      AND s.purging_at IS NULL
    LEFT JOIN members m ON m.organization = st.organization AND m.user = ${user}
    LEFT JOIN site_sections sec ON sec.id = ss.section
    ORDER BY ${pathUserRow.names.isSeen} DESC, ss.position, ss.id LIMIT ${maxPathUsers}`);
});

export type PathUseRecord = RecordOf<typeof pathUseRow>;
export type PathUserRecord = RecordOf<typeof pathUserRow>;

/** A redirect with the site space and section of its destination, if these exist. */
const configuredRow = selection({
  ...redirectRow.fields,
  siteSpace: nullable({ id: ss.id, space: ss.space, path: ss.path, isDefault: ss.isDefault, condition: ss.condition }),
  section: nullable({ path: sec.path, isDefault: sec.isDefault, condition: sec.condition }),
});

export type ConfiguredRedirect = RecordOf<typeof configuredRow>;

const maxApplying = sql.raw('4');

/**
 * Returns SQL for the id of the destination's site space, or of its section's default. If `user` is set, only a site
 * space that the user can see is returned.
 */
function selectSiteSpace(destination: SQL, user: SQL<UserId | null>): SQL {
  const rank = selectSpaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
  return sql`(SELECT named.id FROM site_spaces named
    CROSS JOIN spaces s ON s.id = named.space AND s.organization = st.organization AND s.deleted_at IS NULL
    LEFT JOIN organizations o ON o.id = st.organization AND ${user} IS NOT NULL
    LEFT JOIN members m ON m.organization = st.organization AND m.user = ${user}
    WHERE named.site = st.id AND named.id = CASE ${destination}->>'kind' WHEN 'site-section'
      THEN (SELECT id FROM site_spaces WHERE site = st.id AND section = ${destination}->>'siteSectionId' AND is_default = 1)
      ELSE ${destination}->>'siteSpaceId' END
    AND CASE WHEN ${user} IS NULL THEN 1 ELSE COALESCE(${rank}, 0) > 0 END)`;
}

/**
 * `prefix(level, source)`: every prefix of the path after the site's address and share key. Each prefix is one segment
 * longer than the one before.
 */
const createPrefixCte = (parts: SQL<string>, isKeyed: SQL<number>): SQL => sql`prefix(level, source, first) AS (
    SELECT first, '', first FROM (SELECT site.depth + (${isKeyed} AND st.visibility = 'share-link') AS first
      FROM site CROSS JOIN sites st ON st.id = site.id)
    UNION ALL
    SELECT level + 1, source || '/' || (${parts}->>level), first FROM prefix
    WHERE ${parts}->>level IS NOT NULL AND length(source) < ${sql.raw(String(maxSourceLength))})`;

/** Finds the exact source first, then wildcards from the longest to the shortest, with one index seek per prefix. */
const redirectsOfPath = prepareForSite(
  (siteCte, parts: SQL<string>, count: SQL<number>, isKeyed: SQL<number>, user: SQL<UserId | null>) =>
    configuredRow.query(sql`
    WITH RECURSIVE ${siteCte}, ${createPrefixCte(parts, isKeyed)}, applying AS MATERIALIZED (
      SELECT sr.*, p.level FROM site CROSS JOIN prefix p
      CROSS JOIN site_redirects sr INDEXED BY site_redirects_by_source
        ON sr.site = site.id AND sr.source = CASE p.source WHEN '' THEN '/' ELSE p.source END
        AND sr.wildcard = (p.level < ${count}) AND sr.draft = 0
      WHERE p.source <> '' OR p.first = ${count}
      ORDER BY p.level DESC LIMIT ${maxApplying})
    SELECT ${configuredRow} FROM applying sr CROSS JOIN sites st ON st.id = sr.site
    LEFT JOIN site_spaces ss ON ss.id = ${selectSiteSpace(sql`sr.destination`, user)}
    LEFT JOIN site_sections sec ON sec.id = ss.section
    ORDER BY sr.level DESC`),
);

export interface RedirectLookup {
  /** The decoded segments of the whole path. */
  segments: string[];
  /** Whether addresses of a `share-link` site contain the key of a share link. */
  isKeyed: boolean;
  /** The member whose access to spaces is checked; null for visitors. */
  user: UserId | null;
}

/** Maximum number of segments of a path. No source is long enough to match a longer path. */
const maxParts = maxSourceLength / 2 + 16;

/** Selects the redirects that may apply to a path of the site, at most four. Drafts never apply. */
export function selectApplyingRedirects(
  siteQuery: SiteQuery,
  { segments, isKeyed, user }: RedirectLookup,
): Query<ConfiguredRedirect> {
  const parts = segments.slice(0, maxParts).map((segment) => toRedirectPath(encodeSegments(segment)).slice(1));
  return redirectsOfPath(siteQuery, JSON.stringify(parts), segments.length, isKeyed ? 1 : 0, user);
}

const encodeSegments = (segment: string): string => encodeURIComponent(segment.toWellFormed());

export const toPath = (segments: string[]): string => `/${segments.map(encodeSegments).join('/')}`;
