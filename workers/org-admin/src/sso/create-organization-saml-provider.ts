import { CommitConflict, must, retryOnConflict, samlProviders } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { conflict, newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { checkSettings } from './check-settings.ts';
import { presentSamlProvider } from './present-saml-provider.ts';
import { readProvider, selectProvider } from './provider-record.ts';

/** The providers of an organization are shown to members in one list, which is not paged. */
const maxProvidersPerOrganization = 20;

export const createOrganizationSAMLProvider: Handler<
  typeof orgAdmin.createOrganizationSAMLProvider,
  OrgAdminEnvironment
> = async ({ body }, { db, actor, organization, membership, commit, urls }) => {
  const id = newId('samlProvider');
  const { label, ssoURL: ssoUrl = '', entityID: entityId = '', certificate = '' } = body;
  const { defaultTeam = null, defaultRole = null } = body;
  const settings = { label, ssoUrl, entityId, certificate, defaultTeam, defaultRole };
  const isFull = sql`(SELECT COUNT(*) FROM saml_providers WHERE organization = ${organization.id}) >= ${maxProvidersPerOrganization}`;
  const write = db
    .insert(samlProviders)
    .values({ id, organization: organization.id, createdAt: Date.now(), ...settings });
  const [row = {}] = await retryOnConflict(async () => {
    const guards = await checkSettings(db, organization.id, body);
    try {
      const { made } = await commit(
        {
          hasRoom: must(db, sql`NOT ${isFull}`),
          guards,
          write,
          made: db.all(selectProvider(organization.id, id, actor.id)),
        },
        [{ type: 'saml_provider.created', organization: organization.id, data: { provider: id } }],
      );
      return made;
    } catch (error) {
      const full = error instanceof CommitConflict && (await db.all(sql`SELECT 1 WHERE ${isFull}`)).length > 0;
      throw full ? conflict(`An organization has at most ${maxProvidersPerOrganization} SAML providers.`) : error;
    }
  });
  return presentSamlProvider(readProvider(row), { membership, urls });
};
