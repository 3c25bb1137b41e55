import type { Site, SiteSection, SiteSpace, SiteStructure } from '@octavo/schema';
import { json } from '../../support/content.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

interface Sent {
  method?: string;
  body?: unknown;
  token?: string | undefined;
}

export type SiteClient = Awaited<ReturnType<typeof makeSite>>;

/** Creates a site with helpers that read and write it as an admin. */
export async function makeSite(organization: TestOrganization, body: object = {}) {
  const site = await json<Site>(`/v1/orgs/${organization.id}/sites`, { token: organization.token, body });
  const base = `/v1/orgs/${organization.id}/sites/${site.id}`;
  const send = (path: string, { token = organization.token, ...options }: Sent = {}) =>
    platform().request(`${base}${path}`, { token, ...options });
  const ok = <Body>(path: string, { token = organization.token, ...options }: Sent = {}) =>
    json<Body>(`${base}${path}`, { token, ...options });
  const createSpace = async (title: string) => (await platform().makeSpace({ organization, title })).id;
  return {
    ...{ id: site.id, site, base, organization, send, ok, space: createSpace },
    get: () => ok<Site>(''),
    publish: () => ok<Site>('/publish', { method: 'POST' }),
    structure: () => ok<SiteStructure>('/structure'),
    addSpace: async (title: string, more: object = {}) =>
      ok<SiteSpace>('/site-spaces', { body: { spaceId: await createSpace(title), ...more } }),
    addSection: async (title: string, more: object = {}) =>
      ok<SiteSection>('/sections', { body: { spaceId: await createSpace(title), title, ...more } }),
    patch: <Body>(path: string, body: object) => ok<Body>(path, { method: 'PATCH', body }),
  };
}

export const createTestSite = async (body: object = {}) => makeSite(await platform().makeOrganization(), body);
