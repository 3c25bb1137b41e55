import type { Row, SpaceRecord } from '@octavo/db';
import { after, decodeCursor, number, paginate, readSpace, spaceColumns, spaceJoins, spaceRank } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSpace } from '@octavo/runtime';
import type { content, Role } from '@octavo/schema';
import { roleOfRank } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';

export const listSpacesInOrganizationById: Handler<
  typeof content.listSpacesInOrganizationById,
  ContentEnvironment
> = async ({ query }, { db, organization, membership, actor, urls }) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const rank = spaceRank({ user: sql`${actor.id}`, role: sql`${membership.role}`, active: sql`1` });
  const rows = await db.all<Row>(sql`
    SELECT * FROM (
      SELECT ${spaceColumns}, ${rank} AS role_rank FROM spaces s ${spaceJoins}
      WHERE s.organization = ${organization.id} AND s.deleted_at IS NULL AND ${after(cursor, sql`s.created_at`, sql`s.id`)}
      ORDER BY s.created_at DESC, s.id DESC)
    WHERE role_rank > 0 LIMIT ${query.limit + 1}`);
  return paginate(rows.map(seen), query.limit, {
    item: ({ space, role }) => presentSpace(space, role, urls),
    cursorOf: ({ space }) => [space.createdAt, space.id],
  });
};

function seen(row: Row): { space: SpaceRecord; role: Role | null } {
  const space = readSpace(row);
  if (space === undefined) throw new Error('A list of spaces gave a row without one.');
  return { space, role: roleOfRank(number(row, 'role_rank')) };
}
