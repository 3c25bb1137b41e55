import { expect, test } from 'vitest';
import { getTargetsByText, listPageLinks } from '../content/links/link-client.ts';
import { flatten, getClient, insertPage } from '../content/space-client.ts';
import { platform } from '../support/platform.ts';
import { createTemporaryFolder, findSpaceId, octavo, readMarkdown } from './octavo.ts';

async function makeOwnSpace() {
  const space = await platform().makeSpace();
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
  return { client: getClient(platform(), space), ...space, octavo: (...args: string[]) => octavo(env, ...args) };
}

const createPage = (title: string, markdown: string, more: object = {}) =>
  insertPage(title, { document: { markdown }, ...more });

test('writes changed targets as paths, and leaves all others unchanged', async () => {
  const { id, client, token, octavo } = await makeOwnSpace();
  const targets = ['b.md#x', './b', 'sub/', '/b.md', 'b.html', 'c%20d.md', 'none.md', '#here', 'https://a.test/b.md'];
  const text = `${targets.map((target) => `[x](${target})`).join(' ')}\n`;
  const [a = '', b = ''] = await client.change([
    createPage('A', 'later\n', { git: { path: 'docs/a.md' } }),
    createPage('B', 'b\n', { git: { path: 'docs/b.md' } }),
    createPage('B', 'root\n', { git: { path: 'b.md' } }),
    createPage('Sub', 'sub\n', { git: { path: 'docs/sub/README.md' } }),
    createPage('C', 'c\n', { git: { path: 'docs/c d.md' } }),
    createPage('D', '[x](/shown#y)\n', { git: { path: 'docs/d.md', links: { '/shown': 'docs/b.md' } } }),
    createPage('Loose', '[up](a) [down](/c)\n', { slug: 'loose' }),
  ]);
  await client.change([{ operation: 'update_page', page: a, document: { markdown: text } }]);
  const exportFolder = async () => {
    const out = await createTemporaryFolder();
    expect(await octavo('export', id, out)).toMatchObject({ code: 0 });
    return { out, files: await readMarkdown(out) };
  };
  const first = await exportFolder();
  expect(first.files['docs/a.md']).toBe(`# A\n\n${text}`);
  expect(first.files['docs/d.md']).toBe('# D\n\n[x](/shown#y)\n');
  expect(first.files['loose.md']).toBe('# Loose\n\n[up](docs/a.md) [down](docs/c%20d.md)\n');

  await client.change([{ operation: 'update_page', page: b, git: { path: 'docs/moved/b2.md' } }]);
  const second = await exportFolder();
  const moved = text.replace('(b.md#x)', '(moved/b2.md#x)').replace('(./b)', '(moved/b2.md)');
  expect(second.files['docs/a.md']).toBe(`# A\n\n${moved.replace('(b.html)', '(moved/b2.md)')}`);

  expect(second.files['docs/d.md']).toBe('# D\n\n[x](moved/b2.md#y)\n');

  const again = await octavo('import', second.out, '--space', 'new');
  const copy = getClient(platform(), { id: findSpaceId(again.stdout), token });
  const [, copied] = flatten(await copy.pages()).filter(({ title }) => title === 'A' || title === 'B');
  const links = getTargetsByText(
    await listPageLinks(copy, flatten(await copy.pages()).find(({ title }) => title === 'A')?.id ?? ''),
  );
  expect(links).toMatchObject({ 'moved/b2.md#x': `${copied?.id}#x`, 'none.md': 'broken' });
});

test('keeps targets with names of object members, and targets of deleted pages', async () => {
  const { id, client, octavo } = await makeOwnSpace();
  const [gone = ''] = await client.change([createPage('Gone', 'x\n', { slug: 'gone' })]);
  const text = '[a](gone) [b](constructor) [c](__proto__) [d](toString.html)\n';
  await client.change([createPage('P', text)]);
  await client.change([{ operation: 'delete_page', page: gone }]);
  const out = await createTemporaryFolder();
  expect(await octavo('export', id, out)).toMatchObject({ code: 0 });
  expect((await readMarkdown(out))['p.md']).toBe(`# P\n\n${text}`);
});

test('reports a link to content that has no file, with the file that contains the link', async () => {
  const { id, client, octavo } = await makeOwnSpace();
  const [group = ''] = await client.change([{ operation: 'insert_group', title: 'Group' }]);
  const [empty = ''] = await client.change([createPage('Empty', ''), createPage('Full', 'x\n')]);
  const text = `[a](/pages/${group}) [b](/pages/${empty}#x) [c](/pages/pg_gone)\n`;
  await client.change([createPage('P', text), createPage('Q', `[q](/pages/${group})\n`)]);
  const out = await createTemporaryFolder();
  const { code, stderr } = await octavo('export', id, out);
  expect(code).toBe(0);
  expect((await readMarkdown(out))['p.md']).toBe(`# P\n\n${text}`);
  expect(stderr).toMatch(/^warning: p\.md: It links to Group and 1 more, which has no file/m);
  expect(stderr).toMatch(/^warning: q\.md: It links to Group, which has no file/m);
  expect(stderr.match(/^warning:/gm)).toHaveLength(2);
});
