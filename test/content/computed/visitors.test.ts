import { beforeAll, expect, test } from 'vitest';
import { getSpecs, getText } from '../../publishing/openapi/spec-client.ts';
import { platform } from '../../support/platform.ts';
import { getCost, insertPage } from '../space-client.ts';
import { publishSite } from '../visitors/visitor-client.ts';
import { createLibrary, insertComputed } from './reference-space.ts';

let siteWorld: Awaited<ReturnType<typeof publishSite>>;
let computed: string;
let guide: string;

beforeAll(async () => {
  siteWorld = await publishSite();
  const specs = getSpecs(platform(), siteWorld.organization);
  for (const slug of ['library', 'unused']) await specs.publish(slug, getText(createLibrary()));
  [guide = '', computed = ''] = await siteWorld.member.change([
    { ...insertPage('Guide'), ref: 'guide' },
    insertComputed('library', { into: 'guide' }),
  ]);
});

const setCondition = (page: string, condition: string) =>
  siteWorld.member.change([{ operation: 'update_page', page, condition }]);

const readSpec = (token: string, slug = 'library', organization = siteWorld.organization.id) =>
  platform().request(`/v1/orgs/${organization}/openapi/${slug}/versions/latest/content`, { token });

const visitAsStaff = () => siteWorld.visit({ staff: true });

test('a visitor can read the generated pages and their specification', async () => {
  const guest = siteWorld.visit();
  const [page] = await guest.pages();

  expect(page?.pages?.map(({ path }) => path)).toContain('guide/books');
  expect(await guest.callJson('/content/path/guide/books/loans?format=document')).toMatchObject({ title: 'Loans' });
  const response = await readSpec(guest.token);
  expect([response.status, getCost(response).trips]).toEqual([200, 2]);
  expect(await response.json()).toMatchObject({ filesystem: [{ specification: { info: { title: 'Library' } } }] });
});

test('a visitor cannot read a specification that no page of the site uses', async () => {
  const other = await publishSite();

  expect((await readSpec(siteWorld.visit().token, 'unused')).status).toBe(404);
  expect((await readSpec(other.visit().token)).status).toBe(404);
  expect((await readSpec(other.visit().token, 'library', other.organization.id)).status).toBe(404);
  const raw = `/v1/orgs/${siteWorld.organization.id}/openapi/library/versions/latest/content/raw`;
  expect((await platform().request(raw, { token: siteWorld.visit().token })).status).toBe(404);
});

test.each([
  ['its computed page', () => computed],
  ['an ancestor', () => guide],
])('a visitor who does not meet the condition of %s sees neither the pages nor the specification', async (_, page) => {
  const [books = ''] = (await siteWorld.member.pages()).flatMap(({ pages = [] }) => pages.map(({ id }) => id));
  await setCondition(page(), 'visitor.claims.staff');
  const paths = ['/content/path/guide/books', `/content/page/${books}`, '/content/path/guide/models'];

  for (const path of paths) {
    expect([path, (await siteWorld.visit().call(path)).status]).toEqual([path, 404]);
    expect([path, (await visitAsStaff().call(path)).status]).toEqual([path, 200]);
  }
  expect(JSON.stringify(await siteWorld.visit().pages())).not.toContain('Books');
  expect(JSON.stringify(await visitAsStaff().pages())).not.toContain('condition');
  expect((await readSpec(siteWorld.visit().token)).status).toBe(404);
  expect((await readSpec(visitAsStaff().token)).status).toBe(200);
  await setCondition(page(), '');
});

test('responses with generated pages have a shorter cache lifetime than their revision', async () => {
  const { id } = await siteWorld.member.head();
  const readCacheLifetime = async (path: string) => {
    const { headers } = await platform().request(`/v1/spaces/${siteWorld.space.id}/revisions/${id}${path}`, {
      token: siteWorld.visit().token,
    });
    return headers.get('x-gitbook-cache-control');
  };

  expect(await readCacheLifetime('')).toBe('max-age=0');
  expect(await readCacheLifetime('/path/guide/books')).toBe('max-age=0');
  expect(await readCacheLifetime('?computed=false')).not.toBe('max-age=0');
});
