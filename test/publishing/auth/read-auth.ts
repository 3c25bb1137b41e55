import type { PublishingAuth } from '@octavo/schema';
import { getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import type { RequestOptions } from '../../support/platform.ts';
import { getSite } from '../customized-site.ts';

/** Creates a site with helpers for its visitor authentication settings. */
export async function getAuth() {
  const site = await getSite();
  const requestAuth = async (path = '', options: RequestOptions = {}) => {
    const response = await site.call(`/publishing/auth${path}`, options);
    return { status: response.status, ...((await response.json()) as PublishingAuth) };
  };
  /** Installs a new integration on the site. */
  const installIntegration = async (described: Record<string, unknown>) => {
    const integration = await makeIntegration(site.organization, described);
    const installation = await install(integration, site.organization);
    await installOn(getPath(integration, installation), site.organization, { site: site.id });
    return integration.name;
  };
  return {
    ...site,
    vouching: installIntegration,
    ask: requestAuth,
    regenerate: () => requestAuth('/regenerate', { method: 'POST' }),
  };
}
