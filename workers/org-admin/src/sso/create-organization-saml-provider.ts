import { commitChecked, onlyRow, samlProviders } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { conflict, newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { checkSettings } from './check-settings.ts';
import { presentSamlProvider } from './present-saml-provider.ts';
import { selectProvider } from './provider-record.ts';

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
  const mayHaveMore = {
    holds: sql`(SELECT COUNT(*) FROM saml_providers WHERE organization = ${organization.id}) < ${maxProvidersPerOrganization}`,
    otherwise: () => conflict(`An organization has at most ${maxProvidersPerOrganization} SAML providers.`),
  };
  const write = db
    .insert(samlProviders)
    .values({ id, organization: organization.id, createdAt: Date.now(), ...settings });
  const made = selectProvider(organization.id, id, actor.id);
  const checks = [...checkSettings(organization.id, body), mayHaveMore];
  const rows = await commitChecked(db, checks, (guards) =>
    commit({ guards, write, made }, [
      { type: 'saml_provider.created', organization: organization.id, data: { provider: id } },
    ]),
  );
  return presentSamlProvider(onlyRow(rows.made), { membership, urls });
};
