import { expect, vi } from 'vitest';
import { getSpecs, getText } from '../../publishing/openapi/spec-client.ts';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import type { FoundSpace } from '../../support/search.ts';
import { searchOrganization } from '../../support/search.ts';
import type { ReferencePage } from '../computed/reference-space.ts';
import { createLibrary, insertComputed, listAllPages } from '../computed/reference-space.ts';
import { publishSite } from '../visitors/visitor-client.ts';

type FoundPages = FoundSpace['pages'][number];

const waiting = { timeout: 30_000, interval: 100 };

/** Publishes a site with a space and a specification. `ways` contains every search that covers the space. */
export async function makeSearchedSite() {
  const siteWorld = await publishSite();
  const { organization, site, space, member } = siteWorld;
  const specs = getSpecs(platform(), organization);
  await specs.publish('library', getText(createLibrary()));

  const getPages = (spaces: FoundSpace[]) => spaces.flatMap(({ id, pages }) => (id === space.id ? pages : []));
  const createSiteSearch =
    (more: object) =>
    async (words: string, token = organization.token) => {
      const path = `/v1/orgs/${organization.id}/sites/${site.id}/search`;
      const body = { query: words, ...more };
      return getPages((await json<{ items: FoundSpace[] }>(path, { token, method: 'POST', body })).items);
    };
  const ways: Record<string, (words: string, token?: string) => Promise<FoundPages[]>> = {
    'of the space': async (words, token = organization.token) => {
      const path = `/v1/spaces/${space.id}/search?limit=100&query=${encodeURIComponent(words)}`;
      return (await json<{ items: FoundPages[] }>(path, { token })).items;
    },
    'of the organization': async (words, token = organization.token) =>
      getPages((await searchOrganization({ id: organization.id, token }, words)).items),
    'of the site': createSiteSearch({ scope: { mode: 'all' } }),
    'of the site by the older body': createSiteSearch({ mode: 'all' }),
  };

  const readTree = async () =>
    listAllPages((await member.pages()) as ReferencePage[])
      .filter(({ computed }) => computed?.type === 'builtin:openapi')
      .map(({ id, title, path }) => ({ id, title, path }));

  /** Checks that each search finds every generated page by its title, and no generated page that is not in the tree. */
  async function expectSearchesMatchTree() {
    const pages = await readTree();
    for (const [way, search] of Object.entries(ways))
      for (const page of pages) {
        const found = (await search(page.title)).map(({ id, title, path }) => ({ id, title, path }));
        expect(found, way).toContainEqual(page);
        for (const each of found.filter(({ id }) => id.includes('-'))) expect(pages, way).toContainEqual(each);
      }
    return pages;
  }

  return {
    ...siteWorld,
    ...{ specs, ways },
    /** Searches the site with both forms of the request body. */
    inSite: (words: string, token: string) =>
      Promise.all([
        createSiteSearch({ scope: { mode: 'all' } })(words, token),
        createSiteSearch({ mode: 'all' })(words, token),
      ]),
    /** Waits until all searches match the tree, and returns its generated pages. */
    indexed: () => vi.waitFor(expectSearchesMatchTree, waiting),
    /** Waits until each search finds `count` pages. */
    found: (words: string, count: number) =>
      vi.waitFor(async () => {
        for (const [way, search] of Object.entries(ways))
          expect([way, (await search(words)).length]).toEqual([way, count]);
      }, waiting),
    async insert(spec = 'library', more: Record<string, unknown> = {}): Promise<string> {
      const [id = ''] = await member.change([insertComputed(spec, more)]);
      return id;
    },
  };
}
