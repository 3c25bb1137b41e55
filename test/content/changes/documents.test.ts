import { beforeAll, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, listCreatedPages } from '../space-client.ts';

let space: SpaceClient;

beforeAll(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

const insertAndRead = async (markdown: string) => {
  const [id = ''] = await space.change([{ operation: 'insert_page', document: { markdown } }]);
  return space.page(id);
};

describe('a document is returned byte for byte', () => {
  const texts: [name: string, text: string][] = [
    ['CRLF line ends', '# Title\r\n\r\nText\r\n'],
    ['mixed line ends and a lone CR', 'a\r\nb\nc\rd\n'],
    ['a byte order mark', '\ufeff# Title\n'],
    ['no final line end', '# Title\n\nlast'],
    ['blank lines and spaces at both ends', '\n\n  text  \n\n\n'],
    ['an empty text', ''],
    ['only a line end', '\n'],
    ['joined emoji and flags', '# 👩‍👩‍👧 🇨🇭\n\ncafe\u0301 café\n'],
    ['controls', 'a\u0001b\u000bc\u007fd\u2028e\n'],
    ['a NUL', 'a\u0000b\n'],
    ['quotes, percent signs and SQL', `'; DROP TABLE documents; -- "%s" \\ \${x}\n`],
    ['frontmatter', '---\r\ntitle: Kept\r\n# a comment\r\n---\r\nText\r\n'],
    ['conflict markers of another tool', '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n'],
  ];
  test.each(texts)('%s', async (_, text) => {
    expect((await insertAndRead(text)).markdown).toBe(text);
  });

  test('except that an edit with LF keeps the CRLF of a page that comes from a file', async () => {
    const git = { path: 'a.md' };
    const [page = '', plain = ''] = await space.change([
      { operation: 'insert_page', document: { markdown: '# A\r\n\r\nOne.\r\n' }, git },
      { operation: 'insert_page', document: { markdown: '# B\r\n' } },
    ]);
    const update = (id: string, markdown: string, more: object = {}) =>
      space.change([{ operation: 'update_page', page: id, document: { markdown }, ...more }]);
    await update(page, '# A\n\nTwo.\n');
    await update(plain, '# B\n\nTwo.\n');
    expect((await space.page(page)).markdown).toBe('# A\r\n\r\nTwo.\r\n');
    expect((await space.page(plain)).markdown).toBe('# B\n\nTwo.\n');

    await update(page, '# A\n\nThree.\n', { git });
    expect((await space.page(page)).markdown).toBe('# A\n\nThree.\n');
  });

  test('accepts exactly 1 MiB and rejects one byte more', async () => {
    const largest = 'é'.repeat(512 * 1024);
    const response = await space.edit([{ operation: 'insert_page', document: { markdown: `${largest}a` } }]);

    expect((await insertAndRead(largest)).markdown).toBe(largest);
    expect(response.status).toBe(400);
  });

  test('rejects a lone surrogate', async () => {
    expect((await space.edit([{ operation: 'insert_page', document: { markdown: 'a\ud800b' } }])).status).toBe(400);
  });
});

test('stores a document for an empty text but not for an empty object, and returns an empty text for both', async () => {
  const ids = await space.change([
    { operation: 'insert_page', title: 'Empty', document: { markdown: '' } },
    { operation: 'insert_page', title: 'None', document: {} },
  ]);
  const [empty, none] = await Promise.all(ids.map((id) => space.page(id)));

  expect([empty?.markdown, none?.markdown]).toEqual(['', '']);
  expect([empty?.documentId === undefined, none?.documentId === undefined]).toEqual([false, true]);
});

describe('the title of a new page', () => {
  test.each([
    ['the frontmatter first', 'Front', '---\ntitle: Front\n---\n# Heading\n', 'Given'],
    ['the change, rather than the heading', 'Given', '# Heading\n', 'Given'],
    ['the first heading, if no other title is set', 'Heading', '# Heading\n', undefined],
    ['Untitled, if there is no title', 'Untitled', 'text\n', undefined],
  ])('comes from %s', async (_, expected, markdown, title) => {
    const [id = ''] = await space.change([{ operation: 'insert_page', document: { markdown }, title }]);

    expect((await space.page(id)).title).toBe(expected);
  });
});

describe('frontmatter', () => {
  test("overrides the fields of the change, and sets the page's fields", async () => {
    const markdown = '---\ntitle: Front\nslug: from-front\ndescription: Said\nhidden: true\n---\nText\n';
    const [id = ''] = await space.change([
      { operation: 'insert_page', title: 'Given', slug: 'given', description: 'Other', document: { markdown } },
    ]);

    expect(await space.page(id)).toMatchObject({
      title: 'Front',
      slug: 'from-front',
      description: 'Said',
      hidden: true,
      markdown,
    });
  });

  test('`hidden: false` in the frontmatter overrides `hidden: true` in the change', async () => {
    const markdown = '---\nhidden: false\n---\nText\n';
    const [id = ''] = await space.change([
      { operation: 'insert_page', title: 'Shown', hidden: true, document: { markdown } },
    ]);

    expect((await space.page(id)).hidden ?? false).toBe(false);
  });

  test('ignores an invalid value and names its path in the response', async () => {
    const markdown = '---\nhidden: [maybe]\nlayout: home\ntitle: B\n---\n';
    const { status, body } = await space.edit([
      { operation: 'insert_page', title: 'A', document: { markdown: 'fine' } },
      { operation: 'insert_page', document: { markdown } },
    ]);

    expect(status).toBe(200);
    expect(body.warnings?.map(({ path }) => path)).toEqual([
      'body.changes.1.document.markdown.frontmatter.hidden',
      'body.changes.1.document.markdown.frontmatter.layout',
    ]);
    const page = await space.page(listCreatedPages(body.changes)[1] ?? '');
    expect([page.title, page.hidden ?? false, page.markdown]).toEqual(['B', false, markdown]);

    const branch = await space.open();
    const changes = [{ operation: 'insert_page', document: { markdown } }];
    const response = await space.callJson(`/change-requests/${branch}/content`, { method: 'POST', body: { changes } });
    expect(response).toMatchObject({
      object: 'change-request',
      id: branch,
      warnings: [{ path: expect.any(String) }, {}],
    });
  });

  test('an invalid condition hides the page from visitors', async () => {
    const [id = ''] = await space.change([
      { operation: 'insert_page', document: { markdown: '---\ncondition: [a]\n---\nText\n' } },
    ]);
    expect((await space.page(id)).condition).toBe('false');
  });
});

test('omitted fields keep their values, and empty values remove them', async () => {
  const fields = { description: 'Said', emoji: '1f600', noIndex: true };
  const [id = ''] = await space.change([{ operation: 'insert_page', title: 'Rich', document: {}, ...fields }]);
  await space.change([{ operation: 'update_page', page: id, title: 'Richer' }]);
  expect(await space.page(id)).toMatchObject({ title: 'Richer', ...fields });

  await space.change([{ operation: 'update_page', page: id, description: '', emoji: '', noIndex: false }]);
  const page = await space.page(id);
  expect([page.description, page.emoji, page.noIndex]).toEqual([undefined, undefined, undefined]);
});
