import type { IntegrationScope, UserId } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { Database, Statement } from '../connect.ts';
import { integrations } from '../integrations.ts';
import { tokens } from '../org-admin.ts';

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
