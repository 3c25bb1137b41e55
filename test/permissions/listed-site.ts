import { createPetstoreSpec, getSpecs, getText } from '../publishing/openapi/spec-client.ts';
import { json } from '../support/content.ts';
import { getPath, install, installOn, makeIntegration } from '../support/integrations.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

/** Installs a new integration on the site and the spaces. */
async function installEverywhere(
  organization: TestOrganization,
  visibility: string,
  on: { site: string; spaces: string[] },
): Promise<{ integrationName: string; installationId: string }> {
  const integration = await makeIntegration(organization, { visibility });
  const installation = await install(integration, organization);
  const path = getPath(integration, installation);
  for (const space of on.spaces) await installOn(path, organization, { space });
  await installOn(path, organization, { site: on.site });
  // The script fails, which adds an entry to the event log.
  await platform().request(`/integrations/${integration.name}`);
  return { integrationName: integration.name, installationId: installation.id };
}

/** Creates a site with a redirect, a specification and integrations, so that each of its lists has an item. */
export async function makeListedSite(organization: TestOrganization, spaces: string[]) {
  const { id, token } = organization;
  const sites = `/v1/orgs/${id}/sites`;
  const site = await json<{ id: string }>(sites, { token, body: { spaces: spaces.slice(0, 2) } });
  const destination = { kind: 'external', url: 'https://else.test/' };
  await json(`${sites}/${site.id}/redirects`, { token, body: { source: '/a', destination } });
  await getSpecs(platform(), organization).publish('api', getText(createPetstoreSpec()));
  await installEverywhere(organization, 'public', { site: site.id, spaces });
  const installed = await installEverywhere(organization, 'private', { site: site.id, spaces });
  return { siteId: site.id, specSlug: 'api', ...installed };
}
