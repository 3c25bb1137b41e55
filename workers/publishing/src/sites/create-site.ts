import type { CallerRecord, Check, Database, Statement } from '@octavo/db';
import {
  commitChecked,
  createPositionAtEnd,
  findFailedCheck,
  getOnlyRow,
  joinActingMember,
  readRows,
  selection,
  selectSpaceRank,
  siteById,
  spaces,
  toActingMember,
} from '@octavo/db';
import { createSlugAllocator, slugify } from '@octavo/markdown';
import type { Context, Handler } from '@octavo/runtime';
import { presentSite } from '@octavo/runtime';
import type { OrganizationId, publishing, SiteId, SpaceId } from '@octavo/schema';
import { conflict, content, createId, targetNotFound } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { createSpaceAccessCheck } from '../site-spaces/site-spaces.ts';
import { selectFreePath } from '../structure/write-structure.ts';
import { createStamp } from './write-site.ts';

type Create = typeof publishing.createSite;
type CreateRequest = Parameters<Handler<Create, PublishingEnvironment>>[0];
type CreateSiteContext = Context<Create, PublishingEnvironment>;

const maxSites = 1000;
const defaultTitle = 'Docs';

export const createSite = handler('createSite', async (input, context) => {
  const { spaces = [] } = input.body;
  const title = input.body.title ?? toSiteTitle(context.organization.title);
  if (typeof spaces !== 'string') return makeSite({ ...input.body, title, spaces }, context);
  await context.authorizeOther(content.createSpace, input.params);
  return createWithSpace({ title, kind: spaces }, context, (space) =>
    makeSite({ ...input.body, title, spaces: [space] }, context),
  );
});

interface RequestedSite extends Pick<CreateRequest['body'], 'type' | 'visibility'> {
  title: string;
  spaces: SpaceId[];
}

async function makeSite(
  { title, ...body }: RequestedSite,
  { db, organization, actor, caller, commit, urls }: CreateSiteContext,
) {
  const id = createId('site');
  const spaces = [...new Set(body.spaces)];
  const fields = new Map(spaces.map((space, index) => [space, `spaces.${index}`]));
  const linkedSpaces = await findTitles(db, { organization: organization.id, actor, fields });
  const checks = [
    createSiteLimitCheck(organization.id),
    createSpaceAccessCheck({ organization: organization.id, actor, fields }),
  ];
  const isBasenameTaken = (path: ReturnType<typeof sql>) =>
    sql`EXISTS (SELECT 1 FROM sites x WHERE x.organization = ${organization.id} AND x.basename = ${path})`;
  const event = { type: 'site.created', organization: organization.id, data: { site: id } } as const;
  const rows = await commitChecked(db, checks, (guards) =>
    commit(
      {
        guards,
        site: db.run(sql`INSERT INTO sites
          (id, organization, type, title, basename, visibility, stamp, auth_key, created_by, created_at)
          SELECT ${id}, ${organization.id}, ${body.type}, ${title}, ${selectFreePath(title, isBasenameTaken)}, ${body.visibility},
            ${createStamp()}, ${createStamp()}, ${caller.actor}, ${Date.now()}`),
        siteSpaces: insertSiteSpaces(db, id, linkedSpaces),
        changed: siteById(id),
      },
      [event],
    ),
  );
  return presentSite(getOnlyRow(rows.changed), urls);
}

/** Creates the space first, so that no site exists without it, and deletes it again if creating the site fails. */
async function createWithSpace<Made>(
  { title, kind }: { title: string; kind: 'sample' | 'empty' },
  { organization, db, env, caller, callWorker }: CreateSiteContext,
  create: (space: SpaceId) => Promise<Made>,
): Promise<Made> {
  const broken = await findFailedCheck(db, [createSiteLimitCheck(organization.id)]);
  if (broken !== undefined) throw broken;
  // The idempotency key belongs to the creation of the site, not of the space.
  const { key, ...by } = caller;
  const spaceRequest = { ...by, space: createId('space'), organization: organization.id };
  try {
    await callWorker(() => env.CONTENT.makeSpace({ ...spaceRequest, title: truncate(title, 50), kind }));
    return await create(spaceRequest.space);
  } catch (error) {
    await callWorker(() => env.CONTENT.takeSpaceBack(spaceRequest));
    throw error;
  }
}

/** The title of an organization can be longer than that of a site. */
const toSiteTitle = (title: string): string => truncate(title, 128) || defaultTitle;

const truncate = (title: string, length: number): string => Array.from(title).slice(0, length).join('').trim();

const createSiteLimitCheck = (organization: OrganizationId): Check => ({
  condition: sql`(SELECT COUNT(*) FROM sites WHERE organization = ${organization}) < ${sql.raw(String(maxSites))}`,
  createError: () => conflict(`An organization can have at most ${maxSites} sites.`),
});

interface Linked {
  id: SpaceId;
  title: string;
}

interface RequestedSpaces {
  organization: OrganizationId;
  actor: CallerRecord;
  fields: Map<string, string>;
}

const s = aliasedTable(spaces, 's');
const titleRow = selection({ id: s.id, title: s.title });

/** Reads the requested spaces that the actor can see, in the order of the request. */
async function findTitles(db: Database, { organization, actor, fields }: RequestedSpaces): Promise<Linked[]> {
  if (fields.size === 0) return [];
  const titles = await readRows(
    db,
    titleRow.query(sql`SELECT ${titleRow} FROM json_each(${JSON.stringify([...fields.keys()])}) w
      CROSS JOIN spaces s ON s.id = w.value AND s.organization = ${organization} AND s.deleted_at IS NULL
      ${joinActingMember(sql`s.organization`, actor)} WHERE ${selectSpaceRank(toActingMember(actor))} > 0 ORDER BY w.key`),
  );
  const foundIds = new Set(titles.map(({ id }) => id));
  for (const [id, field] of fields) if (!foundIds.has(id)) throw targetNotFound(field, 'space');
  return titles;
}

/** Inserts the site spaces of a new site. The first is the default. */
function insertSiteSpaces(db: Database, site: SiteId, linkedSpaces: Linked[]): Statement[] {
  if (linkedSpaces.length === 0) return [];
  const now = Date.now();
  const allocateSlug = createSlugAllocator();
  const rows = linkedSpaces.map(({ id: space, title }, index) => ({
    ...{ id: createId('siteSpace'), space, path: allocateSlug(slugify(title)) },
    ...{ isDefault: index === 0 ? 1 : 0, position: createPositionAtEnd(now) },
  }));
  return [
    db.run(sql`INSERT INTO site_spaces (id, site, section, space, path, is_default, position, created_at)
      SELECT value->>'id', ${site}, '', value->>'space', value->>'path', value->>'isDefault', value->>'position', ${now}
      FROM json_each(${JSON.stringify(rows)})`),
  ];
}
