import type { Row } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentSamlProvider } from './present-saml-provider.ts';
import { readProvider, selectProvider } from './provider-record.ts';

export const getOrganizationSAMLProviderById: Handler<
  typeof orgAdmin.getOrganizationSAMLProviderById,
  OrgAdminEnvironment
> = async ({ params }, { db, actor, organization, membership, urls }) => {
  const rows = await db.all<Row>(selectProvider(organization.id, params.samlProviderId, actor.id));
  if (rows[0] === undefined) throw notFound('SAML provider');
  return presentSamlProvider(readProvider(rows[0]), { membership, urls });
};
