import type { CallerRecord, Database, Query, RecordOf, SiteRecord } from '@octavo/db';
import { runBatch, selection, siteExternalLinks, siteSectionGroups, siteSections, statement } from '@octavo/db';
import type { SiteId, Visitor } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { SiteSpaceRecord } from '../site-spaces/site-space-record.ts';
import { selectSiteSpaces } from '../site-spaces/site-space-record.ts';

const [sec, grp, lnk] = [
  aliasedTable(siteSections, 'sec'),
  aliasedTable(siteSectionGroups, 'grp'),
  aliasedTable(siteExternalLinks, 'lnk'),
];

const sectionRow = selection({
  id: sec.id,
  group: sec.sectionGroup,
  title: sec.title,
  description: sec.description,
  path: sec.path,
  icon: sec.icon,
  condition: sec.condition,
  isDefault: sec.isDefault,
  position: sec.position,
});
export type SectionRecord = RecordOf<typeof sectionRow>;

const groupRow = selection({ id: grp.id, title: grp.title, icon: grp.icon, position: grp.position });
export type GroupRecord = RecordOf<typeof groupRow>;

const linkRow = selection({
  id: lnk.id,
  group: lnk.sectionGroup,
  title: lnk.title,
  description: lnk.description,
  url: lnk.url,
  icon: lnk.icon,
  condition: lnk.condition,
  position: lnk.position,
});
export type LinkRecord = RecordOf<typeof linkRow>;

/** All that a site is built of, each kind in the order of its positions. */
export interface StructureRecord {
  sections: SectionRecord[];
  groups: GroupRecord[];
  links: LinkRecord[];
  siteSpaces: SiteSpaceRecord[];
}

const sectionsOf = statement((site: SQL<SiteId>) =>
  sectionRow.query(sql`SELECT ${sectionRow} FROM site_sections sec WHERE sec.site = ${site} ORDER BY position, id`),
);
const groupsOf = statement((site: SQL<SiteId>) =>
  groupRow.query(sql`SELECT ${groupRow} FROM site_section_groups grp WHERE grp.site = ${site} ORDER BY position, id`),
);
const linksOf = statement((site: SQL<SiteId>) =>
  linkRow.query(sql`SELECT ${linkRow} FROM site_external_links lnk WHERE lnk.site = ${site} ORDER BY position, id`),
);

interface Asked {
  site: Pick<SiteRecord, 'id' | 'organization'>;
  actor: Pick<CallerRecord, 'id' | 'organization'> | undefined;
}

/** By whose rights the spaces of a site are seen: a member's, also in a preview; of a visitor nobody's. */
export const structureReader = (
  { organization }: Pick<SiteRecord, 'organization'>,
  { actor, visitor }: { actor?: CallerRecord | undefined; visitor?: Visitor | undefined },
): Asked['actor'] => {
  if (visitor === undefined) return actor;
  return visitor.user === undefined ? undefined : { id: visitor.user, organization };
};

/** The statements that read a site's structure, for a batch. */
export const selectStructure = ({ site, actor }: Asked) => ({
  sections: sectionsOf(site.id),
  groups: groupsOf(site.id),
  links: linksOf(site.id),
  siteSpaces: selectSiteSpaces({ site, actor }),
});

/** The whole structure, which is bounded. One round trip. */
export const readStructure = (db: Database, asked: Asked): Promise<StructureRecord> =>
  runBatch(db, selectStructure(asked));

const sectionById = statement((site: SQL<SiteId>, id: SQL<string>) =>
  sectionRow.query(sql`SELECT ${sectionRow} FROM site_sections sec WHERE sec.id = ${id} AND sec.site = ${site}`),
);

/** One section with its site spaces, to tell what a change has made of it. */
export const selectSection = ({ site, actor }: Asked, id: string) => ({
  sections: sectionById(site.id, id),
  siteSpaces: selectSiteSpaces({ site, actor, only: sql`ss.section = ${id}` }),
});

export const selectLink = (site: SiteId, id: string): Query<LinkRecord> =>
  linkRow.query(sql`SELECT ${linkRow} FROM site_external_links lnk WHERE lnk.id = ${id} AND lnk.site = ${site}`);

/** One group with what it holds. */
export const selectGroup = ({ site, actor }: Asked, id: string) => ({
  groups: groupRow.query(
    sql`SELECT ${groupRow} FROM site_section_groups grp WHERE grp.id = ${id} AND grp.site = ${site.id}`,
  ),
  sections: sectionRow.query(sql`SELECT ${sectionRow} FROM site_sections sec
    WHERE sec.site = ${site.id} AND sec.section_group = ${id} ORDER BY position, id`),
  links: linkRow.query(sql`SELECT ${linkRow} FROM site_external_links lnk
    WHERE lnk.site = ${site.id} AND lnk.section_group = ${id} ORDER BY position, id`),
  siteSpaces: selectSiteSpaces({
    site,
    actor,
    only: sql`ss.section IN (SELECT id FROM site_sections WHERE site = ${site.id} AND section_group = ${id})`,
  }),
});
