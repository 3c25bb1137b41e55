import { json, makePage } from '../../support/content.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

/** The fields of a resolution response that tests use. */
export interface Resolved {
  site: string;
  siteSection?: string;
  siteSpace: string;
  space: string;
  organization: string;
  changeRequest?: string;
  revision?: string;
  pathname: string;
  basePath: string;
  siteBasePath: string;
  apiToken: string;
  shareKey?: string;
  complete: boolean;
  canonicalUrl: string;
  target?: string;
  redirect?: string;
}

export interface SiteWorld {
  organization: TestOrganization;
  /** The API path of the site. */
  path: string;
  site: { id: string; urls: { published?: string } };
  /** The published URL, without a trailing slash. */
  base: string;
}

/** Creates a published site in a new organization. */
export async function createPublishedSite(
  settings: { visibility?: string; title?: string; spaces?: string[]; organization?: TestOrganization } = {},
): Promise<SiteWorld> {
  const { organization = await platform().makeOrganization(), ...body } = settings;
  const { token } = organization;
  const specification = await json<{ id: string }>(`/v1/orgs/${organization.id}/sites`, { token, body });
  const path = `/v1/orgs/${organization.id}/sites/${specification.id}`;
  const site = await json<SiteWorld['site']>(`${path}/publish`, { token, method: 'POST' });
  return { organization, path, site, base: (site.urls.published ?? '').replace(/\/$/, '') };
}

/** Creates a space with top-level pages of these titles. */
export async function makeSpaceWithPages(organization: TestOrganization, title: string, pages: string[]) {
  const space = await platform().makeSpace({ organization, title });
  const ids: string[] = [];
  for (const page of pages) ids.push(await makePage(space, page));
  return { ...space, pages: ids };
}

/** Resolves an address for a visitor. Throws if it does not exist. */
export const resolve = (url: string, more: object = {}): Promise<Resolved> =>
  json<Resolved>('/v1/urls/published', { body: { url, ...more } });

/** Returns the response status of resolving an address. */
export const getStatus = async (url: string, more: object = {}): Promise<number> =>
  (await platform().request('/v1/urls/published', { body: { url, ...more } })).status;

/** Returns the response status of a read with a token. */
export const readStatus = async (path: string, token: string | undefined): Promise<number> =>
  (await platform().request(path, { token })).status;
