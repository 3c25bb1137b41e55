import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, listCreatedPages, writePage } from '../space-client.ts';

let space: SpaceClient;

beforeAll(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

test('reverts a page to a revision of a change request that did not touch it', async () => {
  const [untouchedPage = '', edited = ''] = await space.change([insertPage('Kept'), insertPage('Edited')]);
  const branch = await space.open();
  await space.change([writePage(edited, 'edited\n')], branch);
  const { id: revision } = await space.head(branch);

  const response = await space.edit([{ operation: 'revert_page', page: untouchedPage, revision }]);

  expect(response.status).toBe(200);
  expect((await space.page(untouchedPage)).markdown).toBe('Kept\n');
});

test('reverting a page in a change request without edits changes nothing', async () => {
  const [page = ''] = await space.change([insertPage('Untouched')]);
  const branch = await space.open();

  expect((await space.edit([{ operation: 'revert_page', page }], branch)).status).toBe(200);
  expect((await space.page(page, branch)).markdown).toBe('Untouched\n');
});

test('merges reusable content with conflict markers once they are resolved', async () => {
  const { changes } = await space.callJson<{ changes: { reusableContent?: string }[] }>('/content', {
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

test("a merged text over the size limit is a conflict, and an update keeps the change request's text", async () => {
  const createLargeBlock = (name: string) => `${name} ${'x'.repeat(1000)}\n`.repeat(600);
  const [page = ''] = await space.change([insertPage('Large', { document: { markdown: 'middle\n' } })]);
  const branch = await space.open();
  await space.change([writePage(page, `${createLargeBlock('mine')}middle\n`)], branch);
  await space.change([writePage(page, `middle\n${createLargeBlock('theirs')}`)]);

  const merged = await space.merge(branch);
  expect(merged.body.conflicts).toMatchObject([
    { id: page, field: 'document', message: expect.stringContaining('1 MiB') },
  ]);
  expect((await space.update(branch)).body.result).toBe('conflicts');
  expect((await space.page(page, branch)).markdown).toBe(`${createLargeBlock('mine')}middle\n`);
  expect((await space.merge(branch)).status).toBe(409);
  await space.change([insertPage('Elsewhere')]);
  expect((await space.update(branch)).body.result).toBe('conflicts');
  expect((await space.merge(branch)).status).toBe(409);
  expect((await space.page(page)).markdown).toBe(`middle\n${createLargeBlock('theirs')}`);

  await space.change([writePage(page, `mine\nmiddle\n${createLargeBlock('theirs')}`)], branch);
  expect((await space.merge(branch)).body.result).toBe('merge');
});

test.each(['.', '..', 'a/b', 'a b', 'a?b', 'a#b'])('rejects the slug %j', async (slug) => {
  expect((await space.edit([insertPage('Slug', { slug })])).status).toBe(400);
});

test.each([
  ['https://example.test/a', 200],
  ['mailto:ann@example.test', 200],
  ['../relative', 200],
  ['javascript:alert(1)', 400],
  ['JaVaScRiPt:alert(1)', 400],
  ['java\nscript:alert(1)', 400],
  [' javascript:alert(1)', 400],
  ['\tjavascript:alert(1)', 400],
  ['\u00a0javascript:alert(1)', 400],
  ['\ufeffjavascript:alert(1)', 400],
  [' https://example.test/a', 400],
  ['https://example.test/a\u00a0', 400],
  ['data:text/html,x', 400],
])('inserting a link to %j returns %i', async (url, status) => {
  const link = { operation: 'insert_link', title: 'Link', target: { kind: 'url', url } };
  expect((await space.edit([link])).status).toBe(status);
});

test.each([
  `variables: {a: ${'x'.repeat(300)}}`,
  `variables: {'not a name': 1}`,
  `title: ${'x'.repeat(600)}`,
  'title: "a\\tb"',
  'title: "a\\ud800b"',
  'emoji: "\\ud800"',
  'description: "\\udc00"',
  'variables: {a: "\\ud800"}',
  `variables: {${Array.from({ length: 101 }, (_, index) => `v${index}: 1`)}}`,
  `description: ${'x'.repeat(3000)}`,
])('ignores and reports a frontmatter value beyond its limits', async (line) => {
  const { status, body } = await space.edit([insertPage('Bounds', { document: { markdown: `---\n${line}\n---\n` } })]);

  expect(status).toBe(200);
  expect(body.warnings?.[0]?.path).toContain('body.changes.0.document.markdown.frontmatter.');
  const { title, emoji, description } = await space.page(listCreatedPages(body.changes)[0] ?? '');
  expect({ title, emoji, description }).toEqual({ title: 'Bounds' });
});

test('ignores a blank title in frontmatter', async () => {
  const markdown = '---\ntitle: " \\u3000 "\n---\n# Heading\n';
  const [page = ''] = await space.change([{ operation: 'insert_page', document: { markdown } }]);
  await space.change([writePage(page, markdown.replace('Heading', 'Other'))]);

  expect((await space.page(page)).title).toBe('Other');
});

test.each(['   ', 'a\tb', 'a\u0000', 'x'.repeat(257)])('rejects reusable content titled %j', async (title) => {
  const document = { markdown: 'a\n' };
  const insert = (name: string) => space.edit([{ operation: 'insert_reusable_content', title: name, document }]);
  const { body } = await insert('Shared');
  const reusableContent = body.changes[0]?.reusableContent;

  const updated = await space.edit([{ operation: 'update_reusable_content', reusableContent, title }]);

  expect(updated.body.error.issues?.[0]?.path).toBe('body.changes.0.title');
  expect([(await insert(title)).status, updated.status]).toEqual([400, 400]);
});

test('removes control characters from a title in a heading', async () => {
  const markdown = '# \u0001\n\n# a\u0001b\u0085\n';
  const [page = ''] = await space.change([{ operation: 'insert_page', document: { markdown } }]);

  expect((await space.page(page)).title).toBe('a b');
});

test('never truncates a title inside a character', async () => {
  const markdown = `# ${'a'.repeat(511)}😀b\n`;
  const [page = ''] = await space.change([{ operation: 'insert_page', document: { markdown } }]);

  const { title } = await space.page(page);

  expect(title).toBe(`${'a'.repeat(511)}😀`);
});

test('reports variables that are set together as one change', async () => {
  const { changes } = await space.callJson<{ changes: object[] }>('/content', {
    body: { changes: [{ operation: 'set_variables', variables: { a: 1, b: 2, c: 3 } }] },
  });

  expect(changes).toEqual([{ object: 'updated_variables' }]);
});

test('the cost of storing a text does not reveal whether another organization has the same text', async () => {
  const server = platform();
  const other = getClient(server, await server.makeSpace());
  const secret = insertPage('Secret', { document: { markdown: `secret ${randomUUID()}\n` } });
  const fresh = insertPage('Fresh', { document: { markdown: `fresh ${randomUUID()}\n` } });
  await space.change([secret]);

  const [known, unknown] = [await other.edit([secret]), await other.edit([fresh])];

  expect(known.cost.written).toBe(unknown.cost.written);
});
