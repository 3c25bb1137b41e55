import { beforeAll, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { insertPage } from '../space-client.ts';
import { publishSite } from '../visitors/visitor-client.ts';

const computed = {
  type: 'integration:nobody:pages',
  props: { key: 'a private key' },
  dependencies: { of: { ref: { kind: 'space', space: 'spc_private' } } },
};
const insert = { operation: 'insert_computed', title: 'Waiting', computed };

let siteWorld: Awaited<ReturnType<typeof publishSite>>;
let ids: string[];

beforeAll(async () => {
  siteWorld = await publishSite();
  ids = await siteWorld.member.change([{ ...insertPage('Guide'), ref: 'guide' }, insert, { ...insert, into: 'guide' }]);
});

/** Returns the paths of all requests whose responses may contain pages. */
async function listReadPaths(): Promise<string[]> {
  const [guide = '', top = '', below = ''] = ids;
  const { id } = await siteWorld.member.head();
  const listTreePaths = (to: string) =>
    ['?computed=true', '?computed=false', '?depth=0'].map((query) => `${to}${query}`);
  const listPagePaths = (at: string) => [
    ...listTreePaths(`${at}/pages`),
    ...[guide, top, below].flatMap((page) => listTreePaths(`${at}/page/${page}`)),
    ...listTreePaths(`${at}/path/guide`),
  ];
  return [...listPagePaths('/content'), ...listPagePaths(`/revisions/${id}`), ...listTreePaths(`/revisions/${id}`)];
}

test.each(['', 'true'])(
  'hides a computed page without generated pages from visitors in all reads, with the condition %s',
  async (condition) => {
    await siteWorld.member.change([{ operation: 'update_page', page: ids[0], condition }]);
    for (const path of await listReadPaths()) {
      const read = (token: string) => platform().request(`/v1/spaces/${siteWorld.space.id}${path}`, { token });
      const response = await read(siteWorld.visit().token);
      const isOfItself = ids.slice(1).some((id) => path.includes(id));
      expect([path, response.status]).toEqual([path, isOfItself ? 404 : 200]);
      const text = await response.text();
      for (const hidden of ['Waiting', 'a private key', 'spc_private', 'integration:'])
        expect(text).not.toContain(hidden);
    }
  },
);

test('members can read a computed page without generated pages, with its source', async () => {
  const tree = await siteWorld.member.call('/content/pages');
  expect(JSON.stringify(tree.body)).toContain('a private key');
});
