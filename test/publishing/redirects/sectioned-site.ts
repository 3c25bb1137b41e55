import { makePage } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { makeSite } from '../sites/site-client.ts';

/** Creates a published site with two sections. The second one has a page `install`. */
export async function makeSectionedSite() {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const site = await makeSite(organization);
  const home = await site.addSection('Home');
  const guides = await site.addSection('Guides');
  const space = guides.siteSpaces[0]?.space.id ?? '';
  const install = await makePage({ id: space, token }, 'Install');
  const base = ((await site.publish()).urls.published ?? '').replace(/\/$/, '');
  const lookUp = async (source: string, by: string | undefined = token) => {
    const response = await site.send(`/redirect?source=${source}`, { token: by });
    return { status: response.status, ...((await response.json()) as { target?: string; redirect?: object }) };
  };
  return { ...site, home, guides, space, install, base, token, lookUp };
}

export type Sectioned = Awaited<ReturnType<typeof makeSectionedSite>>;

export const createContentRedirect = (redirect: string) => ({ target: 'content', redirect });

export const createVisitorBody = (unsignedClaims: object) => ({ visitor: { type: 'public', unsignedClaims } });
