import { expect, test } from 'vitest';
import { insertComputed, library } from '../../content/computed/reference-space.ts';
import { getClient, getCost, insertPage } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { getSpecs, getText } from '../openapi/spec-client.ts';
import { publishedSite, readStatus, resolve, spaceWith } from './site-world.ts';

async function referenceSite() {
  const organization = await platform().makeOrganization();
  await getSpecs(platform(), organization).publish('library', getText(library()));
  const made = await platform().makeSpace({ organization });
  const space = getClient(platform(), made);
  const [guide = '', computed = ''] = await space.change([
    { ...insertPage('Guide'), ref: 'guide' },
    insertComputed('library', { into: 'guide' }),
  ]);
  const site = await publishedSite({ organization, spaces: [made.id] });
  return { ...site, made, space, guide, computed };
}

test('resolves a page generated from a specification', async () => {
  const { base, made } = await referenceSite();
  const found = await resolve(`${base}/guide/books/loans`);

  expect(found).toMatchObject({
    ...{ pathname: '/guide/books/loans', complete: true, space: made.id },
    canonicalUrl: `${base}/guide/books/loans`,
  });
  expect(await readStatus(`/v1/spaces/${made.id}/content/path/guide/books/loans`, found.apiToken)).toBe(200);
  expect(await resolve(`${base}/guide/books/nothing`)).toMatchObject({ complete: false });
});

test.each(['guide', 'computed'] as const)(
  'resolves a generated page only for visitors who meet the condition of its %s',
  async (which) => {
    const site = await referenceSite();
    const { base, space } = site;
    await space.change([
      { operation: 'update_page', page: site[which], condition: 'visitor.claims.unsigned.plan == "pro"' },
    ]);
    const as = (plan: string) => ({ visitor: { unsignedClaims: { plan } } });

    expect(await resolve(`${base}/guide/books`, as('free'))).toMatchObject({ complete: false });
    expect(await resolve(`${base}/guide/books`, as('pro'))).toMatchObject({ complete: true });
  },
);

test('a written page takes the path of a generated page, until it is deleted', async () => {
  const { base, made, space, guide } = await referenceSite();
  const pageAtHealth = async () => {
    const { apiToken, complete } = await resolve(`${base}/guide/health`);
    expect(complete).toBe(true);
    return json<{ id: string }>(`/v1/spaces/${made.id}/content/path/guide/health`, { token: apiToken });
  };
  const before = await pageAtHealth();
  const [written = ''] = await space.change([{ ...insertPage('Health'), into: guide }]);

  expect((await pageAtHealth()).id).toBe(written);
  await space.change([{ operation: 'delete_page', page: written }]);
  expect((await pageAtHealth()).id).toBe(before.id);
});

test('resolving a generated or missing page takes as many round trips as a written page', async () => {
  const organization = await platform().makeOrganization();
  const plain = await publishedSite({ organization, spaces: [(await spaceWith(organization, 'Plain', ['Guide'])).id] });
  const { base } = await referenceSite();
  const tripsTo = async (url: string) => {
    const answer = await platform().request('/v1/urls/published', { body: { url } });
    expect(answer.status).toBe(200);
    return getCost(answer).trips;
  };

  for (const path of ['/guide', '/nothing']) expect(await tripsTo(`${plain.base}${path}`)).toBe(2);
  for (const path of ['/guide', '/guide/books', '/nothing']) expect(await tripsTo(`${base}${path}`)).toBe(2);
});

test('a written page costs only few more rows if the space has generated pages', async () => {
  const server = platform({ countsRows: true });
  const organization = await server.makeOrganization();
  const plain = await publishedSite({ organization, spaces: [(await spaceWith(organization, 'Plain', ['Guide'])).id] });
  const { base } = await referenceSite();
  const rowsTo = async (url: string) =>
    getCost(await server.request('/v1/urls/published', { body: { url: `${url}/guide` } })).read;

  expect((await rowsTo(base)) - (await rowsTo(plain.base))).toBeLessThanOrEqual(30);
});
