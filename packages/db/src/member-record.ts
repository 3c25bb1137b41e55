import type { Role } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Row } from './row.ts';
import { number, optionalNumber, optionalText, text } from './row.ts';

/** A user as queries that join one give it. */
export interface UserRecord {
  id: string;
  displayName: string;
  email: string;
  photoUrl: string | null;
}

/** A member of an organization. Times are milliseconds; `role` is null for a guest. */
export interface MemberRecord {
  user: UserRecord;
  kind: 'person' | 'service';
  role: Role | null;
  disabled: boolean;
  sso: boolean;
  joinedAt: number;
  lastSeenAt: number | null;
  /** How many spaces were given to the member directly. */
  spaces: number;
  teams: number;
}

/** Of `users <alias>`; `name` tells several users of one row apart. */
export const userColumns = (alias: string, name = 'user') =>
  sql.raw(
    ['id', 'display_name', 'email', 'photo_url'].map((column) => `${alias}.${column} AS ${name}_${column}`).join(', '),
  );

export const readUser = (row: Row, name = 'user'): UserRecord => ({
  id: text(row, `${name}_id`),
  displayName: text(row, `${name}_display_name`),
  email: text(row, `${name}_email`),
  photoUrl: optionalText(row, `${name}_photo_url`),
});

/** Of `members <member>` and `users <user>`. */
export const memberColumns = (member: string, user: string) =>
  sql`${userColumns(user)}, ${sql.raw(
    [
      `${user}.kind AS user_kind`,
      ...['role', 'disabled', 'sso', 'joined_at', 'last_seen_at', 'spaces', 'teams'].map(
        (column) => `${member}.${column} AS membership_${column}`,
      ),
    ].join(', '),
  )}`;

export function readMember(row: Row): MemberRecord | undefined {
  if (optionalText(row, 'user_id') === null) return undefined;
  return {
    user: readUser(row),
    kind: text(row, 'user_kind') as MemberRecord['kind'],
    role: optionalText(row, 'membership_role') as Role | null,
    disabled: row.membership_disabled === 1,
    sso: row.membership_sso === 1,
    joinedAt: number(row, 'membership_joined_at'),
    lastSeenAt: optionalNumber(row, 'membership_last_seen_at'),
    spaces: number(row, 'membership_spaces'),
    teams: number(row, 'membership_teams'),
  };
}

/** Of a row that holds a member for certain. */
export function readKnownMember(row: Row): MemberRecord {
  const member = readMember(row);
  if (member === undefined) throw new TypeError('A row holds no member.');
  return member;
}
