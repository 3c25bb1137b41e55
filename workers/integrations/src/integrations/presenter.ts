import type { VisibleIntegrationRecord } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentForNonMember, presentOrganization } from '@octavo/runtime';
import type { Integration } from '@octavo/schema';
import { getImageUrl } from './objects.ts';

const omitUndefined = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], null>;
  };

/**
 * Presents an integration to a caller. `membership` is the caller's membership in the organization that owns the
 * integration.
 */
export function presentIntegration(visibleIntegration: VisibleIntegrationRecord, urls: Urls): Integration {
  const { integration, organization, membership, installs } = visibleIntegration;
  const { name, version, title, description, target, verified, visibility, scopes, categories } = integration;
  const { summary, blocks, contentSources, configurations, externalLinks, contentSecurityPolicy } = integration;
  const admin = membership.role === 'admin';
  const publicEndpoint = urls.page(`/integrations/${name}`);
  return {
    object: 'integration',
    ...{ name, version, title, description, target, verified, visibility, scopes, categories, externalLinks },
    ...omitUndefined({ summary, blocks, contentSources, configurations, contentSecurityPolicy }),
    previewImages: integration.previewImages.map((key) => getImageUrl(key, urls)),
    owner: membership.active
      ? presentOrganization(organization, membership, urls)
      : presentForNonMember(organization, [], urls),
    urls: {
      location: urls.location(`/integrations/${name}`),
      ...(integration.icon === null ? {} : { icon: getImageUrl(integration.icon, urls) }),
      app: urls.app(`/integrations/${name}`),
      assets: `${publicEndpoint}/assets`,
      publicEndpoint,
      publicContentEndpoint: publicEndpoint,
    },
    permissions: { admin, install: installs },
    ...(admin ? omitUndefined({ events: integration.events, webhook: integration.webhook }) : {}),
  };
}
