import { aliasedTable } from 'drizzle-orm';
import type { RecordOf } from './fields.ts';
import { members, users } from './org-admin.ts';
import { selection } from './selection.ts';

/** What a user is shown by, of a `users`. */
export const userFields = (user: typeof users) => ({
  id: user.id,
  displayName: user.displayName,
  email: user.email,
  photoUrl: user.photoUrl,
});

export type UserRecord = RecordOf<ReturnType<typeof userFields>>;

const u = aliasedTable(users, 'u');

/** Of `users u`. */
export const userRow = selection(userFields(u));

/** Of a `members` and its `users`. `role` is null for a guest; `spaces` counts those that were given directly. */
export const memberFields = (member: typeof members, user: typeof users) => ({
  user: userFields(user),
  kind: user.kind,
  role: member.role,
  disabled: member.disabled,
  sso: member.sso,
  joinedAt: member.joinedAt,
  lastSeenAt: member.lastSeenAt,
  spaces: member.spaces,
  teams: member.teams,
});

export type MemberRecord = RecordOf<ReturnType<typeof memberFields>>;

/** Of `members m` and `users u`. */
export const memberRow = selection(memberFields(aliasedTable(members, 'm'), u));
