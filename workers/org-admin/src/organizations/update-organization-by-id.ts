import type { Database, Row } from '@octavo/db';
import {
  CommitConflict,
  firstBroken,
  mergeRuleChecks,
  must,
  organizationColumns,
  organizations,
  readOrganization,
  retryOnConflict,
} from '@octavo/db';
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
  const settings = settingsOf(body);
  if (Object.values(settings).every((value) => value === undefined)) {
    return presentOrganization(organization, membership, urls);
  }
  requireReadableRules(settings.mergeRules);
  const checks = mergeRuleChecks(settings.mergeRules, id);
  const sso = settings.sso === true ? [canSignIn(id)] : [];
  const guards = [...sso, ...checks.map(({ holds }) => holds)].map((condition) => must(db, condition));
  const write = db.update(organizations).set(settings).where(eq(organizations.id, id));
  const changed = db.all(sql`SELECT ${organizationColumns} FROM organizations o WHERE o.id = ${id}`);
  const [row = {}] = await retryOnConflict(async () => {
    try {
      const events = [{ type: 'organization.updated', organization: id, data: {} }] as const;
      return (await commit({ guards, write, changed }, [...events])).changed;
    } catch (error) {
      throw error instanceof CommitConflict
        ? ((await refusal(db, id, settings)) ?? (await firstBroken(db, checks)) ?? error)
        : error;
    }
  });
  return presentOrganization(readOrganization(row), membership, urls);
};

function settingsOf(body: BodyOf<Endpoint>) {
  const { defaultContent, ...settings } = body;
  if (defaultContent === undefined) return settings;
  if (defaultContent === null) return { ...settings, defaultContent };
  throw invalid([{ path: 'body.defaultContent.site', message: 'names no site of this organization' }]);
}

async function refusal(db: Database, id: string, { hostname, sso }: ReturnType<typeof settingsOf>) {
  const [row] = await db.all<Row>(sql`
    SELECT EXISTS (SELECT 1 FROM organizations WHERE hostname = ${hostname ?? null} AND id <> ${id}) AS is_taken,
      ${canSignIn(id)} AS can_sign_in`);
  if (row?.is_taken === 1) return conflict('The hostname belongs to another organization.');
  if (sso === true && row?.can_sign_in === 0) {
    return preconditionFailed('SSO cannot be enforced before the organization has an active SAML provider.');
  }
  return undefined;
}
