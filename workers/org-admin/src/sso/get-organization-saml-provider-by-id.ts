import { readRow } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentSamlProvider } from './present-saml-provider.ts';
import { selectProvider } from './provider-record.ts';

export const getOrganizationSAMLProviderById: Handler<
  typeof orgAdmin.getOrganizationSAMLProviderById,
  OrgAdminEnvironment
> = async ({ params }, { db, actor, organization, membership, urls }) => {
  const provider = await readRow(db, selectProvider(organization.id, params.samlProviderId, actor.id));
  if (provider === undefined) throw notFound('SAML provider');
  return presentSamlProvider(provider, { membership, urls });
};
