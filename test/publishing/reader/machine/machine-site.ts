import { json, makePage } from '../../../support/content.ts';
import type { RequestOptions, TestOrganization } from '../../../support/platform.ts';
import { platform } from '../../../support/platform.ts';
import { type Audience, getAuthKey, signVisitorJwt } from '../../audiences/open-site.ts';
import { createPublishedSite } from '../../resolution/site-world.ts';

export interface MachineSite {
  organization: TestOrganization;
  /** The API path of the site. */
  path: string;
  space: string;
  pages: { id: string; title: string; path: string }[];
  /** The published URL with a trailing slash, and with a share key if the site needs one. */
  base: string;
  /** The headers that an authorized visitor's browser sends. */
  headers: Record<string, string>;
  /** The query parameter with the visitor's authentication token. */
  pass: string;
  get(path: string, options?: RequestOptions): Promise<Response>;
}

const texts = ['# Herons\n\nA heron stands in the **reeds**.\n', 'An otter swims.\n\n## Diet\n\nFish.\n'];

async function createKeyedBase(path: string, token: string): Promise<string> {
  const body = { name: 'Partners' };
  const { urls } = await json<{ urls: { published: string } }>(`${path}/share-links`, { token, body });
  return urls.published;
}

/** Creates a published site with two pages for an audience, and an authorized visitor. */
export async function makeMachineSite(audience: Audience): Promise<MachineSite> {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const space = await platform().makeSpace({ organization, title: 'Animals' });
  const [herons, otters] = [await makePage(space, 'Herons', texts[0]), await makePage(space, 'Otters', texts[1])];
  const siteWorld = await createPublishedSite({
    organization,
    visibility: audience,
    title: 'Field guide',
    spaces: [space.id],
  });
  const plain = `${siteWorld.base}/`;
  const base = audience === 'share-link' ? await createKeyedBase(siteWorld.path, token) : plain;
  const jwt = audience === 'visitor-auth' ? signVisitorJwt(getAuthKey(siteWorld.site.id)) : undefined;
  const headers: Record<string, string> =
    jwt === undefined ? {} : { cookie: `octavo-visitor-${siteWorld.site.id}=${jwt}` };
  const folder = base.endsWith('/') ? base : `${base}/`;
  return {
    ...{ organization, path: siteWorld.path, space: space.id, headers, base: folder },
    pages: [
      { id: herons, title: 'Herons', path: 'herons' },
      { id: otters, title: 'Otters', path: 'otters' },
    ],
    pass: jwt === undefined ? '' : `?jwt_token=${jwt}`,
    get: (path, { headers: more, ...options } = {}) =>
      platform().request(`${folder}${path}`, { ...options, headers: { ...headers, ...more } }),
  };
}
