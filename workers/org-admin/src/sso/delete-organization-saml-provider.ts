import { commitChecked, samlProviders } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { leavesSignIn } from './can-sign-in.ts';
import { endSessions } from './end-access.ts';
import { providerExists } from './provider-record.ts';

/** The identities and the sign-ins under way go with the provider; so do the sessions that came through it. */
export const deleteOrganizationSAMLProvider: Handler<
  typeof orgAdmin.deleteOrganizationSAMLProvider,
  OrgAdminEnvironment
> = async ({ params }, { db, organization, commit }) => {
  const id = params.samlProviderId;
  const mine = sql`id = ${id} AND organization = ${organization.id}`;
  const checks = [providerExists(organization.id, id), leavesSignIn(organization.id)];
  const remove = db.delete(samlProviders).where(mine);
  await commitChecked(db, checks, (guards, outcome) =>
    commit(
      [...guards, endSessions(db, id), remove, ...outcome],
      [{ type: 'saml_provider.deleted', organization: organization.id, data: { provider: id } }],
    ),
  );
  return undefined;
};
