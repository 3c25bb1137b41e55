import type { Database, RecordOf } from '@octavo/db';
import {
  computed,
  createPointFields,
  fromJson,
  fromQuery,
  getOnlyRow,
  isActive,
  nullable,
  prepareStatement,
  revisions,
  runBatch,
  selection,
  selectSpaceRank,
  siteAdaptiveSchemas,
  siteRow,
  siteSections,
  siteShareLinks,
  siteSpaces,
  sites,
} from '@octavo/db';
import type { SiteCandidate, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { ConfiguredRedirect, KnownSite, PathUseRecord, PathUserRecord, RedirectLookup } from './queries.ts';
import {
  getPaths,
  pathUsersByPath,
  pathUsesByPath,
  prepareForSite,
  selectApplyingRedirects,
  toAddressQuery,
} from './queries.ts';

const schema = aliasedTable(siteAdaptiveSchemas, 'schema');
const foundSiteRow = selection({
  site: siteRow.fields,
  textEdits: aliasedTable(sites, 'st').textEdits,
  jsonSchema: nullable(schema.jsonSchema),
  depth: fromQuery(Number),
  /** Whether this is a former address of the site. */
  isFormer: fromQuery(Boolean),
});

const siteByAddress = prepareForSite((siteCte) =>
  foundSiteRow.query(sql`
    WITH ${siteCte}
    SELECT ${foundSiteRow.with({ depth: sql`site.depth`, isFormer: sql`site.is_former` })}
    FROM site CROSS JOIN sites st ON st.id = site.id CROSS JOIN organizations o ON o.id = st.organization
    LEFT JOIN site_adaptive_schemas "schema" ON "schema".site = st.id`),
);

const k = aliasedTable(siteShareLinks, 'k');
const linkRow = selection({ id: k.id, keyHash: k.keyHash });

/** The site's active share links with one of these key hashes. */
const linksByHash = prepareForSite((siteCte, hashes: SQL<string>) =>
  linkRow.query(sql`
    WITH ${siteCte}
    SELECT ${linkRow} FROM site CROSS JOIN json_each(${hashes}) h
    CROSS JOIN site_share_links k ON k.key_hash = h.value AND k.site = site.id WHERE k.active`),
);

/** Number of siblings read to decide whether the path can continue within the site. */
const maxSiblings = 8;

/** Selects the conditions of the siblings; null for a sibling without a condition. */
const selectSiblings = (others: SQL) =>
  computed(
    fromJson<(string | null)[]>(),
    sql`(SELECT json_group_array(condition) FROM (SELECT x.condition FROM ${others} ORDER BY x.position LIMIT ${sql.raw(String(maxSiblings))}))`,
  );

const sec = aliasedTable(siteSections, 'sec');
const sectionRow = selection({
  id: sec.id,
  path: sec.path,
  condition: sec.condition,
  isDefault: sec.isDefault,
  position: sec.position,
  siblings: selectSiblings(sql`site_sections x WHERE x.site = sec.site AND x.id <> sec.id`),
});

/** If the default is hidden from a visitor, the first visible sibling replaces it. At most this many are read. */
const maxReplacements = 20;

/** Selects the sections that a path may resolve to: those it names, the default, and the default's replacements. */
const selectSectionIds = (segments: SQL<string>): SQL => sql`
  SELECT sec.id FROM site CROSS JOIN json_each(${segments}) segment
    CROSS JOIN site_sections sec ON sec.site = site.id AND sec.path = segment.value
  UNION SELECT sec.id FROM site CROSS JOIN site_sections sec ON sec.site = site.id AND sec.is_default = 1
  UNION SELECT id FROM (SELECT sec.id FROM site
    CROSS JOIN site_sections first ON first.site = site.id AND first.is_default = 1
    LEFT JOIN site_spaces within ON within.site = site.id AND within.section = first.id AND within.is_default = 1
    LEFT JOIN spaces gone ON gone.id = within.space
    CROSS JOIN site_sections sec ON sec.site = site.id
    WHERE first.condition IS NOT NULL OR within.condition IS NOT NULL OR gone.id IS NULL OR gone.deleted_at IS NOT NULL
    ORDER BY sec.position LIMIT ${sql.raw(String(maxReplacements))})`;

const sectionsBySegments = prepareForSite((siteCte, segments: SQL<string>) =>
  sectionRow.query(sql`
    WITH ${siteCte}
    SELECT ${sectionRow} FROM (${selectSectionIds(segments)}) picked CROSS JOIN site_sections sec ON sec.id = picked.id`),
);

const [ss, head] = [aliasedTable(siteSpaces, 'ss'), aliasedTable(revisions, 'head')];
const siteSpaceRow = selection({
  id: ss.id,
  section: ss.section,
  space: ss.space,
  path: ss.path,
  condition: ss.condition,
  isDefault: ss.isDefault,
  position: ss.position,
  head: createPointFields(head),
  siblings: selectSiblings(sql`site_spaces x WHERE x.site = ss.site AND x.section = ss.section AND x.id <> ss.id`),
  /** Whether `user` can see the space; true if no user is given. */
  isSeen: fromQuery(Boolean),
});

const siteSpacesBySegments = prepareForSite((siteCte, segments: SQL<string>, user: SQL<UserId | null>) => {
  const rank = selectSpaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
  const isSeen = sql`CASE WHEN ${user} IS NULL THEN 1 ELSE COALESCE(${rank}, 0) > 0 END`;
  return siteSpaceRow.query(sql`
    WITH ${siteCte}, sections(id) AS MATERIALIZED (SELECT '' UNION ALL SELECT id FROM (${selectSectionIds(segments)})),
    picked(id) AS MATERIALIZED (
      SELECT ss.id FROM site CROSS JOIN sections CROSS JOIN json_each(${segments}) segment
        CROSS JOIN site_spaces ss ON ss.site = site.id AND ss.section = sections.id AND ss.path = segment.value
      UNION SELECT ss.id FROM site CROSS JOIN sections
        CROSS JOIN site_spaces ss ON ss.site = site.id AND ss.section = sections.id AND ss.is_default = 1
      UNION SELECT id FROM (SELECT ss.id FROM site CROSS JOIN sections
        CROSS JOIN site_spaces first ON first.site = site.id AND first.section = sections.id AND first.is_default = 1
        LEFT JOIN spaces gone ON gone.id = first.space
        CROSS JOIN site_spaces ss ON ss.site = site.id AND ss.section = sections.id
        WHERE first.condition IS NOT NULL OR gone.deleted_at IS NOT NULL
        ORDER BY ss.position LIMIT ${sql.raw(String(maxReplacements))}))
    SELECT ${siteSpaceRow.with({ isSeen })} FROM picked CROSS JOIN site_spaces ss ON ss.id = picked.id
    CROSS JOIN sites st ON st.id = ss.site
    CROSS JOIN spaces s ON s.id = ss.space AND s.organization = st.organization AND s.deleted_at IS NULL
      AND s.purging_at IS NULL
    CROSS JOIN revisions head ON head.branch = s.id AND head.seq = (SELECT MAX(seq) FROM revisions WHERE branch = s.id)
    LEFT JOIN organizations o ON o.id = st.organization AND ${user} IS NOT NULL
    LEFT JOIN members m ON m.organization = st.organization AND m.user = ${user}`);
});

export type FoundSite = RecordOf<typeof foundSiteRow> & {
  links: RecordOf<typeof linkRow>[];
  sections: RecordOf<typeof sectionRow>[];
  siteSpaces: RecordOf<typeof siteSpaceRow>[];
  /** The spaces that are or were at the paths of the address. */
  pathUses: PathUseRecord[];
  /** The current locations in the site of these spaces. */
  pathUsers: PathUserRecord[];
  /** The redirects that may apply to the path, the longest source first. */
  redirects: ConfiguredRedirect[];
};

/** Number of leading path segments in which sections and site spaces are looked up. */
const maxSiteSegments = 16;

interface SiteLookup extends RedirectLookup {
  candidates: SiteCandidate[];
  /** Hashes of the segments that may be share keys. */
  hashes: string[];
  /** The site, if it is known. */
  knownSite?: KnownSite | undefined;
}

/** A site without its structure. This is enough to admit a visitor and to find cached responses. */
export interface OpenSite extends RecordOf<typeof foundSiteRow>, Pick<FoundSite, 'links'> {
  /** Whether other paths of the host can belong to other sites. */
  sharesHost: boolean;
}

/** An address of a site, and the hashes of its segments that may be share keys. */
export type SiteAddress = Pick<SiteLookup, 'candidates' | 'hashes'>;

const proxyRow = selection({ exists: fromQuery(Boolean) });

/** Whether sites have their addresses below a path of the host. */
const proxiesOfHost = prepareStatement((host: SQL<string>) =>
  proxyRow.query(sql`SELECT EXISTS (
    SELECT 1 FROM sites t WHERE t.proxy >= ${host} || '/' AND t.proxy < ${host} || '0') AS ${proxyRow.names.exists}`),
);

/** Finds the site whose current address matches. One round trip. */
export async function findOpenSite(db: Database, { candidates, hashes }: SiteAddress): Promise<OpenSite | undefined> {
  const siteQuery = toAddressQuery(candidates);
  const { found, links, proxies } = await runBatch(db, {
    found: siteByAddress(siteQuery),
    links: linksByHash(siteQuery, JSON.stringify(hashes)),
    proxies: proxiesOfHost(siteQuery.hostname ?? ''),
  });
  const [site] = found;
  if (site === undefined || site.isFormer) return undefined;
  return { ...site, links, sharesHost: getOnlyRow(proxies).exists };
}

/**
 * Finds the site of a current or former address, with everything that the address may resolve to. One round trip,
 * however large the site is.
 */
export async function findSite(db: Database, lookup: SiteLookup): Promise<FoundSite | undefined> {
  const { candidates, segments, hashes, user, knownSite } = lookup;
  const siteQuery = knownSite ?? toAddressQuery(candidates);
  const namedSegments = JSON.stringify([...new Set(segments.slice(0, maxSiteSegments))]);
  const paths = JSON.stringify(getPaths(segments.slice(0, maxSiteSegments)));
  const { found, ...rows } = await runBatch(db, {
    found: siteByAddress(siteQuery),
    links: linksByHash(siteQuery, JSON.stringify(hashes)),
    sections: sectionsBySegments(siteQuery, namedSegments),
    siteSpaces: siteSpacesBySegments(siteQuery, namedSegments, user),
    pathUses: pathUsesByPath(siteQuery, paths),
    pathUsers: pathUsersByPath(siteQuery, paths, user),
    redirects: selectApplyingRedirects(siteQuery, lookup),
  });
  const [site] = found;
  return site === undefined ? undefined : { ...site, ...rows };
}
