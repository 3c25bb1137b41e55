import { CommitConflict, must, samlProviders } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { endSessions } from './end-access.ts';

/** The identities and the sign-ins under way go with the provider; so do the sessions that came through it. */
export const deleteOrganizationSAMLProvider: Handler<
  typeof orgAdmin.deleteOrganizationSAMLProvider,
  OrgAdminEnvironment
> = async ({ params }, { db, organization, commit }) => {
  const id = params.samlProviderId;
  const mine = sql`id = ${id} AND organization = ${organization.id}`;
  const isThere = must(db, sql`EXISTS (SELECT 1 FROM saml_providers WHERE ${mine})`);
  try {
    await commit(
      [isThere, endSessions(db, id), db.delete(samlProviders).where(mine)],
      [{ type: 'saml_provider.deleted', organization: organization.id, data: { provider: id } }],
    );
  } catch (error) {
    throw error instanceof CommitConflict ? notFound('SAML provider') : error;
  }
  return undefined;
};
