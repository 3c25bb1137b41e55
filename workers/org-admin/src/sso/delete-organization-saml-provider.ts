import { CommitConflict, must, samlProviders } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { leavesSignIn, shutsOut } from './can-sign-in.ts';
import { endSessions } from './end-access.ts';

/** The identities and the sign-ins under way go with the provider; so do the sessions that came through it. */
export const deleteOrganizationSAMLProvider: Handler<
  typeof orgAdmin.deleteOrganizationSAMLProvider,
  OrgAdminEnvironment
> = async ({ params }, { db, organization, commit }) => {
  const id = params.samlProviderId;
  const mine = sql`id = ${id} AND organization = ${organization.id}`;
  const isThere = must(db, sql`EXISTS (SELECT 1 FROM saml_providers WHERE ${mine})`);
  const remove = db.delete(samlProviders).where(mine);
  try {
    await commit(
      [isThere, endSessions(db, id), remove, must(db, leavesSignIn(organization.id))],
      [{ type: 'saml_provider.deleted', organization: organization.id, data: { provider: id } }],
    );
  } catch (error) {
    if (!(error instanceof CommitConflict)) throw error;
    const found = await db.all(sql`SELECT 1 FROM saml_providers WHERE ${mine}`);
    throw found.length > 0 ? shutsOut() : notFound('SAML provider');
  }
  return undefined;
};
