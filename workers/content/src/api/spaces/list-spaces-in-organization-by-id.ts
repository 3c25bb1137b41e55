import type { Row } from '@octavo/db';
import {
  after,
  decodeCursor,
  listedFor,
  listingMember,
  lookThrough,
  number,
  paginateMatches,
  spaceColumns,
  spaceJoins,
  spaceRank,
  text,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { presentSeen } from '../../engine/placing/present-seen.ts';
import type { ContentEnvironment } from '../../environment.ts';

export const listSpacesInOrganizationById: Handler<
  typeof content.listSpacesInOrganizationById,
  ContentEnvironment
> = async ({ query }, { db, organization, membership, actor, urls }) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const member = listingMember(actor.id, membership.role);
  const rows = await db.all<Row>(
    lookThrough({
      columns: sql`${spaceColumns}, ${spaceRank(member)} AS role_rank`,
      from: sql`FROM ${listedFor('spaces', sql`${organization.id}`, member)} ${spaceJoins}
        WHERE s.organization = ${organization.id} AND ${after(cursor, sql`s.created_at`, sql`s.id`)}`,
      order: sql`s.created_at DESC, s.id DESC`,
      matches: sql`role_rank > 0 AND space_deleted_at IS NULL`,
      limit: query.limit,
    }),
  );
  return paginateMatches(rows, query.limit, {
    item: (row) => presentSeen(row, urls),
    cursorOf: (row) => [number(row, 'space_created_at'), text(row, 'space_id')],
  });
};
