import type { Database, RecordOf } from '@octavo/db';
import { isActive, maybe, readRow, selection, siteSections, siteSpaces, spaceRank, statement } from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import type { Claims, RedirectDestination, SiteId, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

const [ss, sec] = [aliasedTable(siteSpaces, 'ss'), aliasedTable(siteSections, 'sec')];
const destinationRow = selection({
  siteSpace: { id: ss.id, space: ss.space, path: ss.path, isDefault: ss.isDefault, condition: ss.condition },
  section: maybe({ path: sec.path, isDefault: sec.isDefault, condition: sec.condition }),
});

/** A site space, or the default one of a section; of a user one that shows a space that the user may see. */
const destinationOf = statement(
  (site: SQL<SiteId>, siteSpace: SQL<string | null>, section: SQL<string | null>, user: SQL<UserId | null>) => {
    const rank = spaceRank({ user, role: sql`m.role`, active: isActive(sql`st.organization`) });
    return destinationRow.query(sql`
      SELECT ${destinationRow} FROM (
        SELECT id FROM site_spaces WHERE id = ${siteSpace} AND site = ${site}
        UNION ALL SELECT id FROM site_spaces WHERE site = ${site} AND section = ${section} AND is_default = 1) named
      CROSS JOIN site_spaces ss ON ss.id = named.id
      CROSS JOIN sites st ON st.id = ss.site
      CROSS JOIN organizations o ON o.id = st.organization
      CROSS JOIN spaces s ON s.id = ss.space AND s.organization = st.organization AND s.deleted_at IS NULL
      LEFT JOIN members m ON m.organization = st.organization AND m.user = ${user}
      LEFT JOIN site_sections sec ON sec.id = ss.section
      WHERE ${user} IS NULL OR COALESCE(${rank}, 0) > 0`);
  },
);

export type FoundDestination = RecordOf<typeof destinationRow>;

/** Who asks: a visitor with these claims, or a member, for whom no conditions count. */
export interface RedirectReader {
  claims: Claims | null;
  user: UserId | null;
}

/** Where in a site a redirect leads, if who asks is shown that; undefined for what is outside. One round trip. */
export async function findDestination(
  db: Database,
  { site, destination }: { site: SiteId; destination: RedirectDestination },
  { claims, user }: RedirectReader,
): Promise<FoundDestination | undefined> {
  if (destination.kind === 'external') return undefined;
  const section = destination.kind === 'site-section' ? destination.siteSectionId : null;
  const siteSpace = destination.kind === 'site-section' ? null : destination.siteSpaceId;
  const found = await readRow(db, destinationOf(site, siteSpace, section, user));
  if (found === undefined || claims === null) return found;
  const conditions = [found.siteSpace.condition, found.section?.condition];
  return conditions.every((condition) => isShownTo(condition, claims)) ? found : undefined;
}
