import type { CallerRecord, Check, Parameter } from '@octavo/db';
import {
  commitChecked,
  getOnlyRow,
  isActive,
  prepareQuery,
  prepareStatement,
  readRow,
  userRow,
  users,
} from '@octavo/db';
import { makeFileUrlsPermanent, presentUser } from '@octavo/runtime';
import type { OrganizationId, UserId } from '@octavo/schema';
import { forbidden, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';

export const getAuthenticatedUser = handler('getAuthenticatedUser', (_, { actor, urls }) => presentUser(actor, urls));

export const getUserById = handler('getUserById', {
  reads: ({ params }, { user, boundTo }) => selectVisibleUser(params.userId, user, boundTo),
  handle(_, { urls }, [user]) {
    if (user === undefined) throw notFound('user');
    return presentUser(user, urls);
  },
});

export const updateUserById = handler('updateUserById', async ({ params, body }, context) => {
  const { db, actor, commit, urls } = context;
  if (params.userId !== actor.id) {
    const user = await readRow(db, selectVisibleUser(params.userId, actor.id, actor.organization));
    throw user === undefined ? notFound('user') : forbidden('You can only change your own user.');
  }
  const { displayName, photoURL: photoUrl } = await makeFileUrlsPermanent(body, actor.id, context);
  const isEmpty = displayName === undefined && photoUrl === undefined;
  const write = isEmpty ? [] : [db.update(users).set({ displayName, photoUrl }).where(eq(users.id, actor.id))];
  const rows = await commitChecked(db, [checkOwnOrganization(actor)], (guards) =>
    commit({ guards, write, changed: userById(actor.id) }, isEmpty ? [] : [{ type: 'user.updated', data: {} }]),
  );
  return presentUser(getOnlyRow(rows.changed), urls);
});

const u = aliasedTable(users, 'u');
const userById = prepareQuery(userRow, (select, id: Parameter<UserId>) => select.from(u).where(eq(u.id, id)));

/**
 * All organizations of a user see the name, so a token that is bound to one organization must not change it if the user
 * belongs to others, or also signs in by other means.
 */
const checkOwnOrganization = ({ id, organization }: CallerRecord): Check => ({
  condition: sql`${organization} IS NULL OR (
    NOT EXISTS (SELECT 1 FROM members WHERE user = ${id} AND organization <> ${organization})
    AND NOT EXISTS (SELECT 1 FROM users WHERE id = ${id} AND email_verified_at IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM tokens WHERE user = ${id} AND organization IS NULL))`,
  createError: () =>
    forbidden('A token bound to one organization cannot change a user who belongs to other organizations.'),
});

/**
 * Reads a user whom the caller may see: the caller, or a member of an organization where the caller has a role. A token
 * that is bound to an organization only reads its members.
 */
const selectVisibleUser = prepareStatement(
  (id: SQL<UserId>, caller: SQL<UserId>, organization: SQL<OrganizationId | null>) =>
    userRow.query(sql`
      WITH caller(id, organization) AS MATERIALIZED (SELECT ${caller}, ${organization})
      SELECT ${userRow} FROM caller CROSS JOIN users u
      WHERE u.id = ${id} AND (u.id = caller.id OR EXISTS (
        SELECT 1 FROM members m CROSS JOIN organizations o ON o.id = m.organization
          CROSS JOIN members theirs ON theirs.organization = m.organization AND theirs.user = u.id
        WHERE m.user = caller.id AND m.role IS NOT NULL AND ${isActive(sql`caller.organization`)}))`),
);
