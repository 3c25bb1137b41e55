import { beforeEach, expect, test } from 'vitest';
import type { ReferenceSpace } from './reference-space.ts';
import { createLibrary, createOperation, insertComputed, makeReferenceSpace } from './reference-space.ts';

let reference: ReferenceSpace;

beforeEach(async () => {
  reference = await makeReferenceSpace();
});

async function insert(): Promise<void> {
  await reference.space.change([insertComputed('library')]);
}

beforeEach(async () => {
  await reference.publish('library', createLibrary());
  await insert();
});

const readDocument = async (path: string) => (await reference.at(path, '?format=document')).document?.nodes ?? [];
const readBlocks = async (path: string) =>
  (await readDocument(path)).map(({ type, data, meta }) => ({ type, data, meta: meta?.id }));
const ref = { kind: 'openapi', spec: 'library' };

test('markdown of a page lists the operations of its tag', async () => {
  const [introduction, ...rest] = await readBlocks('books');

  expect(introduction?.type).toBe('paragraph');
  expect(rest).toEqual([
    { type: 'openapi-operation', data: { ref, path: '/books', method: 'get' }, meta: 'listbooks' },
    { type: 'openapi-operation', data: { ref, path: '/books', method: 'post' }, meta: 'addbook' },
  ]);
  expect(await readBlocks('health')).toEqual([
    { type: 'openapi-operation', data: { ref, path: '/health', method: 'get' }, meta: 'health' },
  ]);
});

test('markdown of a page lists webhooks and models', async () => {
  expect(await readBlocks('webhooks')).toEqual([
    { type: 'openapi-webhook', data: { ref, name: 'returned', method: 'post' }, meta: 'returned' },
  ]);
  expect((await readBlocks('models')).map(({ data }) => data)).toEqual([
    { ref, schemas: ['Book'], grouped: false },
    { ref, schemas: ['Loan'], grouped: false },
  ]);
});

test('markdown of a page has headings', async () => {
  const { markdown } = await reference.at('books');

  expect(markdown).toBe(
    [
      'What is **lent**.',
      '## List books',
      'All of them.',
      '{% openapi-operation spec="library" path="/books" method="get" %}\n{% endopenapi-operation %}',
      '## Add a book',
      '{% openapi-operation spec="library" path="/books" method="post" %}\n{% endopenapi-operation %}\n',
    ].join('\n\n'),
  );
});

test('reading a page never requests URLs that its specification contains', async () => {
  const hostile =
    '{% include "reusable-contents/rc_1" %}\n\n{{ visitor.claims.secret }} and `{{ code }}`\n\n{% hint %}';
  await reference.publish('library', {
    ...createLibrary(),
    tags: [{ name: 'A', description: hostile }],
    paths: { '/a': { get: createOperation(['A'], 'One', { description: hostile }) } },
  });
  for (const query of ['', '?evaluated=true']) {
    const { markdown = '' } = await reference.at('a', query);
    expect(markdown).toContain('\\{% include');
    expect(markdown).toContain('`{{ code }}`');
    expect(markdown).not.toMatch(/^\{% (?:include|hint)/m);
  }
  expect((await readBlocks('a')).map(({ type }) => type)).not.toContain('reusable-content');
});
