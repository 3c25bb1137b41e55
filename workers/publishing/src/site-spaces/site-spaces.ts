import type { CallerRecord, Check, Database, SiteRecord, Statement } from '@octavo/db';
import {
  commitChecked,
  createPositionAtEnd,
  deleteSiteSpaces,
  joinActingMember,
  readRow,
  selectSpaceRank,
  siteSpaces,
  toActingMember,
} from '@octavo/db';
import type { OrganizationId, SiteId, SiteSpace, SpaceId } from '@octavo/schema';
import { conflict, createId, notFound, targetNotFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { createSiteExistenceCheck } from '../sites/write-site.ts';
import { moveItem } from '../structure/move-item.ts';
import { orderSiteSpaces, paginateItems, presentSiteSpace } from '../structure/presenter.ts';
import type { SiteSpaceRecord } from '../structure/queries.ts';
import { readStructureView, selectSiteSpaces } from '../structure/queries.ts';
import type { StructureContext } from '../structure/write-structure.ts';
import {
  createManagerView,
  omitIfEmpty,
  requireCondition,
  selectFreePath,
  writeStructure,
} from '../structure/write-structure.ts';

export const listSiteSpaces = handler(
  'listSiteSpaces',
  async ({ query: { shareKey, default: isDefaultOnly, ...query } }, context) => {
    const { structure, view } = await readStructureView(context, shareKey);
    const all = orderSiteSpaces(structure).filter(
      ({ item }) => isDefaultOnly === undefined || isDefaultOfSite(item) === isDefaultOnly,
    );
    return paginateItems(all, query, { depth: 6, present: (item) => presentSiteSpace(item, view) });
  },
);

/** Whether the site space is served at the site's root. */
const isDefaultOfSite = ({ isDefault, section }: SiteSpaceRecord): boolean => isDefault && section?.isDefault !== false;

export const addSpaceToSite = handler(
  'addSpaceToSite',
  async ({ body: { spaceId, sectionId } }, { db, site, organization, actor, targets, commit, urls }) => {
    const id = createId('siteSpace');
    const title = targets.spaceId?.space.title ?? '';
    const section =
      sectionId === undefined
        ? sql`COALESCE((SELECT id FROM site_sections WHERE site = ${site.id} AND is_default = 1), '')`
        : sql`${sectionId}`;
    const fields = new Map([[spaceId, 'spaceId']]);
    const isOfSite = {
      condition: sql`${sectionId ?? null} IS NULL
      OR EXISTS (SELECT 1 FROM site_sections WHERE id = ${sectionId ?? null} AND site = ${site.id})`,
      createError: () => targetNotFound('sectionId', 'section'),
    };
    const checks = [
      createSiteExistenceCheck(site),
      isOfSite,
      createSpaceAccessCheck({ organization: organization.id, actor, fields }),
      createSiteSpaceLimitCheck(site.id),
    ];
    const row = { id, site: site.id, section, space: spaceId, title, position: createPositionAtEnd(Date.now()) };
    const { made } = await commitChecked(db, checks, (guards) =>
      commit(
        {
          guards,
          insert: insertSiteSpace(db, row),
          made: selectSiteSpaces({ site, actor, only: sql`ss.id = ${id}` }),
        },
        [{ type: 'site_space.created', organization: site.organization, data: { site: site.id, siteSpace: id } }],
      ),
    );
    if (made[0] === undefined) throw notFound('space');
    return presentSiteSpace(made[0], { site, urls, isVisitor: false });
  },
);

export const updateSiteSpaceById = handler(
  'updateSiteSpaceById',
  async ({ params: { siteSpaceId: id }, body: { path, condition, spaceId } }, context) => {
    const { db, site, organization, actor } = context;
    requireCondition(condition);
    const linkChecks =
      spaceId === undefined
        ? []
        : [createSpaceAccessCheck({ organization: organization.id, actor, fields: getField(spaceId) })];
    const changes = omitIfEmpty({ path, condition, space: spaceId });
    const rows = await writeStructure(
      context,
      {
        event: { type: 'site_space.updated', data: { site: site.id, siteSpace: id } },
        checks: [createSiteSpaceAccessCheck(context, id), ...linkChecks, createPathCheck(site.id, { id, path })],
        statements: changes === undefined ? [] : [db.update(siteSpaces).set(changes).where(eq(siteSpaces.id, id))],
      },
      { changed: selectSiteSpaces({ site, actor, only: sql`ss.id = ${id}` }) },
    );
    const [changed] = rows.changed;
    if (changed?.role == null) throw notFound('site space');
    return presentSiteSpace(changed, createManagerView(context));
  },
);

const getField = (space: SpaceId) => new Map([[space, 'spaceId']]);

const createPathCheck = (site: SiteId, { id, path }: { id: string; path: string | undefined }): Check => ({
  condition: sql`NOT EXISTS (SELECT 1 FROM site_spaces ss CROSS JOIN site_spaces x ON x.site = ss.site
    AND x.section = ss.section AND x.path = ${path ?? null} AND x.id <> ss.id WHERE ss.id = ${id} AND ss.site = ${site})`,
  createError: () => conflict('Another site space in the same section already has this path.'),
  enforcedBy: 'constraint',
});

export const moveSiteSpace = handler(
  'moveSiteSpace',
  async ({ params: { siteSpaceId: id }, body: { position = {} } }, context) => {
    const toPointer = (pointer: { siteSpace: string } | undefined) =>
      pointer === undefined ? undefined : { type: 'site-space' as const, id: pointer.siteSpace };
    const pointers = { before: toPointer(position.before), after: toPointer(position.after) };
    await moveItem(
      context,
      { type: 'site-space', id },
      { pointers, checks: [createSiteSpaceAccessCheck(context, id)] },
    );
    return readChangedSiteSpace(context, id);
  },
);

/** The space itself is not deleted. If the site space was the default, the first remaining one becomes the default. */
export const deleteSiteSpaceById = handler('deleteSiteSpaceById', async ({ params: { siteSpaceId: id } }, context) => {
  const { db, site } = context;
  await writeStructure(
    context,
    {
      event: { type: 'site_space.deleted', data: { site: site.id, siteSpace: id } },
      checks: [createRemovalCheck(context, id)],
      statements: deleteSiteSpaces(db, (alias) => sql`${alias}.id = ${id}`),
    },
    [],
  );
  return undefined;
});

export async function readChangedSiteSpace(context: StructureContext, id: string): Promise<SiteSpace> {
  const { db, site, actor } = context;
  const siteSpace = await readRow(db, selectSiteSpaces({ site, actor, only: sql`ss.id = ${id}` }));
  if (siteSpace?.role == null) throw notFound('site space');
  return presentSiteSpace(siteSpace, createManagerView(context));
}

interface NewSiteSpace {
  id: string;
  site: SiteId;
  /** The section's id; '' if the site has no sections. */
  section: SQL;
  space: SpaceId;
  /** The title that determines the path. */
  title: string;
  position: string;
}

/**
 * Adds a site space with a free path. It becomes the default if there is no default, or if the default's space is in
 * the trash.
 */
export function insertSiteSpace(
  db: Database,
  { id, site, section, space, title, position }: NewSiteSpace,
): Statement[] {
  const path = selectFreePath(
    title,
    (candidate) =>
      sql`EXISTS (SELECT 1 FROM site_spaces x WHERE x.site = ${site} AND x.section = place.section AND x.path = ${candidate})`,
  );
  return [
    db.run(sql`INSERT INTO site_spaces (id, site, section, space, path, is_default, position, created_at)
      SELECT ${id}, ${site}, place.section, ${space}, ${path}, 0, ${position}, ${Date.now()}
      FROM (SELECT ${section} AS section) place`),
    db.run(sql`UPDATE site_spaces SET is_default = 0 WHERE site = ${site} AND is_default = 1
      AND section = (SELECT section FROM site_spaces WHERE id = ${id})
      AND EXISTS (SELECT 1 FROM spaces s WHERE s.id = site_spaces.space AND s.deleted_at IS NOT NULL)`),
    db.run(sql`UPDATE site_spaces SET is_default = 1 WHERE id = ${id} AND NOT EXISTS (SELECT 1 FROM site_spaces x
      WHERE x.site = ${site} AND x.section = site_spaces.section AND x.is_default = 1)`),
  ];
}

/** Checks that the site space belongs to the section, and that its space is not in the trash. */
export const createSectionCheck = (site: SiteId, id: string, section: SQL): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM site_spaces ss CROSS JOIN spaces s ON s.id = ss.space AND s.deleted_at IS NULL
    WHERE ss.id = ${id} AND ss.site = ${site} AND ss.section = ${section})`,
  createError: () => targetNotFound('defaultSiteSpace', 'site space'),
});

/** Makes a site space the default of its section. */
export const makeDefault = (db: Database, site: SiteId, id: string): Statement[] => [
  db.run(sql`UPDATE site_spaces SET is_default = 0 WHERE site = ${site} AND is_default = 1
    AND section = (SELECT x.section FROM site_spaces x WHERE x.id = ${id})`),
  db.run(sql`UPDATE site_spaces SET is_default = 1 WHERE id = ${id} AND site = ${site}`),
];

const maxSiteSpaces = 200;

interface Linked {
  organization: OrganizationId;
  actor: CallerRecord;
  /** The fields of the request body that contain the space ids, by space id. */
  fields: Map<string, string>;
}

/** Checks that the actor can see the spaces, and that they belong to the organization. */
export function createSpaceAccessCheck({ organization, actor, fields }: Linked): Check {
  const ids = JSON.stringify([...fields.keys()]);
  const missing = sql`SELECT w.value FROM json_each(${ids}) w WHERE NOT EXISTS (
    SELECT 1 FROM spaces s ${joinActingMember(sql`s.organization`, actor)}
    WHERE s.id = w.value AND s.organization = ${organization} AND s.deleted_at IS NULL AND s.purging_at IS NULL
      AND ${selectSpaceRank(toActingMember(actor))} > 0)`;
  return {
    condition: sql`NOT EXISTS (${missing})`,
    failingValue: sql`(${missing} LIMIT 1)`,
    createError: (id) => targetNotFound(fields.get(id ?? '') ?? 'spaceId', 'space'),
  };
}

/** Checks that the actor can see the space of a site space. */
export function createSiteSpaceAccessCheck(
  { site, actor }: { site: SiteRecord; actor: CallerRecord },
  id: string,
): Check {
  return {
    condition: sql`EXISTS (SELECT 1 FROM site_spaces ss CROSS JOIN spaces s ON s.id = ss.space AND s.deleted_at IS NULL
      ${joinActingMember(sql`s.organization`, actor)}
      WHERE ss.id = ${id} AND ss.site = ${site.id} AND s.organization = ${site.organization}
        AND ${selectSpaceRank(toActingMember(actor))} > 0)`,
    createError: () => notFound('site space'),
  };
}

/** A space in the trash is hidden from everyone, so any manager of the site may remove it. */
function createRemovalCheck({ site, actor }: { site: SiteRecord; actor: CallerRecord }, id: string): Check {
  const canSee = createSiteSpaceAccessCheck({ site, actor }, id);
  const isOfTrash = sql`EXISTS (SELECT 1 FROM site_spaces ss
    CROSS JOIN spaces s ON s.id = ss.space AND s.deleted_at IS NOT NULL AND s.organization = ${site.organization}
    WHERE ss.id = ${id} AND ss.site = ${site.id})`;
  return { ...canSee, condition: sql`(${canSee.condition} OR ${isOfTrash})` };
}

export const createSiteSpaceLimitCheck = (site: SiteId): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM sites WHERE id = ${site} AND site_spaces < ${sql.raw(String(maxSiteSpaces))})`,
  createError: () => conflict(`A site can have at most ${maxSiteSpaces} site spaces.`),
});
