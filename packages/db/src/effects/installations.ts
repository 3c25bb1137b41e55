import type { IntegrationScope, OrganizationId, SiteId, SpaceId, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import type { Database, Statement } from '../connect.ts';
import type { EventsOfRows } from '../statements/caused-events.ts';
import { nameNow } from '../statements/records.ts';
import { integrations } from '../tables/integrations.ts';
import { grants, members, tokens, users } from '../tables/org-admin.ts';

/** The account of an installation in its organization. */
interface InstallationAccount {
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

type New = typeof integrations.$inferInsert;
/** What stays as it was first written. */
type Made = Pick<New, 'name' | 'organization' | 'account' | 'signingSecret' | 'createdBy' | 'createdAt'>;
/** What each version says anew. */
type Described = Omit<New, keyof Made | 'version' | 'scopesSince' | 'settlingFrom'> & { scopes: IntegrationScope[] };

/** What was asked for before stays since then; what was not, also where it once was, comes with this version. */
const scopesSince = sql`(SELECT json_group_object(asked.value, COALESCE(
  (SELECT since.value FROM json_each(${integrations.scopesSince}) since WHERE since.key = asked.value),
  ${integrations.version} + 1)) FROM json_each(excluded.scopes) asked)`;

/** What is pending is looked at again: the new version may ask for less. */
const settlingFrom = sql`CASE WHEN ${sql.join(
  ['installations', 'space_installations', 'site_installations'].map(
    (table) =>
      sql`EXISTS (SELECT 1 FROM ${sql.raw(`${table} INDEXED BY ${table}_pending`)}
        WHERE integration = excluded.name AND status = 'pending')`,
  ),
  sql` OR `,
)} THEN 'installation' END`;

/** Publishes an integration, or the next version of it. It has an account that it calls as, which goes by its title. */
export function upsertIntegration(db: Database, made: Made, described: Described): Statement[] {
  const { name, account, createdAt } = made;
  const published = sql`SELECT account FROM integrations WHERE name = ${name}`;
  // No mail is ever delivered below .invalid (RFC 2606), so nobody can come to hold the address.
  const email = `${account}@integration.invalid`;
  return [
    db.run(sql`INSERT INTO users (id, email, display_name, created_at, kind)
      SELECT ${account}, ${email}, ${described.title}, ${createdAt}, 'integration' WHERE NOT EXISTS (${published})`),
    db.run(sql`UPDATE users SET display_name = ${described.title} WHERE id IN (${published})`),
    db
      .insert(integrations)
      .values({ ...made, ...described, scopesSince: Object.fromEntries(described.scopes.map((scope) => [scope, 1])) })
      .onConflictDoUpdate({
        target: integrations.name,
        set: { ...described, version: sql`${integrations.version} + 1`, scopesSince, settlingFrom },
      }),
  ];
}

/** Ends the tokens of an integration that is unpublished. What it wrote stays its account's. */
export const endIntegrationAccount = (db: Database, account: UserId): Statement =>
  db.delete(tokens).where(eq(tokens.user, account));

/** A write with what it tells of. */
export interface Effect {
  statements: Statement[];
  events: EventsOfRows[];
}

const installed = sql.raw("'installation', installation, 'integration', integration, 'status', status");

/** What tells of the installations on spaces that leave their organization or end, by a condition on `space_installations`. */
export const uninstalledFromSpaces = (organization: OrganizationId, which: SQL): EventsOfRows => ({
  type: 'space_installation.deleted',
  organization,
  rows: sql`SELECT space, json_object(${installed}) AS data FROM space_installations
    WHERE ${which} AND +organization = ${organization}`,
});

/** What tells of the installations on a site that ends. */
export const uninstalledFromSite = (organization: OrganizationId, site: SiteId): EventsOfRows => ({
  type: 'site_installation.deleted',
  organization,
  rows: sql`SELECT NULL AS space, json_object(${installed}, 'site', site) AS data FROM site_installations
    WHERE site = ${site} AND +organization = ${organization}`,
});
