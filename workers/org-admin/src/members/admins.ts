import type { CallerRecord } from '@octavo/db';
import type { OrganizationId, Role, UserId } from '@octavo/schema';
import { forbidden, preconditionFailed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { isConfigured } from '../sso/queries.ts';

/**
 * The people in charge of an organization: active admins who can get in, by an address that they have proved to hold, by a
 * token of their own, or through the organization's SSO. Service accounts never are.
 */
const admins = (organization: OrganizationId): SQL => sql`
  SELECT 1 FROM members m INDEXED BY members_in_charge CROSS JOIN users u ON u.id = m.user
  WHERE m.organization = ${organization} AND m.role = 'admin' AND m.disabled = 0 AND u.kind = 'person'
    AND (u.email_verified_at IS NOT NULL
      OR EXISTS (SELECT 1 FROM tokens t WHERE t.user = u.id AND t.organization IS NULL
        AND (t.expires_at IS NULL OR t.expires_at > ${Date.now()}))
      OR EXISTS (SELECT 1 FROM sso_identities i CROSS JOIN saml_providers p ON p.id = i.provider
        WHERE i.user = u.id AND i.organization = ${organization} AND ${isConfigured}))`;

/** Whether an organization has an admin: to be asked after a write, in its batch. */
export const isLed = (organization: OrganizationId): SQL => sql`EXISTS (${admins(organization)})`;

/** Whether people are in charge without this user, or the user is not in charge anyway. */
export const isLedWithout = (organization: OrganizationId, user: UserId | SQL): SQL => sql`
  (EXISTS (${admins(organization)} AND m.user <> ${user}) OR NOT EXISTS (${admins(organization)} AND m.user = ${user}))`;

export const needsAdmin = () => preconditionFailed('An organization needs at least one active admin who can sign in.');

/** An admin may do what no scope gives, so a token that is limited by scopes makes none. @throws ApiError forbidden */
export function requireFullToken({ scopes }: CallerRecord, ...given: (Role | null | undefined)[]): void {
  if (scopes !== null && given.includes('admin')) {
    throw forbidden('A token that is limited by scopes cannot make admins.');
  }
}
