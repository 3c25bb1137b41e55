import type { CallerRecord, Database, Parameter, Query, RecordOf, SiteRecord } from '@octavo/db';
import {
  fromQuery,
  joinActingMember,
  nullable,
  prepareQuery,
  runBatch,
  selection,
  selectSpaceRank,
  siteExternalLinks,
  siteSectionGroups,
  siteSections,
  siteSpaces,
  spaceJoins,
  spaceRow,
  toActingMember,
} from '@octavo/db';
import { isShownTo } from '@octavo/expression';
import type { Urls } from '@octavo/runtime';
import type { SiteId, Visitor } from '@octavo/schema';
import { getRoleByRank } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';

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

/** The structure of a site, each kind sorted by position. */
export interface StructureRecord {
  sections: SectionRecord[];
  groups: GroupRecord[];
  links: LinkRecord[];
  siteSpaces: SiteSpaceRecord[];
}

const sectionsBySite = prepareQuery(sectionRow, (select, site: Parameter<SiteId>) =>
  select.from(sec).where(eq(sec.site, site)).orderBy(sec.position, sec.id),
);
const groupsBySite = prepareQuery(groupRow, (select, site: Parameter<SiteId>) =>
  select.from(grp).where(eq(grp.site, site)).orderBy(grp.position, grp.id),
);
const linksBySite = prepareQuery(linkRow, (select, site: Parameter<SiteId>) =>
  select.from(lnk).where(eq(lnk.site, site)).orderBy(lnk.position, lnk.id),
);

interface StructureQuery {
  site: Pick<SiteRecord, 'id' | 'organization'>;
  actor: Pick<CallerRecord, 'id' | 'organization'> | undefined;
}

/** Returns the user whose access to spaces is checked: the member, also in a preview; undefined for a visitor. */
export const getStructureReader = (
  { organization }: Pick<SiteRecord, 'organization'>,
  { actor, visitor }: { actor?: CallerRecord | undefined; visitor?: Visitor | undefined },
): StructureQuery['actor'] => {
  if (visitor === undefined) return actor;
  return visitor.user === undefined ? undefined : { id: visitor.user, organization };
};

/** Returns the queries that read a site's structure in one batch. */
export const selectStructure = ({ site, actor }: StructureQuery) => ({
  sections: sectionsBySite(site.id),
  groups: groupsBySite(site.id),
  links: linksBySite(site.id),
  siteSpaces: selectSiteSpaces({ site, actor }),
});

const readStructure = (db: Database, query: StructureQuery): Promise<StructureRecord> =>
  runBatch(db, selectStructure(query));

const sectionById = prepareQuery(sectionRow, (select, site: Parameter<SiteId>, id: Parameter<string>) =>
  select.from(sec).where(and(eq(sec.id, id), eq(sec.site, site))),
);

/** Returns the queries that read a section with its site spaces. */
export const selectSection = ({ site, actor }: StructureQuery, id: string) => ({
  sections: sectionById(site.id, id),
  siteSpaces: selectSiteSpaces({ site, actor, only: sql`ss.section = ${id}` }),
});

export const selectLink = prepareQuery(linkRow, (select, site: Parameter<SiteId>, id: Parameter<string>) =>
  select.from(lnk).where(and(eq(lnk.id, id), eq(lnk.site, site))),
);

const groupById = prepareQuery(groupRow, (select, site: Parameter<SiteId>, id: Parameter<string>) =>
  select.from(grp).where(and(eq(grp.id, id), eq(grp.site, site))),
);
const sectionsOfGroup = prepareQuery(sectionRow, (select, site: Parameter<SiteId>, group: Parameter<string>) =>
  select
    .from(sec)
    .where(and(eq(sec.site, site), eq(sec.sectionGroup, group)))
    .orderBy(sec.position, sec.id),
);
const linksOfGroup = prepareQuery(linkRow, (select, site: Parameter<SiteId>, group: Parameter<string>) =>
  select
    .from(lnk)
    .where(and(eq(lnk.site, site), eq(lnk.sectionGroup, group)))
    .orderBy(lnk.position, lnk.id),
);

/** Returns the queries that read a group with its sections and links. */
export const selectGroup = ({ site, actor }: StructureQuery, id: string) => ({
  groups: groupById(site.id, id),
  sections: sectionsOfGroup(site.id, id),
  links: linksOfGroup(site.id, id),
  siteSpaces: selectSiteSpaces({
    site,
    actor,
    only: sql`ss.section IN (SELECT id FROM site_sections WHERE site = ${site.id} AND section_group = ${id})`,
  }),
});

const ss = aliasedTable(siteSpaces, 'ss');

/** A site space with its section and space, and the caller's role there. */
const siteSpaceRow = selection({
  id: ss.id,
  path: ss.path,
  condition: ss.condition,
  isDefault: ss.isDefault,
  position: ss.position,
  section: nullable({ id: sec.id, path: sec.path, isDefault: sec.isDefault }),
  space: spaceRow.fields,
  role: nullable(fromQuery(getRoleByRank)),
});

export type SiteSpaceRecord = RecordOf<typeof siteSpaceRow>;

interface SiteSpacesQuery {
  site: Pick<SiteRecord, 'id' | 'organization'>;
  /** The member whose roles limit the visible spaces; undefined for a visitor, who sees what the site shows. */
  actor: Pick<CallerRecord, 'id' | 'organization'> | undefined;
  /** A further condition on `site_spaces ss`. */
  only?: SQL;
}

/** Selects the site spaces of a site whose spaces are not in the trash, sorted within their sections. */
export const selectSiteSpaces = ({ site, actor, only = sql`1` }: SiteSpacesQuery): Query<SiteSpaceRecord> =>
  siteSpaceRow.query(sql`SELECT ${siteSpaceRow.with({ role: actor === undefined ? sql`1` : selectRank(actor) })}
    FROM site_spaces ss
    CROSS JOIN spaces s ON s.id = ss.space AND s.organization = ${site.organization} AND s.deleted_at IS NULL
      AND s.purging_at IS NULL
    LEFT JOIN site_sections sec ON sec.id = ss.section
    ${spaceJoins} WHERE ss.site = ${site.id} AND ${only} ORDER BY ss.position, ss.id`);

const selectRank = (actor: Pick<CallerRecord, 'id' | 'organization'>): SQL =>
  sql`(SELECT ${selectSpaceRank(toActingMember(actor))} FROM (SELECT 1) ${joinActingMember(sql`s.organization`, actor)})`;

/**
 * Removes what the caller cannot see. A visitor sees items whose conditions hold, and no empty sections or groups. A
 * member sees the site spaces whose spaces are visible to the member, and no section in which all site spaces are
 * hidden.
 */
export function filterStructure(all: StructureRecord, visitor: Visitor | undefined): StructureRecord {
  return visitor === undefined ? filterForMember(all) : filterForVisitor(all, visitor);
}

function filterForMember(all: StructureRecord): StructureRecord {
  const siteSpaces = all.siteSpaces.filter(({ role }) => role !== null);
  const visibleSections = getSectionIds(siteSpaces);
  const filled = getSectionIds(all.siteSpaces);
  const sections = all.sections.filter(({ id }) => visibleSections.has(id) || !filled.has(id));
  return { ...all, sections, siteSpaces };
}

function filterForVisitor(all: StructureRecord, { claims, user }: Visitor): StructureRecord {
  const isShown = ({ condition }: { condition: string | null }) => isShownTo(condition, claims);
  const open = new Set(all.sections.filter(isShown).map(({ id }) => id));
  const siteSpaces = all.siteSpaces.filter(
    (each) =>
      isShown(each) &&
      (user === undefined || each.role !== null) &&
      (each.section === null || open.has(each.section.id)),
  );
  const filled = getSectionIds(siteSpaces);
  const sections = all.sections.filter(({ id }) => filled.has(id));
  const links = all.links.filter(isShown);
  const used = new Set([...sections, ...links].map(({ group }) => group));
  return { siteSpaces, sections, links, groups: all.groups.filter(({ id }) => used.has(id)) };
}

const getSectionIds = (siteSpaces: StructureRecord['siteSpaces']): Set<string> =>
  new Set(siteSpaces.flatMap(({ section }) => (section === null ? [] : [section.id])));

/** The context in which a site's structure is presented. */
export interface StructureView {
  site: SiteRecord;
  urls: Urls;
  /** Part of the URLs of a `share-link` site. */
  shareKey?: string | undefined;
  /** Visitors receive no conditions, and only the public fields of spaces. */
  isVisitor: boolean;
}

interface StructureReading {
  db: Database;
  site: SiteRecord;
  actor?: CallerRecord | undefined;
  visitor?: Visitor | undefined;
  urls: Urls;
}

interface ViewedStructure {
  structure: StructureRecord;
  view: StructureView;
  /** Whether the site has sections, even if all of them are hidden. */
  hasSections: boolean;
}

/** Reads the site's structure as the caller, a member or visitor, sees it. One round trip. */
export async function readStructureView(
  { db, site, actor, visitor, urls }: StructureReading,
  shareKey: string | undefined,
): Promise<ViewedStructure> {
  const isVisitor = visitor !== undefined;
  const all = await readStructure(db, { site, actor: getStructureReader(site, { actor, visitor }) });
  return {
    structure: filterStructure(all, visitor),
    view: { site, urls, shareKey, isVisitor },
    hasSections: all.sections.length > 0,
  };
}
