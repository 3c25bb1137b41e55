import type { Check } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { preconditionFailed } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { isLed } from '../members/led.ts';
import { isConfigured } from './provider-record.ts';

/** Whether the members of an organization have where to sign in: a provider that is fully configured. */
export const canSignIn = (organization: OrganizationId) =>
  sql`EXISTS (SELECT 1 FROM saml_providers p WHERE p.organization = ${organization} AND ${isConfigured})`;

/** Whether an organization that enforces SSO leaves its members where to sign in, and any of them an admin who can. */
export const leavesSignIn = (organization: OrganizationId): Check => ({
  holds: sql`(${isLed(organization)} AND (${canSignIn(organization)}
    OR NOT EXISTS (SELECT 1 FROM organizations WHERE id = ${organization} AND sso)))`,
  otherwise: () =>
    preconditionFailed(
      'Somebody would be shut out: an organization that enforces SSO needs an active SAML provider, and any needs an admin who can sign in.',
    ),
  heldBy: 'outcome',
});
