import type { IntegrationScope, OrganizationId, SiteId, SpaceId, UserId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import type { Statement } from '../query.ts';
import { selectCurrentName } from '../statements/records.ts';
import { integrations } from '../tables/integrations.ts';
import { grants, members, tokens, users } from '../tables/org-admin.ts';
import type { EventsOfRows } from './events.ts';

/** The account of an installation in its organization. */
interface InstallationAccount {
  account: UserId;
  organization: OrganizationId;
}

/** The integration that is installed, and its title. */
interface InstalledIntegration {
  integration: string;
  displayName: string;
}

/** The highest role of an installation. The scopes of its integration limit it further. */
const maxRole = 'edit';

/** Returns the account's role in its organization: a role for all spaces, or null for a guest with grants. */
const getRole = (reachesAll: boolean) => (reachesAll ? maxRole : null);

/** Creates the account that an installation acts as. The account is a member of the installation's organization. */
export const addInstallationAccount = (
  db: Database,
  { account, organization }: InstallationAccount,
  { integration, displayName, reachesAll, now }: InstalledIntegration & { reachesAll: boolean; now: number },
): Statement[] => [
  // Mail to .invalid is never delivered (RFC 2606), so no one can own the address.
  db.insert(users).values({
    ...{ id: account, kind: 'installation', displayName, integration, createdAt: now },
    email: `${account}@integration.invalid`,
  }),
  db.insert(members).values({ organization, user: account, role: getRole(reachesAll), joinedAt: now }),
];

/** Deletes the tokens and grants of installations. Their accounts are kept as the authors of their changes. */
export function removeInstallationAccounts(db: Database, installations: InstallationAccount[]): Statement[] {
  const accounts = JSON.stringify(installations.map(({ account, organization }) => ({ account, organization })));
  const selectAccounts = sql`SELECT value->>'account' FROM json_each(${accounts})`;
  return [
    db
      .delete(members)
      .where(
        sql`(organization, user) IN (SELECT value->>'organization', value->>'account' FROM json_each(${accounts}))`,
      ),
    // Stores the integration's last title, because another integration can get the name.
    db
      .update(users)
      .set({ displayName: selectCurrentName(users), integration: null })
      .where(sql`${users.id} IN (${selectAccounts})`),
  ];
}

/** Changes the role of the account. The account of a paused installation has no role. */
export const updateInstallationAccount = (
  db: Database,
  { account, organization }: InstallationAccount,
  { reachesAll, isPaused }: { reachesAll: boolean; isPaused: boolean },
): Statement =>
  db
    .update(members)
    .set({ role: getRole(reachesAll), disabled: isPaused })
    .where(sql`${members.organization} = ${organization} AND ${members.user} = ${account}`);

/** Grants accounts access to the spaces that their installations are on. `json` lists pairs of account and space. */
export const addSpaceGrants = (db: Database, json: string): Statement =>
  db.run(sql`INSERT INTO grants (object, subject, organization, role, created_at)
    SELECT value->>'place', value->>'account', value->>'organization', ${maxRole}, ${Date.now()}
    FROM json_each(${json}) WHERE true ON CONFLICT DO NOTHING`);

/** Grants the account access to a space that the installation is on, or revokes the access. */
export const setSpaceGrant = (
  db: Database,
  { account, organization }: InstallationAccount,
  space: SpaceId,
  isGranted: boolean,
): Statement =>
  isGranted
    ? db
        .insert(grants)
        .values({ object: space, subject: account, organization, role: maxRole, createdAt: Date.now() })
        .onConflictDoNothing()
    : db.delete(grants).where(sql`${grants.object} = ${space} AND ${grants.subject} = ${account}`);

/** Stores a token of an integration or an installation, unless it is stored already. */
export const storeToken = (db: Database, token: typeof tokens.$inferInsert): Statement =>
  db.insert(tokens).values(token).onConflictDoNothing();

type NewIntegration = typeof integrations.$inferInsert;
/** Columns that a new version does not change. */
type InitialColumns = Pick<
  NewIntegration,
  'name' | 'organization' | 'account' | 'signingSecret' | 'createdBy' | 'createdAt'
>;
/** Columns that each version sets. */
type VersionColumns = Omit<NewIntegration, keyof InitialColumns | 'version' | 'scopesSince' | 'settlingFrom'> & {
  scopes: IntegrationScope[];
};

/** Scopes that were recorded before keep their version. All other scopes get the new version. */
const scopesSince = sql`(SELECT json_group_object(asked.value, COALESCE(
  (SELECT since.value FROM json_each(${integrations.scopesSince}) since WHERE since.key = asked.value),
  ${integrations.version} + 1)) FROM json_each(excluded.scopes) asked)`;

/** Checks pending installations again, because the new version can require less. */
const settlingFrom = sql`CASE WHEN ${sql.join(
  ['installations', 'space_installations', 'site_installations'].map(
    (table) =>
      sql`EXISTS (SELECT 1 FROM ${sql.raw(`${table} INDEXED BY ${table}_pending`)}
        WHERE integration = excluded.name AND status = 'pending')`,
  ),
  sql` OR `,
)} THEN 'installation' END`;

/**
 * Publishes an integration or a new version of it. The title of the integration becomes the name of the account that it
 * acts as.
 */
export function upsertIntegration(db: Database, initial: InitialColumns, version: VersionColumns): Statement[] {
  const { name, account, createdAt } = initial;
  const published = sql`SELECT account FROM integrations WHERE name = ${name}`;
  // Mail to .invalid is never delivered (RFC 2606), so no one can own the address.
  const email = `${account}@integration.invalid`;
  return [
    db.run(sql`INSERT INTO users (id, email, display_name, created_at, kind)
      SELECT ${account}, ${email}, ${version.title}, ${createdAt}, 'integration' WHERE NOT EXISTS (${published})`),
    db.run(sql`UPDATE users SET display_name = ${version.title} WHERE id IN (${published})`),
    db
      .insert(integrations)
      .values({ ...initial, ...version, scopesSince: Object.fromEntries(version.scopes.map((scope) => [scope, 1])) })
      .onConflictDoUpdate({
        target: integrations.name,
        set: { ...version, version: sql`${integrations.version} + 1`, scopesSince, settlingFrom },
      }),
  ];
}

/** Deletes the tokens of an unpublished integration. Its account is kept as the author of its changes. */
export const deleteAccountTokens = (db: Database, account: UserId): Statement =>
  db.delete(tokens).where(eq(tokens.user, account));

/** A write and the events that it causes. */
export interface Effect {
  statements: Statement[];
  events: EventsOfRows[];
}

const installationData = sql.raw("'installation', installation, 'integration', integration, 'status', status");

/**
 * Events for installations on spaces that leave their organization or are deleted. `condition` is a condition on
 * `space_installations`.
 */
export const createSpaceUninstallEvents = (organization: OrganizationId, condition: SQL): EventsOfRows => ({
  type: 'space_installation.deleted',
  organization,
  rows: sql`SELECT space, json_object(${installationData}) AS data FROM space_installations
    WHERE ${condition} AND +organization = ${organization}`,
});

/** Events for installations on a site that is deleted. */
export const createSiteUninstallEvents = (organization: OrganizationId, site: SiteId): EventsOfRows => ({
  type: 'site_installation.deleted',
  organization,
  rows: sql`SELECT NULL AS space, json_object(${installationData}, 'site', site) AS data FROM site_installations
    WHERE site = ${site} AND +organization = ${organization}`,
});
