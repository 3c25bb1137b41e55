import { beforeAll, expect, test } from 'vitest';
import { getSpecs, getText } from '../../publishing/openapi/spec-client.ts';
import { platform } from '../../support/platform.ts';
import { getCost, insertPage } from '../space-client.ts';
import { published } from '../visitors/visitor-client.ts';
import { insertComputed, library } from './reference-space.ts';

let made: Awaited<ReturnType<typeof published>>;
let computed: string;
let guide: string;

beforeAll(async () => {
  made = await published();
  const specs = getSpecs(platform(), made.organization);
  for (const slug of ['library', 'unused']) await specs.publish(slug, getText(library()));
  [guide = '', computed = ''] = await made.member.change([
    { ...insertPage('Guide'), ref: 'guide' },
    insertComputed('library', { into: 'guide' }),
  ]);
});

const setCondition = (page: string, condition: string) =>
  made.member.change([{ operation: 'update_page', page, condition }]);

const readSpec = (token: string, slug = 'library', organization = made.organization.id) =>
  platform().request(`/v1/orgs/${organization}/openapi/${slug}/versions/latest/content`, { token });

const staff = () => made.visit({ staff: true });

test('a visitor can read the generated pages and their specification', async () => {
  const guest = made.visit();
  const [page] = await guest.pages();

  expect(page?.pages?.map(({ path }) => path)).toContain('guide/books');
  expect(await guest.ok('/content/path/guide/books/loans?format=document')).toMatchObject({ title: 'Loans' });
  const answer = await readSpec(guest.token);
  expect([answer.status, getCost(answer).trips]).toEqual([200, 2]);
  expect(await answer.json()).toMatchObject({ filesystem: [{ specification: { info: { title: 'Library' } } }] });
});

test('a visitor cannot read a specification that no page of the site uses', async () => {
  const other = await published();

  expect((await readSpec(made.visit().token, 'unused')).status).toBe(404);
  expect((await readSpec(other.visit().token)).status).toBe(404);
  expect((await readSpec(other.visit().token, 'library', other.organization.id)).status).toBe(404);
  const raw = `/v1/orgs/${made.organization.id}/openapi/library/versions/latest/content/raw`;
  expect((await platform().request(raw, { token: made.visit().token })).status).toBe(404);
});

test.each([
  ['its computed page', () => computed],
  ['a page above', () => guide],
])('a visitor who does not meet the condition of %s sees neither the pages nor the specification', async (_, page) => {
  const [books = ''] = (await made.member.pages()).flatMap(({ pages = [] }) => pages.map(({ id }) => id));
  await setCondition(page(), 'visitor.claims.staff');
  const paths = ['/content/path/guide/books', `/content/page/${books}`, '/content/path/guide/models'];

  for (const path of paths) {
    expect([path, (await made.visit().call(path)).status]).toEqual([path, 404]);
    expect([path, (await staff().call(path)).status]).toEqual([path, 200]);
  }
  expect(JSON.stringify(await made.visit().pages())).not.toContain('Books');
  expect(JSON.stringify(await staff().pages())).not.toContain('condition');
  expect((await readSpec(made.visit().token)).status).toBe(404);
  expect((await readSpec(staff().token)).status).toBe(200);
  await setCondition(page(), '');
});

test('responses with generated pages have a shorter cache lifetime than their revision', async () => {
  const { id } = await made.member.head();
  const lasting = async (path: string) => {
    const { headers } = await platform().request(`/v1/spaces/${made.space.id}/revisions/${id}${path}`, {
      token: made.visit().token,
    });
    return headers.get('x-gitbook-cache-control');
  };

  expect(await lasting('')).toBe('max-age=0');
  expect(await lasting('/path/guide/books')).toBe('max-age=0');
  expect(await lasting('?computed=false')).not.toBe('max-age=0');
});
