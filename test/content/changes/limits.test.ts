import { beforeAll, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { clientOf, flatten, insertPage, writePage } from '../space-client.ts';

let space: SpaceClient;

beforeAll(async () => {
  const server = platform();
  space = clientOf(server, await server.makeSpace());
});

/** A chain of pages, each below the one before it. */
async function chain(name: string, length: number): Promise<string[]> {
  const changes = Array.from({ length }, (_, level) =>
    insertPage(`${name} ${level}`, { ref: `r${level}`, into: level === 0 ? null : `r${level - 1}` }),
  );
  return space.change(changes);
}

test('a page can be reverted to what it was in a revision of a change request that did not touch it', async () => {
  const [kept = '', edited = ''] = await space.change([insertPage('Kept'), insertPage('Edited')]);
  const branch = await space.open();
  await space.change([writePage(edited, 'edited\n')], branch);
  const { id: revision } = await space.head(branch);

  const answer = await space.edit([{ operation: 'revert_page', page: kept, revision }]);

  expect(answer.status).toBe(200);
  expect((await space.page(kept)).markdown).toBe('Kept\n');
});

test('a revert before the first edit of a change request changes nothing', async () => {
  const [page = ''] = await space.change([insertPage('Untouched')]);
  const branch = await space.open();

  expect((await space.edit([{ operation: 'revert_page', page }], branch)).status).toBe(200);
  expect((await space.page(page, branch)).markdown).toBe('Untouched\n');
});

test('reusable content with conflict markers merges once they are resolved', async () => {
  const { changes } = await space.ok<{ changes: { reusableContent?: string }[] }>('/content', {
    body: { changes: [{ operation: 'insert_reusable_content', title: 'Shared', document: { markdown: 'a\nb\nc\n' } }] },
  });
  const reusableContent = changes[0]?.reusableContent ?? '';
  const rewrite = (markdown: string) => ({
    operation: 'update_reusable_content',
    reusableContent,
    document: { markdown },
  });
  const branch = await space.open();
  await space.edit([rewrite('a\nmine\nc\n')], branch);
  await space.edit([rewrite('a\ntheirs\nc\n')]);

  expect((await space.update(branch)).body.result).toBe('conflicts');
  expect((await space.merge(branch)).status).toBe(409);
  expect((await space.edit([rewrite('a\nboth\nc\n')], branch)).status).toBe(200);
  expect((await space.merge(branch)).body.result).toBe('merge');
});

test('a merged text over the limit of a document is a conflict, and an update keeps the change request as it is', async () => {
  const block = (name: string) => `${name} ${'x'.repeat(1000)}\n`.repeat(600);
  const [page = ''] = await space.change([insertPage('Large', { document: { markdown: 'middle\n' } })]);
  const branch = await space.open();
  await space.change([writePage(page, `${block('mine')}middle\n`)], branch);
  await space.change([writePage(page, `middle\n${block('theirs')}`)]);

  const merged = await space.merge(branch);
  expect(merged.body.conflicts).toMatchObject([
    { id: page, field: 'document', message: expect.stringContaining('1 MiB') },
  ]);
  expect((await space.update(branch)).body.result).toBe('conflicts');
  expect((await space.page(page, branch)).markdown).toBe(`${block('mine')}middle\n`);
});

test('pages nest 32 levels, also where a chain of them is moved', async () => {
  const [one, other] = [await chain('One', 32), await chain('Other', 20)];
  const move = (page: string | undefined, into: string | undefined | null) =>
    space.edit([{ operation: 'update_page', page, into }]);

  expect((await space.edit([insertPage('Too deep', { into: one[31] })])).status).toBe(400);
  expect((await move(other[0], one[12])).status).toBe(400);
  expect((await move(other[0], one[11])).status).toBe(200);
  const deepest = flatten(await space.pages()).find(({ id }) => id === other[19]);
  expect(deepest?.path?.split('/')).toHaveLength(32);
  expect((await space.call(`/content/path/${deepest?.path}`)).status).toBe(200);
  expect((await move(other[0], null)).status).toBe(200);
});

test.each(['.', '..', 'a/b', 'a b', 'a?b', 'a#b'])('the slug %j is refused', async (slug) => {
  expect((await space.edit([insertPage('Slug', { slug })])).status).toBe(400);
});

test.each([
  ['https://example.test/a', 200],
  ['mailto:ann@example.test', 200],
  ['../relative', 200],
  ['javascript:alert(1)', 400],
  ['JaVaScRiPt:alert(1)', 400],
  ['java\nscript:alert(1)', 400],
  ['data:text/html,x', 400],
])('a link to %j is answered %i', async (url, status) => {
  const link = { operation: 'insert_link', title: 'Link', target: { kind: 'url', url } };
  expect((await space.edit([link])).status).toBe(status);
});

test.each([
  `variables: {a: ${'x'.repeat(300)}}`,
  `variables: {'not a name': 1}`,
  `title: ${'x'.repeat(600)}`,
  `description: ${'x'.repeat(3000)}`,
])('frontmatter beyond its bounds is refused and named', async (line) => {
  const { status, body } = await space.edit([insertPage('Bounds', { document: { markdown: `---\n${line}\n---\n` } })]);

  expect(status).toBe(400);
  expect(body.error.issues?.[0]?.path).toContain('body.changes.0.document.markdown.frontmatter.');
});

test('a title from a heading is never cut inside a character', async () => {
  const markdown = `# ${'a'.repeat(511)}😀\n`;
  const [page = ''] = await space.change([{ operation: 'insert_page', document: { markdown } }]);

  const { title } = await space.page(page);

  expect(title).toBe('a'.repeat(511));
});

test('variables that are set together are told once', async () => {
  const { changes } = await space.ok<{ changes: object[] }>('/content', {
    body: { changes: [{ operation: 'set_variables', variables: { a: 1, b: 2, c: 3 } }] },
  });

  expect(changes).toEqual([{ object: 'updated_variables' }]);
});

test('security item 39: what storing a text costs does not tell whether another organization has it', async () => {
  const server = platform();
  const other = clientOf(server, await server.makeSpace());
  const secret = insertPage('Secret', { document: { markdown: `secret ${Math.random()}\n` } });
  const fresh = insertPage('Fresh', { document: { markdown: `fresh ${Math.random()}\n` } });
  await space.change([secret]);

  const [known, unknown] = [await other.edit([secret]), await other.edit([fresh])];

  expect(known.cost.written).toBe(unknown.cost.written);
});
