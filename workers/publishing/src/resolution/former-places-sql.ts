import type { RecordOf } from '@octavo/db';
import {
  given,
  isActive,
  maybe,
  selection,
  sitePlaces,
  siteSections,
  siteSpaces,
  spaceRank,
  statement,
} from '@octavo/db';
import type { UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { siteCte } from './site-cte.ts';

/** So many stays at one path are looked at, the newest first. */
const maxStays = sql.raw('64');
const maxClaimants = sql.raw('64');

/** What an address may have of sections and site spaces: of the site's own part of it, nothing is known here. */
export const pathsOf = (segments: string[]): string[] => {
  const plain = segments.map((segment) => (segment.includes('/') ? undefined : segment));
  const paths = plain.flatMap((one, index) => {
    const next = plain[index + 1];
    return one === undefined ? [] : [one, ...(next === undefined ? [] : [`${one}/${next}`])];
  });
  return ['', ...new Set(paths)];
};

const x = aliasedTable(sitePlaces, 'x');
const claimRow = selection({
  path: x.path,
  rank: x.rank,
  space: x.space,
  siteSpace: x.siteSpace,
  since: x.since,
  until: x.until,
});

const claimed = (paths: SQL<string>): SQL => sql`site CROSS JOIN json_each(${paths}) asked_path CROSS JOIN site_places x
  ON x.id IN (SELECT y.id FROM site_places y INDEXED BY site_places_by_path
    WHERE y.site = site.id AND y.path = asked_path.value ORDER BY y.until DESC LIMIT ${maxStays})`;

/** The spaces that stood at these paths of the site, and that stand there, with when. */
export const claimsOf = statement((wanted: SQL<string>, paths: SQL<string>) =>
  claimRow.query(sql`WITH ${siteCte(wanted)} SELECT ${claimRow} FROM ${claimed(paths)}`),
);

const [ss, sec] = [aliasedTable(siteSpaces, 'ss'), aliasedTable(siteSections, 'sec')];
const claimantRow = selection({
  id: ss.id,
  space: ss.space,
  path: ss.path,
  isDefault: ss.isDefault,
  condition: ss.condition,
  isSeen: given(Boolean),
  section: maybe({ path: sec.path, isDefault: sec.isDefault, condition: sec.condition }),
});

/** Where in the site those spaces stand now, and whether a user may see them. */
export const claimantsOf = statement((wanted: SQL<string>, paths: SQL<string>, user: SQL<UserId | null>) => {
  const rank = spaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
  const isSeen = sql`CASE WHEN ${user} IS NULL THEN 1 ELSE COALESCE(${rank}, 0) > 0 END`;
  return claimantRow.query(sql`
    WITH ${siteCte(wanted)}, claimants(space) AS MATERIALIZED (SELECT DISTINCT x.space FROM ${claimed(paths)})
    SELECT ${claimantRow.with({ isSeen })} FROM site CROSS JOIN claimants
    CROSS JOIN site_spaces ss INDEXED BY site_spaces_by_space ON ss.space = claimants.space AND ss.site = site.id
    CROSS JOIN sites st ON st.id = ss.site
    CROSS JOIN organizations o ON o.id = st.organization
    CROSS JOIN spaces s ON s.id = ss.space AND s.organization = st.organization AND s.deleted_at IS NULL
      AND s.purging_at IS NULL
    LEFT JOIN members m ON m.organization = st.organization AND m.user = ${user}
    LEFT JOIN site_sections sec ON sec.id = ss.section
    ORDER BY ${claimantRow.names.isSeen} DESC, ss.position, ss.id LIMIT ${maxClaimants}`);
});

export type ClaimRecord = RecordOf<typeof claimRow>;
export type ClaimantRecord = RecordOf<typeof claimantRow>;
