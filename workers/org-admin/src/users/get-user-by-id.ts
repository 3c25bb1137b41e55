import type { Row } from '@octavo/db';
import { optionalText, text } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentUser } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

/** A user is seen by himself, and by members with a role in an organization that both belong to. */
export const getUserById: Handler<typeof orgAdmin.getUserById, OrgAdminEnvironment> = async (
  { params },
  { db, actor, urls },
) => {
  const rows = await db.all<Row>(sql`
    SELECT u.id, u.display_name, u.email, u.photo_url FROM users u
    WHERE u.id = ${params.userId} AND (u.id = ${actor.id} OR EXISTS (
      SELECT 1 FROM members mine CROSS JOIN members theirs ON theirs.organization = mine.organization
      WHERE mine.user = ${actor.id} AND NOT mine.disabled AND mine.role IS NOT NULL AND theirs.user = u.id))`);
  const row = rows[0];
  if (row === undefined) throw notFound('user');
  const user = {
    id: text(row, 'id'),
    displayName: text(row, 'display_name'),
    email: text(row, 'email'),
    photoUrl: optionalText(row, 'photo_url'),
  };
  return presentUser(user, urls);
};
