import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Value } from './fields.ts';
import { computed } from './fields.ts';
import type { users } from './org-admin.ts';

/**
 * Whether a user may be named, listed and given things. Accounts of integrations act as members do, and are shown as the
 * authors of what they write, but are in no list of people: their ids begin as no other user's do.
 */
export const isNamed = (user: SQL): SQL => sql`${user} NOT GLOB 'acc_*'`;

/** What a user goes by: the account of an installation by its integration's title of today, which costs others nothing. */
export const nameNow = ({ displayName, integration }: typeof users): SQL<string> =>
  sql`CASE WHEN ${integration} IS NULL THEN ${displayName}
    ELSE COALESCE((SELECT titled.title FROM integrations titled WHERE titled.name = ${integration}), ${displayName}) END`;

/** The same as a field of a selection. */
export const shownName = (user: typeof users): Value<string> => computed(user.displayName, nameNow(user));
