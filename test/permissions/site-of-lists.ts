import { petstore, specsOf, textOf } from '../publishing/openapi/spec-client.ts';
import { json } from '../support/content.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

/** A site with a redirect, and a specification: something for each of their lists. */
export async function makeSiteOf(organization: TestOrganization, spaces: string[]) {
  const { id, token } = organization;
  const sites = `/v1/orgs/${id}/sites`;
  const site = await json<{ id: string }>(sites, { token, body: { spaces: spaces.slice(0, 2) } });
  const destination = { kind: 'external', url: 'https://else.test/' };
  await json(`${sites}/${site.id}/redirects`, { token, body: { source: '/a', destination } });
  await specsOf(platform(), organization).publish('api', textOf(petstore()));
  return { siteId: site.id, specSlug: 'api' };
}
