import {
  after,
  decodeCursor,
  limitedRole,
  listedFor,
  lookedAt,
  lookThrough,
  paginateMatches,
  readRows,
  selection,
  spaceJoins,
  spaceRank,
  spaceWithRoleRow,
  statement,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { content, OrganizationId, Role, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';

const listedRow = selection({ ...spaceWithRoleRow.fields, ...lookedAt });
const { space: listed, role: listedRole } = listedRow.names;

type CursorPart = string | number | null;

/** Of an organization as a member or a guest sees it, from the start or from where a cursor stands. */
const listFor = (isGuest: boolean, goesOn: boolean) =>
  statement(
    (
      organization: SQL<OrganizationId>,
      user: SQL<UserId>,
      role: SQL<Role | null>,
      limit: SQL<number>,
      time: SQL<CursorPart>,
      id: SQL<CursorPart>,
    ) => {
      const member = { user, role, active: sql`1`, isGuest };
      return listedRow.query(
        lookThrough({
          columns: listedRow.with({ role: spaceRank(member) }),
          from: sql`FROM ${listedFor('spaces', organization, member)} ${spaceJoins}
            WHERE s.organization = ${organization}
              AND ${after(goesOn ? [time, id] : undefined, sql`s.created_at`, sql`s.id`)}`,
          order: sql`s.created_at DESC, s.id DESC`,
          matches: sql`${listedRole} > 0 AND ${listed.deletedAt} IS NULL`,
          limit,
        }),
      );
    },
  );

const toMember = { first: listFor(false, false), next: listFor(false, true) };
const toGuest = { first: listFor(true, false), next: listFor(true, true) };

export const listSpacesInOrganizationById: Handler<
  typeof content.listSpacesInOrganizationById,
  ContentEnvironment
> = async ({ query: { page, limit } }, { db, organization, membership: { role }, actor, urls }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const [time = null, id = null] = cursor ?? [];
  const list = (role === null ? toGuest : toMember)[cursor === undefined ? 'first' : 'next'];
  const rows = await readRows(db, list(organization.id, actor.id, role, limit, time, id));
  return paginateMatches(rows, limit, {
    item: ({ space, role }) => presentSpace(space, limitedRole(actor, role), urls),
    cursorOf: ({ space }) => [space.createdAt, space.id],
  });
};
