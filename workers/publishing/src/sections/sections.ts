import type { Check, Database, RowsOf, SiteRecord, Statement } from '@octavo/db';
import { createPositionAtEnd, deleteSiteSpaces, runBatch, siteSections } from '@octavo/db';
import type { BodyOf, publishing, SiteId, SiteSection } from '@octavo/schema';
import { conflict, createId, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import {
  createSectionCheck,
  createSiteSpaceLimitCheck,
  createSpaceAccessCheck,
  insertSiteSpace,
  makeDefault,
} from '../site-spaces/site-spaces.ts';
import { moveItem } from '../structure/move-item.ts';
import { buildTopLevel, orderSections, paginateItems, presentSection } from '../structure/presenter.ts';
import { readStructureView, selectSection } from '../structure/queries.ts';
import type { StructureContext } from '../structure/write-structure.ts';
import {
  createItemInBodyChecks,
  createItemInPathCheck,
  createItemLimitCheck,
  createManagerView,
  omitIfEmpty,
  requireCondition,
  selectFreePath,
  writeStructure,
} from '../structure/write-structure.ts';

export const listSiteSections = handler('listSiteSections', async ({ query: { shareKey, ...query } }, context) => {
  const { structure, view } = await readStructureView(context, shareKey);
  return paginateItems(orderSections(buildTopLevel(structure)), query, {
    depth: 4,
    present: (item) => presentSection(item, view),
  });
});

const untitled = 'Section';

/**
 * The site spaces of a site without sections move into a section with the site's title. The first section is the
 * default.
 */
export const addSectionToSite = handler(
  'addSectionToSite',
  async ({ body: { spaceId, title, icon = null } }, context) => {
    const { db, site, organization, actor, targets } = context;
    const id = createId('section');
    const spaceTitle = targets.spaceId?.space.title ?? '';
    const now = Date.now();
    const wrapped = moveSiteSpacesToSection(db, site, now);
    const section = {
      id,
      site: site.id,
      title: title ?? toSectionTitle(spaceTitle),
      icon,
      position: createPositionAtEnd(now),
    };
    const siteSpace = { id: createId('siteSpace'), site: site.id, section: sql`${id}`, space: spaceId };
    const fields = new Map([[spaceId, 'spaceId']]);
    const rows = await writeStructure(
      context,
      {
        event: { type: 'site_section.created', data: { site: site.id, section: id } },
        checks: [
          createSpaceAccessCheck({ organization: organization.id, actor, fields }),
          createSiteSpaceLimitCheck(site.id),
          createItemLimitCheck(site.id, 'site_sections'),
        ],
        statements: [
          ...wrapped,
          insertSection(db, section),
          ...insertSiteSpace(db, { ...siteSpace, title: spaceTitle, position: createPositionAtEnd(now) }),
        ],
      },
      selectSection(context, id),
    );
    return presentChangedSection(rows, context);
  },
);

const toSectionTitle = (title: string): string => (title.length < 2 ? untitled : title);

interface NewSection {
  id: string;
  site: SiteId;
  title: string;
  icon: string | null;
  position: string;
}

/** Inserts a section with a free path. It becomes the default if the site has none. */
const insertSection = (db: Database, { id, site, title, icon, position }: NewSection): Statement =>
  db.run(sql`INSERT INTO site_sections (id, site, title, path, icon, is_default, position, created_at)
    SELECT ${id}, ${site}, ${title}, ${selectFreePath(title, isPathTaken(site))}, ${icon},
      NOT EXISTS (SELECT 1 FROM site_sections x WHERE x.site = ${site} AND x.is_default = 1), ${position}, ${Date.now()}`);

const isPathTaken =
  (site: SiteId) =>
  (path: SQL): SQL =>
    sql`EXISTS (SELECT 1 FROM site_sections x WHERE x.site = ${site} AND x.path = ${path})`;

/** Moves the site spaces of a site without sections into a new section. */
function moveSiteSpacesToSection(db: Database, { id: site, title }: SiteRecord, now: number): Statement[] {
  const id = createId('section');
  return [
    db.run(sql`INSERT INTO site_sections (id, site, title, path, position, created_at)
      SELECT ${id}, ${site}, x.title, ${selectFreePath(title, isPathTaken(site))}, ${createPositionAtEnd(now)}, ${now} FROM sites x
      WHERE x.id = ${site} AND EXISTS (SELECT 1 FROM site_spaces r WHERE r.site = ${site} AND r.section = '')`),
    db.run(sql`UPDATE site_spaces SET section = ${id} WHERE site = ${site} AND section = ''`),
  ];
}

type Endpoint = typeof publishing.updateSiteSectionById;

export const updateSiteSectionById = handler(
  'updateSiteSectionById',
  async ({ params: { siteSectionId: id }, body }, context) => {
    const { db, site } = context;
    requireCondition(body.condition);
    const { defaultSiteSpace, siteSectionGroupId: group } = body;
    const defaultChecks =
      defaultSiteSpace === undefined ? [] : [createSectionCheck(site.id, defaultSiteSpace, sql`${id}`)];
    const rows = await writeStructure(
      context,
      {
        event: { type: 'site_section.updated', data: { site: site.id, section: id } },
        checks: [
          createItemInPathCheck(context, 'site_sections', id),
          ...createItemInBodyChecks(context, 'site_section_groups', { field: 'siteSectionGroupId', id: group }),
          ...defaultChecks,
          createPathCheck(site.id, { id, path: body.path }),
        ],
        statements: [
          ...createChanges(db, id, body),
          ...(defaultSiteSpace === undefined ? [] : makeDefault(db, site.id, defaultSiteSpace)),
        ],
      },
      selectSection(context, id),
    );
    return presentChangedSection(rows, context);
  },
);

/** A section that moves into or out of a group becomes the last item there. */
function createChanges(db: Database, id: string, body: BodyOf<Endpoint>): Statement[] {
  const { title, path, condition, icon, siteSectionGroupId: sectionGroup } = body;
  const description = body.description === '' ? null : body.description;
  const fields = omitIfEmpty({ title, path, condition, icon, description, sectionGroup });
  if (fields === undefined) return [];
  const position =
    sectionGroup === undefined
      ? undefined
      : sql`CASE WHEN section_group IS ${sectionGroup} THEN position ELSE ${createPositionAtEnd(Date.now())} END`;
  return [
    db
      .update(siteSections)
      .set({ ...fields, position })
      .where(eq(siteSections.id, id)),
  ];
}

const createPathCheck = (site: SiteId, { id, path }: { id: string; path: string | undefined }): Check => ({
  condition: sql`NOT EXISTS (SELECT 1 FROM site_sections WHERE site = ${site} AND path = ${path ?? null} AND id <> ${id})`,
  createError: () => conflict('Another section of the site already has this path.'),
  enforcedBy: 'constraint',
});

export const moveSiteSection = handler(
  'moveSiteSection',
  async ({ params: { siteSectionId: id }, body: { position = {} } }, context) => {
    const toPointer = (pointer: { siteSection: string } | undefined) =>
      pointer === undefined ? undefined : { type: 'site-section' as const, id: pointer.siteSection };
    const pointers = { before: toPointer(position.before), after: toPointer(position.after) };
    await moveItem(context, { type: 'site-section', id }, { pointers });
    return readChangedSection(context, id);
  },
);

/**
 * Also deletes the site spaces, but not the spaces. If the section was the default, the first remaining one becomes the
 * default.
 */
export const deleteSiteSectionById = handler(
  'deleteSiteSectionById',
  async ({ params: { siteSectionId: id } }, context) => {
    const { db, site } = context;
    await writeStructure(
      context,
      {
        event: { type: 'site_section.deleted', data: { site: site.id, section: id } },
        checks: [createItemInPathCheck(context, 'site_sections', id)],
        statements: [
          ...deleteSiteSpaces(db, (alias) => sql`${alias}.site = ${site.id} AND ${alias}.section = ${id}`),
          db.run(sql`DELETE FROM site_sections WHERE id = ${id} AND site = ${site.id}`),
          reassignDefault(db, site.id),
        ],
      },
      [],
    );
    return undefined;
  },
);

const reassignDefault = (db: Database, site: SiteId): Statement =>
  db.run(sql`UPDATE site_sections SET is_default = 1 WHERE id = (
    SELECT x.id FROM site_sections x LEFT JOIN site_section_groups g ON g.id = x.section_group WHERE x.site = ${site}
    ORDER BY COALESCE(g.position, x.position), COALESCE(g.id, x.id), x.position, x.id LIMIT 1)
  AND NOT EXISTS (SELECT 1 FROM site_sections x WHERE x.site = ${site} AND x.is_default = 1)`);

/** Presents a section read in the batch that changed it. */
function presentChangedSection(
  { sections: [section], siteSpaces }: RowsOf<ReturnType<typeof selectSection>>,
  context: StructureContext,
): SiteSection {
  if (section === undefined) throw notFound('section');
  const visibleSiteSpaces = siteSpaces.filter(({ role }) => role !== null);
  return presentSection({ ...section, kind: 'section', siteSpaces: visibleSiteSpaces }, createManagerView(context));
}

export const readChangedSection = async (context: StructureContext, id: string): Promise<SiteSection> =>
  presentChangedSection(await runBatch(context.db, selectSection(context, id)), context);
