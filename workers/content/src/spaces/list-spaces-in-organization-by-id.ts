import type { Row } from '@octavo/db';
import {
  after,
  decodeCursor,
  number,
  paginate,
  reachedByGuest,
  spaceColumns,
  spaceJoins,
  spaceRank,
  text,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../environment.ts';
import { presentSeen } from './present-seen.ts';

export const listSpacesInOrganizationById: Handler<
  typeof content.listSpacesInOrganizationById,
  ContentEnvironment
> = async ({ query }, { db, organization, membership, actor, urls }) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const member = { user: sql`${actor.id}`, role: sql`${membership.role}`, active: sql`1` };
  const source =
    membership.role === null
      ? sql`(${reachedByGuest(sql`${organization.id}`, member)}) reached CROSS JOIN spaces s ON s.id = reached.id`
      : sql`spaces s`;
  const rows = await db.all<Row>(sql`
    SELECT * FROM (
      SELECT ${spaceColumns}, ${spaceRank(member)} AS role_rank FROM ${source} ${spaceJoins}
      WHERE s.organization = ${organization.id} AND s.deleted_at IS NULL AND ${after(cursor, sql`s.created_at`, sql`s.id`)}
      ORDER BY s.created_at DESC, s.id DESC LIMIT -1)
    WHERE role_rank > 0 LIMIT ${query.limit + 1}`);
  return paginate(rows, query.limit, {
    item: (row) => presentSeen(row, urls),
    cursorOf: (row) => [number(row, 'space_created_at'), text(row, 'space_id')],
  });
};
