import type { Query, RecordOf } from '@octavo/db';
import { isActive, maybe, redirectRow, selection, siteSections, siteSpaces, spaceRank, statement } from '@octavo/db';
import type { UserId } from '@octavo/schema';
import { maxSourceLength, redirectPath } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { siteCte } from '../resolution/site-cte.ts';

const [ss, sec] = [aliasedTable(siteSpaces, 'ss'), aliasedTable(siteSections, 'sec')];

/** A redirect, with the place in the site to which it leads, where that is there. */
const madeRow = selection({
  ...redirectRow.fields,
  siteSpace: maybe({ id: ss.id, space: ss.space, path: ss.path, isDefault: ss.isDefault, condition: ss.condition }),
  section: maybe({ path: sec.path, isDefault: sec.isDefault, condition: sec.condition }),
});

export type MadeRedirect = RecordOf<typeof madeRow>;

const maxApplying = sql.raw('4');

/** An expression: the site space that a destination names, or the default one of its section; of a user one that is seen. */
function siteSpaceOf(destination: SQL, user: SQL<UserId | null>): SQL {
  const rank = spaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
  return sql`(SELECT named.id FROM site_spaces named
    CROSS JOIN spaces s ON s.id = named.space AND s.organization = st.organization AND s.deleted_at IS NULL
    LEFT JOIN organizations o ON o.id = st.organization AND ${user} IS NOT NULL
    LEFT JOIN members m ON m.organization = st.organization AND m.user = ${user}
    WHERE named.site = st.id AND named.id = CASE ${destination}->>'kind' WHEN 'site-section'
      THEN (SELECT id FROM site_spaces WHERE site = st.id AND section = ${destination}->>'siteSectionId' AND is_default = 1)
      ELSE ${destination}->>'siteSpaceId' END
    AND CASE WHEN ${user} IS NULL THEN 1 ELSE COALESCE(${rank}, 0) > 0 END)`;
}

/** The path in parts from where the site's own ends, and behind a share key: `prefix(level, source)`, each a part longer. */
const prefixCte = (parts: SQL<string>, isKeyed: SQL<number>): SQL => sql`prefix(level, source, first) AS (
    SELECT first, '', first FROM (SELECT site.depth + (${isKeyed} AND st.visibility = 'share-link') AS first
      FROM site CROSS JOIN sites st ON st.id = site.id)
    UNION ALL
    SELECT level + 1, source || '/' || (${parts}->>level), first FROM prefix
    WHERE ${parts}->>level IS NOT NULL AND length(source) < ${sql.raw(String(maxSourceLength))})`;

/** One seek for each source that may apply: the path's own, then those of wildcards, the longest first. */
const ofPath = statement(
  (wanted: SQL<string>, parts: SQL<string>, count: SQL<number>, isKeyed: SQL<number>, user: SQL<UserId | null>) =>
    madeRow.query(sql`
    WITH RECURSIVE ${siteCte(wanted)}, ${prefixCte(parts, isKeyed)}, applying AS MATERIALIZED (
      SELECT sr.*, p.level FROM site CROSS JOIN prefix p
      CROSS JOIN site_redirects sr INDEXED BY site_redirects_by_source
        ON sr.site = site.id AND sr.source = CASE p.source WHEN '' THEN '/' ELSE p.source END
        AND sr.wildcard = (p.level < ${count}) AND sr.draft = 0
      WHERE p.source <> '' OR p.first = ${count}
      ORDER BY p.level DESC LIMIT ${maxApplying})
    SELECT ${madeRow} FROM applying sr CROSS JOIN sites st ON st.id = sr.site
    LEFT JOIN site_spaces ss ON ss.id = ${siteSpaceOf(sql`sr.destination`, user)}
    LEFT JOIN site_sections sec ON sec.id = ss.section
    ORDER BY sr.level DESC`),
);

export interface AskedRedirects {
  /** Of the whole path, decoded. */
  segments: string[];
  /** Whether a key stands in the addresses of a site that is open by keys. */
  isKeyed: boolean;
  /** For whom is asked what spaces may be seen; null is nobody of the organization. */
  user: UserId | null;
}

/** More parts are longer than any source. */
const maxParts = maxSourceLength / 2 + 16;

/** Reads the explicit redirects that may apply to a path of the site that is wanted, a few at most; drafts never do. */
export function applyingRedirects(wanted: string, { segments, isKeyed, user }: AskedRedirects): Query<MadeRedirect> {
  const parts = segments.slice(0, maxParts).map((segment) => redirectPath(encoded(segment)).slice(1));
  return ofPath(wanted, JSON.stringify(parts), segments.length, isKeyed ? 1 : 0, user);
}

const encoded = (segment: string): string => encodeURIComponent(segment.toWellFormed());

/** A path with its segments encoded. */
export const pathOf = (segments: string[]): string => `/${segments.map(encoded).join('/')}`;
