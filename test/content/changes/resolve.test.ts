import { beforeEach, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { Change, LiveEdit, SpaceClient, TreePage } from '../space-client.ts';
import { clientOf, flatten, insertPage, writePage } from '../space-client.ts';

let space: SpaceClient;

beforeEach(async () => {
  const server = platform();
  space = clientOf(server, await server.makeSpace());
});

const pixel = (word: string) => ({ base64: btoa(word), contentType: 'text/plain' });
const update = (page: string, change: object): Change => ({ operation: 'update_page', page, ...change });
const remove = (page: string): Change => ({ operation: 'delete_page', page });

/** What a space has of the nodes that the conflicts are about, by what the tests call them. */
async function stateOf(branch?: string): Promise<Record<string, unknown>> {
  const at = branch === undefined ? '' : `/change-requests/${branch}`;
  const { variables, reusableContents } = await space.head(branch);
  const { items } = await space.ok<{ items: { id: string; name: string; size: number }[] }>(`${at}/content/files`);
  const tree = flatten(await space.pages(branch));
  const pages = await Promise.all(tree.map(({ id }) => space.page(id, branch)));
  const texts = reusableContents.map(({ id }) => space.ok<TreeText>(`${at}/content/reusable-contents/${id}`));
  return {
    pages: pages.map(({ path, title, emoji, hidden, markdown }) => ({ path, title, emoji, hidden, markdown })),
    files: items.map(({ name, size }) => ({ name, size })),
    variables,
    contents: (await Promise.all(texts)).map(({ title, markdown }) => ({ title, markdown })),
  };
}

type TreeText = { title: string; markdown?: string };

interface Seed {
  a: string;
  b: string;
  c: string;
  file: string;
  content: string;
}

async function seed(): Promise<Seed> {
  const { changes } = await space.ok<LiveEdit>('/content?compat=false', {
    method: 'POST',
    body: {
      changes: [
        insertPage('A', { ref: 'a', document: { markdown: 'one\n\ntwo\n\nthree\n' } }),
        insertPage('B'),
        insertPage('C', { into: 'a' }),
        { operation: 'insert_files', files: [{ name: 'x.txt', ...pixel('x') }] },
        { operation: 'insert_reusable_content', title: 'Shared', document: { markdown: 'one\n\ntwo\n\nthree\n' } },
        { operation: 'set_variables', variables: { version: 1 } },
      ],
    },
  });
  const ids = changes.map(({ page, file, reusableContent }) =>
    typeof page === 'object' ? page.id : (file ?? reusableContent ?? ''),
  );
  const [a = '', b = '', c = '', file = '', content = ''] = ids;
  return { a, b, c, file, content };
}

type Edit = (seed: Seed) => Change[];

/** Each conflict that has no markers, of each kind: what the change request did, what main did, and what it is named. */
const cases: [name: string, field: string, of: (seed: Seed) => [kind: string, id: string], mine: Edit, live: Edit][] = [
  [
    'a title',
    'title',
    ({ a }) => ['page', a],
    ({ a }) => [update(a, { title: 'Mine' })],
    ({ a }) => [update(a, { title: 'Live' })],
  ],
  [
    'an emoji given twice',
    'emoji',
    ({ a }) => ['page', a],
    ({ a }) => [update(a, { emoji: '1f600' })],
    ({ a }) => [update(a, { emoji: '1f601' })],
  ],
  [
    'a slug',
    'slug',
    ({ a }) => ['page', a],
    ({ a }) => [update(a, { slug: 'mine' })],
    ({ a }) => [update(a, { slug: 'live' })],
  ],
  [
    'a place',
    'place',
    ({ b }) => ['page', b],
    ({ b, a }) => [update(b, { into: a })],
    ({ b, c }) => [update(b, { into: c })],
  ],
  [
    'a page deleted here',
    'node',
    ({ b }) => ['page', b],
    ({ b }) => [remove(b)],
    ({ b }) => [update(b, { title: 'Live' })],
  ],
  [
    'a page deleted in main',
    'node',
    ({ b }) => ['page', b],
    ({ b }) => [update(b, { title: 'Mine' })],
    ({ b }) => [remove(b)],
  ],
  [
    'a page deleted here that gained a child',
    'pages',
    ({ c }) => ['page', c],
    ({ a }) => [remove(a)],
    ({ c }) => [insertPage('Late', { into: c }), insertPage('Later', { into: c })],
  ],
  [
    'two moves that cross',
    'parent',
    ({ a }) => ['page', a],
    ({ a, b }) => [update(a, { into: b })],
    ({ a, b }) => [update(b, { into: a })],
  ],
  [
    'two moves that cross further down',
    'parent',
    ({ b }) => ['page', b],
    ({ b, c }) => [update(b, { into: c })],
    ({ a, b }) => [update(a, { into: b })],
  ],
  [
    'a page whose parent is gone',
    'parent',
    ({ b }) => ['page', b],
    ({ b, c }) => [update(b, { into: c })],
    ({ a }) => [remove(a)],
  ],
  [
    'a page whose parent is gone here',
    'parent',
    ({ b }) => ['page', b],
    ({ a, b }) => [remove(a), update(b, { title: 'Mine' })],
    ({ b, c }) => [update(b, { into: c })],
  ],
  [
    'a name of a file',
    'name',
    ({ file }) => ['file', file],
    ({ file }) => [{ operation: 'update_file', file, name: 'mine.txt' }],
    ({ file }) => [{ operation: 'update_file', file, name: 'live.txt' }],
  ],
  [
    'bytes of a file',
    'bytes',
    ({ file }) => ['file', file],
    ({ file }) => [{ operation: 'update_file', file, ...pixel('my own') }],
    ({ file }) => [{ operation: 'update_file', file, ...pixel('main') }],
  ],
  [
    'a file deleted here',
    'node',
    ({ file }) => ['file', file],
    ({ file }) => [{ operation: 'delete_file', file }],
    ({ file }) => [{ operation: 'update_file', file, name: 'live.txt' }],
  ],
  [
    'a file deleted in main',
    'node',
    ({ file }) => ['file', file],
    ({ file }) => [{ operation: 'update_file', file, name: 'mine.txt' }],
    ({ file }) => [{ operation: 'delete_file', file }],
  ],
  [
    'a variable',
    'value',
    () => ['variable', 'version'],
    () => [{ operation: 'set_variables', variables: { version: 2 } }],
    () => [{ operation: 'set_variables', variables: { version: 3 } }],
  ],
  [
    'a variable removed here',
    'node',
    () => ['variable', 'version'],
    () => [{ operation: 'set_variables', variables: { version: null } }],
    () => [{ operation: 'set_variables', variables: { version: 3 } }],
  ],
  [
    'a title of reusable content',
    'title',
    ({ content }) => ['reusable-content', content],
    ({ content }) => [{ operation: 'update_reusable_content', reusableContent: content, title: 'Mine' }],
    ({ content }) => [{ operation: 'update_reusable_content', reusableContent: content, title: 'Live' }],
  ],
  [
    'reusable content deleted in main',
    'node',
    ({ content }) => ['reusable-content', content],
    ({ content }) => [{ operation: 'update_reusable_content', reusableContent: content, title: 'Mine' }],
    ({ content }) => [{ operation: 'delete_reusable_content', reusableContent: content }],
  ],
  [
    'a text of a page',
    'document',
    ({ a }) => ['page', a],
    ({ a }) => [writePage(a, 'mine\n\ntwo\n\nthree\n')],
    ({ a }) => [writePage(a, 'live\n\ntwo\n\nthree\n')],
  ],
  [
    'a text of reusable content',
    'document',
    ({ content }) => ['reusable-content', content],
    ({ content }) => [
      {
        operation: 'update_reusable_content',
        reusableContent: content,
        document: { markdown: 'mine\n\ntwo\n\nthree\n' },
      },
    ],
    ({ content }) => [
      {
        operation: 'update_reusable_content',
        reusableContent: content,
        document: { markdown: 'live\n\ntwo\n\nthree\n' },
      },
    ],
  ],
];

describe.each(cases)('%s', (name, field, of, mine, live) => {
  const isTitled = name === 'a page whose parent is gone here';

  async function clashing() {
    const ids = await seed();
    const [kind, id] = of(ids);
    const branch = await space.open();
    await space.change(mine(ids), branch);
    const here = await stateOf(branch);
    await space.change(live(ids));
    return { branch, kind, id, here, there: await stateOf() };
  }

  test('is left to be decided by an update, and neither merged nor lost', async () => {
    const { branch, kind, id, there } = await clashing();
    const conflict = { kind, id, field };

    expect((await space.merge(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [conflict] });
    expect((await space.update(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [conflict] });
    expect(await space.undecided(branch)).toMatchObject([conflict]);
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await space.merge(branch)).toMatchObject({
        status: 409,
        body: { error: { type: 'conflict', conflicts: [conflict], message: expect.stringContaining(id) } },
      });
      await space.change([insertPage(`Elsewhere ${turn}`)]);
      expect((await space.update(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [conflict] });
      expect((await space.update(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [conflict] });
    }
    const { pages, ...others } = await stateOf();
    expect({ pages: (pages as unknown[]).slice(0, (there.pages as unknown[]).length), ...others }).toEqual(there);
  });

  test.each(['mine', 'live'] as const)('is decided for good by keeping %s', async (keep) => {
    const { branch, here, there, ...conflict } = await clashing();
    await space.update(branch);
    await space.change([{ operation: 'resolve', ...conflict, field, keep }], branch);

    expect(await space.undecided(branch)).toEqual([]);
    expect((await space.update(branch)).body.result).toBe('update');
    const decided = await stateOf(branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    const merged = await stateOf();
    expect(merged).toEqual(decided);
    const kept = { mine: here, live: isTitled ? withTitle(there, 'a/c/b', 'Mine') : there };
    expect(merged).toEqual(kept[keep]);
  });
});

/** The change request has given the page another title too, which nobody contests. */
const withTitle = ({ pages, ...others }: Record<string, unknown>, path: string, title: string) => ({
  ...others,
  pages: (pages as TreePage[]).map((page) => (page.path === path ? { ...page, title } : page)),
});
