import {
  after,
  decodeCursor,
  listedFor,
  listingMember,
  lookedAt,
  lookThrough,
  paginateMatches,
  readRows,
  selection,
  spaceJoins,
  spaceRank,
  spaceWithRoleRow,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';

const listedRow = selection({ ...spaceWithRoleRow.fields, ...lookedAt });
const { space: listed, role } = listedRow.names;

export const listSpacesInOrganizationById: Handler<
  typeof content.listSpacesInOrganizationById,
  ContentEnvironment
> = async ({ query: { page, limit } }, { db, organization, membership, actor, urls }) => {
  const cursor = decodeCursor(page, ['number', 'string']);
  const member = listingMember(actor.id, membership.role);
  const found = lookThrough({
    columns: listedRow.with({ role: spaceRank(member) }),
    from: sql`FROM ${listedFor('spaces', sql`${organization.id}`, member)} ${spaceJoins}
        WHERE s.organization = ${organization.id} AND ${after(cursor, sql`s.created_at`, sql`s.id`)}`,
    order: sql`s.created_at DESC, s.id DESC`,
    matches: sql`${role} > 0 AND ${listed.deletedAt} IS NULL`,
    limit,
  });
  return paginateMatches(await readRows(db, listedRow.query(found)), limit, {
    item: ({ space, role }) => presentSpace(space, role, urls),
    cursorOf: ({ space }) => [space.createdAt, space.id],
  });
};
