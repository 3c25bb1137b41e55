import type { CallerRecord } from '@octavo/db';
import type { OrganizationId, Role, UserId } from '@octavo/schema';
import { forbidden, preconditionFailed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { isConfigured } from '../sso/queries.ts';

/**
 * Selects the admins who can sign in: active people with a verified address, a personal token or an SSO identity of the
 * organization. Service accounts do not count.
 */
const selectAdmins = (organization: OrganizationId): SQL => sql`
  SELECT 1 FROM members m INDEXED BY members_in_charge CROSS JOIN users u ON u.id = m.user
  WHERE m.organization = ${organization} AND m.role = 'admin' AND m.disabled = 0 AND u.kind = 'person'
    AND (u.email_verified_at IS NOT NULL
      OR EXISTS (SELECT 1 FROM tokens t WHERE t.user = u.id AND t.organization IS NULL
        AND (t.expires_at IS NULL OR t.expires_at > ${Date.now()}))
      OR EXISTS (SELECT 1 FROM sso_identities i CROSS JOIN saml_providers p ON p.id = i.provider
        WHERE i.user = u.id AND i.organization = ${organization} AND ${isConfigured}))`;

/** Whether the organization has an admin who can sign in. Checked after a write, in its batch. */
export const hasAdmin = (organization: OrganizationId): SQL => sql`EXISTS (${selectAdmins(organization)})`;

/** Returns the SQL condition that this user is not the only admin who can sign in. */
export const hasAdminWithout = (organization: OrganizationId, user: UserId | SQL): SQL => sql`
  (EXISTS (${selectAdmins(organization)} AND m.user <> ${user}) OR NOT EXISTS (${selectAdmins(organization)} AND m.user = ${user}))`;

export const createNeedsAdminError = () =>
  preconditionFailed('The organization needs at least one active admin who can sign in.');

/**
 * Throws if a token with scopes would grant the role admin, because no scope covers what an admin may do. @throws
 * ApiError forbidden
 */
export function requireFullToken({ scopes }: CallerRecord, ...givenRoles: (Role | null | undefined)[]): void {
  if (scopes !== null && givenRoles.includes('admin')) {
    throw forbidden('Making someone an admin requires a token without scopes.');
  }
}
