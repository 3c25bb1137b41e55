import { expect, test } from 'vitest';
import { createLibrary, insertComputed } from '../../content/computed/reference-space.ts';
import { getClient, getCost, insertPage } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { getSpecs, getText } from '../openapi/spec-client.ts';
import { createPublishedSite, makeSpaceWithPages, readStatus, resolve } from './site-world.ts';

async function createSiteWithReference() {
  const organization = await platform().makeOrganization();
  await getSpecs(platform(), organization).publish('library', getText(createLibrary()));
  const newSpace = await platform().makeSpace({ organization });
  const space = getClient(platform(), newSpace);
  const [guide = '', computed = ''] = await space.change([
    { ...insertPage('Guide'), ref: 'guide' },
    insertComputed('library', { into: 'guide' }),
  ]);
  const site = await createPublishedSite({ organization, spaces: [newSpace.id] });
  return { ...site, made: newSpace, space, guide, computed };
}

test('resolves a page generated from a specification', async () => {
  const { base, made } = await createSiteWithReference();
  const resolved = await resolve(`${base}/guide/books/loans`);

  expect(resolved).toMatchObject({
    ...{ pathname: '/guide/books/loans', complete: true, space: made.id },
    canonicalUrl: `${base}/guide/books/loans`,
  });
  expect(await readStatus(`/v1/spaces/${made.id}/content/path/guide/books/loans`, resolved.apiToken)).toBe(200);
  expect(await resolve(`${base}/guide/books/nothing`)).toMatchObject({ complete: false });
});

test.each(['guide', 'computed'] as const)(
  'resolves a generated page only for visitors who meet the condition of its %s',
  async (which) => {
    const site = await createSiteWithReference();
    const { base, space } = site;
    await space.change([
      { operation: 'update_page', page: site[which], condition: 'visitor.claims.unsigned.plan == "pro"' },
    ]);
    const createPlanToken = (plan: string) => ({ visitor: { unsignedClaims: { plan } } });

    expect(await resolve(`${base}/guide/books`, createPlanToken('free'))).toMatchObject({ complete: false });
    expect(await resolve(`${base}/guide/books`, createPlanToken('pro'))).toMatchObject({ complete: true });
  },
);

test('a written page takes the path of a generated page, until it is deleted', async () => {
  const { base, made, space, guide } = await createSiteWithReference();
  const readHealthPage = async () => {
    const { apiToken, complete } = await resolve(`${base}/guide/health`);
    expect(complete).toBe(true);
    return json<{ id: string }>(`/v1/spaces/${made.id}/content/path/guide/health`, { token: apiToken });
  };
  const before = await readHealthPage();
  const [written = ''] = await space.change([{ ...insertPage('Health'), into: guide }]);

  expect((await readHealthPage()).id).toBe(written);
  await space.change([{ operation: 'delete_page', page: written }]);
  expect((await readHealthPage()).id).toBe(before.id);
});

test('resolving a generated or missing page takes as many round trips as a written page', async () => {
  const organization = await platform().makeOrganization();
  const plain = await createPublishedSite({
    organization,
    spaces: [(await makeSpaceWithPages(organization, 'Plain', ['Guide'])).id],
  });
  const { base } = await createSiteWithReference();
  const countRoundTrips = async (url: string) => {
    const response = await platform().request('/v1/urls/published', { body: { url } });
    expect(response.status).toBe(200);
    return getCost(response).trips;
  };

  for (const path of ['/guide', '/nothing']) expect(await countRoundTrips(`${plain.base}${path}`)).toBe(2);
  for (const path of ['/guide', '/guide/books', '/nothing']) expect(await countRoundTrips(`${base}${path}`)).toBe(2);
});

test('a written page costs only a few more rows if the space has generated pages', async () => {
  const server = platform({ countsRows: true });
  const organization = await server.makeOrganization();
  const plain = await createPublishedSite({
    organization,
    spaces: [(await makeSpaceWithPages(organization, 'Plain', ['Guide'])).id],
  });
  const { base } = await createSiteWithReference();
  const countRowsRead = async (url: string) =>
    getCost(await server.request('/v1/urls/published', { body: { url: `${url}/guide` } })).read;

  expect((await countRowsRead(base)) - (await countRowsRead(plain.base))).toBeLessThanOrEqual(30);
});
