import { json, makePage } from '../../support/content.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

/** What the resolution of an address gives, as far as tests look at it. */
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
  /** The path of the site in the API. */
  path: string;
  site: { id: string; urls: { published?: string } };
  /** The published address, without a slash at the end. */
  base: string;
}

/** A site that is published, of an organization of its own. */
export async function publishedSite(
  settings: { visibility?: string; title?: string; spaces?: string[]; organization?: TestOrganization } = {},
): Promise<SiteWorld> {
  const { organization = await platform().makeOrganization(), ...body } = settings;
  const { token } = organization;
  const made = await json<{ id: string }>(`/v1/orgs/${organization.id}/sites`, { token, body });
  const path = `/v1/orgs/${organization.id}/sites/${made.id}`;
  const site = await json<SiteWorld['site']>(`${path}/publish`, { token, method: 'POST' });
  return { organization, path, site, base: (site.urls.published ?? '').replace(/\/$/, '') };
}

/** A space of an organization with pages of these titles at its top. */
export async function spaceWith(organization: TestOrganization, title: string, pages: string[]) {
  const space = await platform().makeSpace({ organization, title });
  const made: string[] = [];
  for (const page of pages) made.push(await makePage(space, page));
  return { ...space, pages: made };
}

/** What an address leads to for a visitor; throws where it is none. */
export const resolve = (url: string, more: object = {}): Promise<Resolved> =>
  json<Resolved>('/v1/urls/published', { body: { url, ...more } });

/** The status that an address is answered with. */
export const statusOf = async (url: string, more: object = {}): Promise<number> =>
  (await platform().request('/v1/urls/published', { body: { url, ...more } })).status;

/** The status of a read with a token. */
export const readStatus = async (path: string, token: string | undefined): Promise<number> =>
  (await platform().request(path, { token })).status;
