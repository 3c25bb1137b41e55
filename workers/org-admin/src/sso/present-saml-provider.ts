import type { Membership } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { SamlProvider } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import { presentTeam } from '../teams/present-team.ts';
import type { ProviderRecord } from './provider-record.ts';
import { isActive } from './provider-record.ts';
import { serviceOf } from './service-urls.ts';

export const presentSamlProvider = (
  provider: ProviderRecord,
  { membership, urls }: { membership: Membership; urls: Urls },
): SamlProvider => ({
  object: 'saml-provider',
  id: provider.id,
  label: provider.label,
  ssoURL: provider.ssoURL,
  entityID: provider.entityID,
  certificate: provider.certificate,
  ...(provider.defaultTeam === null ? {} : { defaultTeam: presentTeam(provider.defaultTeam, membership) }),
  defaultRole: provider.defaultRole,
  createdAt: timestamp(provider.createdAt),
  status: isActive(provider) ? 'active' : 'pending',
  service: serviceOf(urls, provider.id),
  urls: { location: urls.location(`/orgs/${provider.organization}/saml/${provider.id}`) },
});
