import type { Check } from '@octavo/db';
import { commitChecked, mergeRuleChecks, onlyRow, organizationRow, organizations } from '@octavo/db';
import { requireReadableRules } from '@octavo/expression';
import type { Handler } from '@octavo/runtime';
import { presentOrganization } from '@octavo/runtime';
import type { BodyOf, orgAdmin } from '@octavo/schema';
import { conflict, invalid, preconditionFailed } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { canSignIn } from '../sso/can-sign-in.ts';

type Endpoint = typeof orgAdmin.updateOrganizationById;

export const updateOrganizationById: Handler<Endpoint, OrgAdminEnvironment> = async (
  { body },
  { db, organization, membership, commit, urls },
) => {
  const { id } = organization;
  const settings = body;
  if (Object.values(settings).every((value) => value === undefined)) {
    return presentOrganization(organization, membership, urls);
  }
  requireReadableRules(settings.mergeRules);
  const checks = [...settingsChecks(id, settings), ...mergeRuleChecks(settings.mergeRules, id)];
  const write = db.update(organizations).set(settings).where(eq(organizations.id, id));
  const changed = organizationRow.query(sql`SELECT ${organizationRow} FROM organizations o WHERE o.id = ${id}`);
  const rows = await commitChecked(db, checks, (guards) =>
    commit({ guards, write, changed }, [{ type: 'organization.updated', organization: id, data: {} }]),
  );
  return presentOrganization(onlyRow(rows.changed), membership, urls);
};

function settingsChecks(id: string, { hostname, sso, defaultContent }: BodyOf<Endpoint>): Check[] {
  const isFree: Check = {
    holds: sql`NOT EXISTS (SELECT 1 FROM organizations WHERE hostname = ${hostname ?? null} AND id <> ${id})`,
    otherwise: () => conflict('The hostname belongs to another organization.'),
    heldBy: 'constraint',
  };
  const mayEnforce: Check = {
    holds: canSignIn(id),
    otherwise: () => preconditionFailed('SSO cannot be enforced before the organization has an active SAML provider.'),
  };
  const isOwn: Check = {
    holds: sql`EXISTS (SELECT 1 FROM sites WHERE id = ${defaultContent?.site ?? null} AND organization = ${id})`,
    otherwise: () => invalid([{ path: 'body.defaultContent.site', message: 'names no site of this organization' }]),
  };
  return [isFree, ...(sso === true ? [mayEnforce] : []), ...(defaultContent ? [isOwn] : [])];
}
