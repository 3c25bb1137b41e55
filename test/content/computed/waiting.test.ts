import { beforeAll, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { insertPage } from '../space-client.ts';
import { published } from '../visitors/visitor-client.ts';

const computed = {
  type: 'integration:nobody:pages',
  props: { key: 'a private key' },
  dependencies: { of: { ref: { kind: 'space', space: 'spc_private' } } },
};
const insert = { operation: 'insert_computed', title: 'Waiting', computed };

let made: Awaited<ReturnType<typeof published>>;
let ids: string[];

beforeAll(async () => {
  made = await published();
  ids = await made.member.change([{ ...insertPage('Guide'), ref: 'guide' }, insert, { ...insert, into: 'guide' }]);
});

/** Returns the paths of all requests whose responses may contain pages. */
async function reads(): Promise<string[]> {
  const [guide = '', top = '', below = ''] = ids;
  const { id } = await made.member.head();
  const trees = (to: string) => ['?computed=true', '?computed=false', '?depth=0'].map((query) => `${to}${query}`);
  const ofPages = (at: string) => [
    ...trees(`${at}/pages`),
    ...[guide, top, below].flatMap((page) => trees(`${at}/page/${page}`)),
    ...trees(`${at}/path/guide`),
  ];
  return [...ofPages('/content'), ...ofPages(`/revisions/${id}`), ...trees(`/revisions/${id}`)];
}

test.each(['', 'true'])(
  'hides a computed page without generated pages from visitors in all reads, with the condition %s',
  async (condition) => {
    await made.member.change([{ operation: 'update_page', page: ids[0], condition }]);
    for (const path of await reads()) {
      const read = (token: string) => platform().request(`/v1/spaces/${made.space.id}${path}`, { token });
      const answer = await read(made.visit().token);
      const isOfItself = ids.slice(1).some((id) => path.includes(id));
      expect([path, answer.status]).toEqual([path, isOfItself ? 404 : 200]);
      const text = await answer.text();
      for (const hidden of ['Waiting', 'a private key', 'spc_private', 'integration:'])
        expect(text).not.toContain(hidden);
    }
  },
);

test('members can read a computed page without generated pages, with its source', async () => {
  const tree = await made.member.call('/content/pages');
  expect(JSON.stringify(tree.body)).toContain('a private key');
});
