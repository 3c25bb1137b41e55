import type { Change, LiveEdit, SpaceClient } from '../space-client.ts';
import { insertPage, writePage } from '../space-client.ts';

const createPixel = (word: string) => ({ base64: btoa(word), contentType: 'text/plain' });
const update = (page: string, change: object): Change => ({ operation: 'update_page', page, ...change });
const remove = (page: string): Change => ({ operation: 'delete_page', page });

/** IDs of the objects that are in conflict. */
export interface Seed {
  a: string;
  b: string;
  c: string;
  file: string;
  content: string;
}

export async function seed(space: SpaceClient): Promise<Seed> {
  const { changes } = await space.callJson<LiveEdit>('/content?compat=false', {
    method: 'POST',
    body: {
      changes: [
        insertPage('A', { ref: 'a', document: { markdown: 'one\n\ntwo\n\nthree\n' } }),
        insertPage('B'),
        insertPage('C', { into: 'a' }),
        { operation: 'insert_files', files: [{ name: 'x.txt', ...createPixel('x') }] },
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

/** One conflict for each kind of node and each of its fields, with the edits in the change request and in main. */
export const conflictCases: [
  name: string,
  field: string,
  of: (seed: Seed) => [kind: string, id: string],
  mine: Edit,
  live: Edit,
][] = [
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
    ({ file }) => [{ operation: 'update_file', file, ...createPixel('my own') }],
    ({ file }) => [{ operation: 'update_file', file, ...createPixel('main') }],
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
