import type { OrganizationId, SpaceId, UserId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { nameNow } from '../accounts.ts';
import type { Database, Statement } from '../connect.ts';
import { grants, members, tokens, users } from '../org-admin.ts';

/** The account of an installation in its organization. */
export interface InstallationAccount {
  account: UserId;
  organization: OrganizationId;
}

/** The integration that is installed, and its title. */
interface Titled {
  integration: string;
  displayName: string;
}

/** What an installation may do at most where it reaches; the scopes of its integration limit it further. */
const most = 'edit';

/** The role of an account in its organization: with one it reaches every space, without as a guest what it was given. */
const roleFor = (reachesAll: boolean) => (reachesAll ? most : null);

/** Makes the account of an installation: a member of its organization, as whom it acts. */
export const addAccount = (
  db: Database,
  { account, organization }: InstallationAccount,
  { integration, displayName, reachesAll, now }: Titled & { reachesAll: boolean; now: number },
): Statement[] => [
  // No mail is ever delivered below .invalid (RFC 2606), so nobody can come to hold the address.
  db.insert(users).values({
    ...{ id: account, kind: 'installation', displayName, integration, createdAt: now },
    email: `${account}@integration.invalid`,
  }),
  db.insert(members).values({ organization, user: account, role: roleFor(reachesAll), joinedAt: now }),
];

/** Ends all that an installation may do, at once: its tokens and what it was given. What it wrote stays its account's. */
export const removeAccount = (db: Database, { account, organization }: InstallationAccount): Statement[] => [
  db.delete(members).where(sql`${members.organization} = ${organization} AND ${members.user} = ${account}`),
  // Its title stays as it was last: the name may come to be another integration's.
  db
    .update(users)
    .set({ displayName: nameNow(users), integration: null })
    .where(sql`${users.id} = ${account}`),
];

/** Changes what the account reaches; while it is paused, that is nothing. */
export const changeAccount = (
  db: Database,
  { account, organization }: InstallationAccount,
  { reachesAll, isPaused }: { reachesAll: boolean; isPaused: boolean },
): Statement =>
  db
    .update(members)
    .set({ role: roleFor(reachesAll), disabled: isPaused })
    .where(sql`${members.organization} = ${organization} AND ${members.user} = ${account}`);

/** Gives the account a space that it is installed on, or takes it. */
export const giveSpace = (
  db: Database,
  { account, organization }: InstallationAccount,
  space: SpaceId,
  isGiven: boolean,
): Statement =>
  isGiven
    ? db
        .insert(grants)
        .values({ object: space, subject: account, organization, role: most, createdAt: Date.now() })
        .onConflictDoNothing()
    : db.delete(grants).where(sql`${grants.object} = ${space} AND ${grants.subject} = ${account}`);

/** Writes down a token of an integration or an installation, unless it stands there already. */
export const keepToken = (db: Database, token: typeof tokens.$inferInsert): Statement =>
  db.insert(tokens).values(token).onConflictDoNothing();
