import type { Database } from '@octavo/db';
import { preconditionFailed } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { isConfigured } from './provider-record.ts';

/** Whether the members of an organization have where to sign in: a provider that is fully configured. */
export const canSignIn = (organization: string) =>
  sql`EXISTS (SELECT 1 FROM saml_providers p WHERE p.organization = ${organization} AND ${isConfigured})`;

/** Whether an organization that enforces SSO leaves its members where to sign in. */
export const leavesSignIn = (organization: string) => sql`(${canSignIn(organization)}
  OR NOT EXISTS (SELECT 1 FROM organizations WHERE id = ${organization} AND sso))`;

/** Refuses to take a provider away that an organization needs, because it enforces SSO. @throws ApiError precondition_failed */
export async function requireAnother(db: Database, organization: string, provider: string): Promise<void> {
  const needed = await db.all(sql`SELECT 1 FROM organizations WHERE id = ${organization} AND sso AND NOT EXISTS (
    SELECT 1 FROM saml_providers p WHERE p.organization = ${organization} AND p.id <> ${provider} AND ${isConfigured})`);
  if (needed.length > 0)
    throw preconditionFailed('SSO is enforced: the organization needs an active SAML provider until that is off.');
}
