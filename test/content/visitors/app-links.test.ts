import { beforeAll, expect, test } from 'vitest';
import { createPetstoreSpec, getSpecs, getText } from '../../publishing/openapi/spec-client.ts';
import { platform } from '../../support/platform.ts';
import { insertComputed } from '../computed/reference-space.ts';
import { flatten, insertPage } from '../space-client.ts';
import { publishSite } from './visitor-client.ts';

const server = platform();
const addresses = ['/app', '/app/organizations/org_a', '/app?tab=a', '/v1/orgs/org_a#part'].map(
  (path) => `${server.url}${path}`,
);
const outside = `${server.url}/apples`;
const words = [...addresses, outside].map((address, index) => `[word ${index}](${address})`).join(' and ');

let siteWorld: Awaited<ReturnType<typeof publishSite>>;
const pages: Record<string, string> = {};

beforeAll(async () => {
  siteWorld = await publishSite();
  const [text = ''] = await siteWorld.member.change([{ ...insertPage('Links'), document: { markdown: words } }]);
  const info = { title: 'Pets', version: '1' };
  const paths = { '/pets': { get: { tags: ['Pets'], description: words, responses: {} } } };
  await getSpecs(server, siteWorld.organization).publish(
    'pets',
    getText(createPetstoreSpec({ info, paths, tags: [{ name: 'Pets', description: words }] })),
  );
  await siteWorld.member.change([insertComputed('pets')]);
  const all = flatten((await siteWorld.member.callJson<{ pages: [] }>('/content/pages?computed=true')).pages);
  Object.assign(pages, { written: text, made: all.find(({ id }) => id.includes('-'))?.id });
});

test.each(
  ['written', 'made'].flatMap((page) => ['', '?format=document', '?evaluated=true'].map((query) => [page, query])),
)('links on a page that is %s never lead a visitor to the application: %s', async (page, query) => {
  const read = async (reader: typeof siteWorld.member) =>
    JSON.stringify(await reader.callJson(`/content/page/${pages[page ?? '']}${query}`));
  const [visitor, member] = [await read(siteWorld.visit()), await read(siteWorld.member)];

  for (const address of addresses) {
    const hasLink = [visitor, member].map((text) =>
      [`(${address})`, `"${address}"`].some((each) => text.includes(each)),
    );
    expect([address, ...hasLink]).toEqual([address, false, true]);
  }
  expect(visitor).toContain('word 0');
  expect(visitor).toContain(outside);
});

test('a hidden link page does not change the links of other pages', async () => {
  const { site, member, organization, space, visit } = await publishSite();
  const other = await server.makeSpace({ organization });
  const { id } = await site.callJson<{ id: string }>('/site-spaces', { body: { spaceId: other.id } });
  const target = { kind: 'space', space: other.id };
  const [hidden = ''] = await member.change([{ operation: 'insert_link', title: 'Link', target }]);
  await member.change([{ operation: 'update_page', page: hidden, condition: 'visitor.claims.staff' }]);
  const { revision } = await visit().callJson<{ revision: string }>('');
  const read = (claims: object) =>
    Promise.all(
      ['', '/pages'].map(async (path) => {
        const { token } = visit({ ...claims });
        const response = await server.request(`/v1/spaces/${space.id}/revisions/${revision}${path}`, { token });
        return [
          response.status,
          response.headers.get('etag'),
          response.headers.get('x-gitbook-cache-control') === 'max-age=0',
        ];
      }),
    );
  const before = await read({});
  expect((await read({ staff: true })).map(([, , isUncached]) => isUncached)).toEqual([true, true]);
  await site.patch(`/site-spaces/${id}`, { path: 'other' });

  expect(await read({})).toEqual(before);
  expect(before.map(([status, , isUncached]) => [status, isUncached])).toEqual([
    [200, false],
    [200, false],
  ]);
});
