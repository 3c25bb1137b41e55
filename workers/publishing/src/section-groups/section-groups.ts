import type { Check, Database, RowsOf, Statement } from '@octavo/db';
import { createPositionAtEnd, runBatch, siteSectionGroups } from '@octavo/db';
import type { SiteId, SiteSectionGroup } from '@octavo/schema';
import { createId, notFound, targetNotFound } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { moveItem } from '../structure/move-item.ts';
import { buildTopLevel, paginateItems, presentGroup } from '../structure/presenter.ts';
import { filterStructure, readStructureView, selectGroup } from '../structure/queries.ts';
import type { StructureContext } from '../structure/write-structure.ts';
import {
  createItemInBodyChecks,
  createItemInPathCheck,
  createItemLimitCheck,
  createManagerView,
  createSectionsCheck,
  omitIfEmpty,
  writeStructure,
} from '../structure/write-structure.ts';

export const listSiteSectionGroups = handler('listSiteSectionGroups', async ({ query }, context) => {
  const { structure, view } = await readStructureView(context, undefined);
  const groups = buildTopLevel(structure).flatMap((item) =>
    item.kind === 'group' ? [{ item, order: [item.position, item.id] }] : [],
  );
  return paginateItems(groups, query, { depth: 2, present: (item) => presentGroup(item, view) });
});

export const addSectionGroupToSite = handler(
  'addSectionGroupToSite',
  async ({ body: { title, icon = null, sections } }, context) => {
    const { db, site } = context;
    const id = createId('sectionGroup');
    const createdAt = Date.now();
    const row = { id, site: site.id, title, icon, position: createPositionAtEnd(createdAt), createdAt };
    const ids = [...new Set(sections)];
    const rows = await writeStructure(
      context,
      {
        event: { type: 'site_section_group.created', data: { site: site.id, sectionGroup: id } },
        checks: [
          checkSectionsBelong(site.id, ids),
          createSectionsCheck(site.id),
          createItemLimitCheck(site.id, 'site_section_groups'),
        ],
        statements: [db.insert(siteSectionGroups).values(row), placeSections(db, site.id, { group: id, ids })],
      },
      selectGroup(context, id),
    );
    return presentChangedGroup(rows, context);
  },
);

function checkSectionsBelong(site: SiteId, ids: string[]): Check {
  const missing = sql`SELECT w.key FROM json_each(${JSON.stringify(ids)}) w
    WHERE NOT EXISTS (SELECT 1 FROM site_sections WHERE id = w.value AND site = ${site})`;
  return {
    condition: sql`NOT EXISTS (${missing})`,
    failingValue: sql`CAST((${missing} LIMIT 1) AS TEXT)`,
    createError: (index) => targetNotFound(`sections.${index ?? 0}`, 'section'),
  };
}

export const updateSiteSectionGroupById = handler(
  'updateSiteSectionGroupById',
  async ({ params: { siteSectionGroupId: id }, body: { title, icon } }, context) => {
    const { db, site } = context;
    const changes = omitIfEmpty({ title, icon });
    const rows = await writeStructure(
      context,
      {
        event: { type: 'site_section_group.updated', data: { site: site.id, sectionGroup: id } },
        checks: [createItemInPathCheck(context, 'site_section_groups', id)],
        statements:
          changes === undefined ? [] : [db.update(siteSectionGroups).set(changes).where(eq(siteSectionGroups.id, id))],
      },
      selectGroup(context, id),
    );
    return presentChangedGroup(rows, context);
  },
);

export const moveSiteSectionGroup = handler(
  'moveSiteSectionGroup',
  async ({ params: { siteSectionGroupId: id }, body: { position = {} } }, context) => {
    const toPointer = (pointer: { siteSectionGroup: string } | undefined) =>
      pointer === undefined ? undefined : { type: 'site-section-group' as const, id: pointer.siteSectionGroup };
    const pointers = { before: toPointer(position.before), after: toPointer(position.after) };
    await moveItem(context, { type: 'site-section-group', id }, { pointers });
    return readChangedGroup(context, id);
  },
);

/** The group's sections and links move to the end of the top level, in their order. */
export const deleteSiteSectionGroupById = handler(
  'deleteSiteSectionGroupById',
  async ({ params: { siteSectionGroupId: id } }, context) => {
    const { db, site } = context;
    await writeStructure(
      context,
      {
        event: { type: 'site_section_group.deleted', data: { site: site.id, sectionGroup: id } },
        checks: [createItemInPathCheck(context, 'site_section_groups', id)],
        statements: [
          ...ungroupItems(db, site.id, id),
          db.run(sql`DELETE FROM site_section_groups WHERE id = ${id} AND site = ${site.id}`),
        ],
      },
      [],
    );
    return undefined;
  },
);

/** Moves the items to the end of the top level. Their old positions are appended to keep their order. */
function ungroupItems(db: Database, site: SiteId, group: string): Statement[] {
  const end = createPositionAtEnd(Date.now());
  const items = sql`site = ${site} AND section_group = ${group}`;
  return [
    db.run(sql`UPDATE site_sections SET section_group = NULL, position = ${end} || position WHERE ${items}`),
    db.run(sql`UPDATE site_external_links SET section_group = NULL, position = ${end} || position WHERE ${items}`),
  ];
}

export const addSectionToGroup = handler(
  'addSectionToGroup',
  async ({ params: { siteSectionGroupId: group }, body: { sectionId: id } }, context) => {
    const { db, site } = context;
    const rows = await writeStructure(
      context,
      {
        event: { type: 'site_section.moved', data: { site: site.id, section: id } },
        checks: [
          createItemInPathCheck(context, 'site_section_groups', group),
          ...createItemInBodyChecks(context, 'site_sections', { field: 'sectionId', id }),
        ],
        statements: [placeSections(db, site.id, { group, ids: [id] })],
      },
      selectGroup(context, group),
    );
    return presentChangedGroup(rows, context);
  },
);

export const removeSectionFromGroup = handler(
  'removeSectionFromGroup',
  async ({ params: { siteSectionGroupId: group, siteSectionId: id } }, context) => {
    const { db, site } = context;
    const isInside = {
      condition: sql`EXISTS (SELECT 1 FROM site_sections WHERE id = ${id} AND site = ${site.id} AND section_group = ${group})`,
      createError: () => notFound('section'),
    };
    await writeStructure(
      context,
      {
        event: { type: 'site_section.moved', data: { site: site.id, section: id } },
        checks: [createItemInPathCheck(context, 'site_section_groups', group), isInside],
        statements: [placeSections(db, site.id, { group: null, ids: [id] })],
      },
      [],
    );
    return undefined;
  },
);

/** Moves sections to the end of a group, or of the top level if `group` is null. */
function placeSections(db: Database, site: SiteId, { group, ids }: { group: string | null; ids: string[] }): Statement {
  const now = Date.now();
  const rows = JSON.stringify(ids.map((id) => [id, createPositionAtEnd(now)]));
  return db.run(sql`UPDATE site_sections SET section_group = ${group}, position = w.value->>1 FROM json_each(${rows}) w
    WHERE site_sections.id = w.value->>0 AND site_sections.site = ${site}`);
}

/** Presents a section group read in the batch that changed it. */
function presentChangedGroup(
  rows: RowsOf<ReturnType<typeof selectGroup>>,
  context: StructureContext,
): SiteSectionGroup {
  const group = buildTopLevel(filterStructure(rows, undefined)).find((arranged) => arranged.kind === 'group');
  if (group === undefined) throw notFound('section group');
  return presentGroup(group, createManagerView(context));
}

export const readChangedGroup = async (context: StructureContext, id: string): Promise<SiteSectionGroup> =>
  presentChangedGroup(await runBatch(context.db, selectGroup(context, id)), context);
