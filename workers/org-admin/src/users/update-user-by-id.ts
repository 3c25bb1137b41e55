import type { CallerRecord, Check } from '@octavo/db';
import { commitChecked, onlyRow, userRow, users } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentUser } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { forbidden, notFound } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { findSeenUser } from './find-seen-user.ts';

export const updateUserById: Handler<typeof orgAdmin.updateUserById, OrgAdminEnvironment> = async (
  { params, body },
  { db, actor, commit, urls },
) => {
  if (params.userId !== actor.id) {
    const seen = await findSeenUser(db, actor, params.userId);
    throw seen === undefined ? notFound('user') : forbidden('Users change themselves only.');
  }
  const { displayName, photoURL: photoUrl } = body;
  const isEmpty = displayName === undefined && photoUrl === undefined;
  const write = isEmpty ? [] : [db.update(users).set({ displayName, photoUrl }).where(eq(users.id, actor.id))];
  const changed = userRow.query(sql`SELECT ${userRow} FROM users u WHERE u.id = ${actor.id}`);
  const rows = await commitChecked(db, [concernsNobodyElse(actor)], (guards) =>
    commit({ guards, write, changed }, isEmpty ? [] : [{ type: 'user.updated', data: {} }]),
  );
  return presentUser(onlyRow(rows.changed), urls);
};

/**
 * What a user is called is seen in every organization of theirs: a token of one may not decide it for the others, nor for
 * somebody who holds the account by other means than that organization's.
 */
const concernsNobodyElse = ({ id, organization }: CallerRecord): Check => ({
  holds: sql`${organization} IS NULL OR (
    NOT EXISTS (SELECT 1 FROM members WHERE user = ${id} AND organization <> ${organization})
    AND NOT EXISTS (SELECT 1 FROM users WHERE id = ${id} AND email_verified_at IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM tokens WHERE user = ${id} AND organization IS NULL))`,
  otherwise: () =>
    forbidden('A token that is bound to one organization may not change a user who signs in elsewhere too.'),
});
