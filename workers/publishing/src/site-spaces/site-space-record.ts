import type { CallerRecord, Query, RecordOf, SiteRecord } from '@octavo/db';
import {
  actingMember,
  given,
  joinActingMember,
  maybe,
  selection,
  siteSections,
  siteSpaces,
  spaceJoins,
  spaceRank,
  spaceRow,
} from '@octavo/db';
import { roleOfRank } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';

const ss = aliasedTable(siteSpaces, 'ss');
const sec = aliasedTable(siteSections, 'sec');

/** A site space with its section, and its space with the caller's role there, if any. */
const siteSpaceRow = selection({
  id: ss.id,
  path: ss.path,
  condition: ss.condition,
  isDefault: ss.isDefault,
  position: ss.position,
  section: maybe({ id: sec.id, path: sec.path, isDefault: sec.isDefault }),
  space: spaceRow.fields,
  role: maybe(given(roleOfRank)),
});

export type SiteSpaceRecord = RecordOf<typeof siteSpaceRow>;

interface Asked {
  site: Pick<SiteRecord, 'id' | 'organization'>;
  /** A member sees spaces by the role on each; a visitor, who is none, reads what the site shows. */
  actor: Pick<CallerRecord, 'id' | 'organization'> | undefined;
  /** A condition on `site_spaces ss`, beside that they are of the site. */
  only?: SQL;
}

/** The site spaces of a site whose spaces are there, in the order within their sections. */
export const selectSiteSpaces = ({ site, actor, only = sql`1` }: Asked): Query<SiteSpaceRecord> =>
  siteSpaceRow.query(sql`SELECT ${siteSpaceRow.with({ role: actor === undefined ? sql`1` : rankOf(actor) })}
    FROM site_spaces ss
    CROSS JOIN spaces s ON s.id = ss.space AND s.organization = ${site.organization} AND s.deleted_at IS NULL
      AND s.purging_at IS NULL
    LEFT JOIN site_sections sec ON sec.id = ss.section
    ${spaceJoins} WHERE ss.site = ${site.id} AND ${only} ORDER BY ss.position, ss.id`);

const rankOf = (actor: Pick<CallerRecord, 'id' | 'organization'>): SQL =>
  sql`(SELECT ${spaceRank(actingMember(actor))} FROM (SELECT 1) ${joinActingMember(sql`s.organization`, actor)})`;
