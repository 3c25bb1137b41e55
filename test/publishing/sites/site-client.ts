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
  const callJson = <Body>(path: string, { token = organization.token, ...options }: Sent = {}) =>
    json<Body>(`${base}${path}`, { token, ...options });
  const createSpace = async (title: string) => (await platform().makeSpace({ organization, title })).id;
  return {
    ...{ id: site.id, site, base, organization, send, callJson, space: createSpace },
    get: () => callJson<Site>(''),
    publish: () => callJson<Site>('/publish', { method: 'POST' }),
    structure: () => callJson<SiteStructure>('/structure'),
    addSpace: async (title: string, more: object = {}) =>
      callJson<SiteSpace>('/site-spaces', { body: { spaceId: await createSpace(title), ...more } }),
    addSection: async (title: string, more: object = {}) =>
      callJson<SiteSection>('/sections', { body: { spaceId: await createSpace(title), title, ...more } }),
    patch: <Body>(path: string, body: object) => callJson<Body>(path, { method: 'PATCH', body }),
  };
}

export const createTestSite = async (body: object = {}) => makeSite(await platform().makeOrganization(), body);
