import { beforeEach, describe, expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createFiles, createPixel } from '../files/file-client.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import { createPage, getTargetsByText, insertLinkingPage, listPageLinks, listSpaceLinks } from './link-client.ts';

let space: SpaceClient;
beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

/** Returns the link resolutions stored with the newest version of a page. */
function readStoredLinks(page: string): Record<string, string> | undefined {
  const [row] = query<{ data: string }>(
    `SELECT data FROM versions WHERE kind = 'page' AND id = ? ORDER BY since DESC LIMIT 1`,
    page,
  );
  return (JSON.parse(row?.data ?? '{}') as { links?: Record<string, string> }).links;
}

/** Returns the resolved targets of the links of a page. Checks that the links of the space include the same ones. */
async function readTargets(page: string): Promise<Record<string, string>> {
  const ofPage = getTargetsByText(await listPageLinks(space, page));
  const ofSpace = getTargetsByText(await listSpaceLinks(space));
  expect(ofSpace).toMatchObject(ofPage);
  return ofPage;
}

describe('a link resolves to', () => {
  test('a page, by ID, path or URL', async () => {
    const [guide, setup] = (await space.change([
      insertPage('Guide', { ref: 'g' }),
      insertPage('Setup', { into: 'g' }),
    ])) as [string, string];
    const page = await createPage(
      space,
      insertLinkingPage('Links', [
        `/pages/${setup}#install`,
        `/pages/${guide}`,
        '/pages/guide/setup',
        '/guide/setup.md',
        '/guide/README.md',
        'guide/',
        './guide/setup',
        '/pages/README.md',
        '#here',
        '/pages/none',
        'https://example.com/a?b#c',
      ]),
    );
    expect(await readTargets(page)).toEqual({
      [`/pages/${setup}#install`]: `${setup}#install`,
      [`/pages/${guide}`]: guide,
      '/pages/guide/setup': setup,
      '#here': `${page}#here`,
      '/pages/none': 'broken',
      'https://example.com/a?b#c': 'https://example.com/a?b#c',
    });
    expect(readStoredLinks(page)).toEqual({
      [`/pages/${setup}`]: setup,
      [`/pages/${guide}`]: guide,
      '/pages/guide/setup': setup,
      '/guide/setup.md': setup,
      '/guide/README.md': guide,
      'guide/': guide,
      './guide/setup': setup,
      '/pages/README.md': guide,
    });
  });

  test('the content at a path relative to the file of the page', async () => {
    const changes = [
      insertPage('Start', { git: { path: 'README.md' } }),
      insertPage('A', { git: { path: 'docs/a/README.md' } }),
      insertPage('B', { git: { path: 'docs/a/b c.md' } }),
      insertLinkingPage('L', ['b%20c.md', './', '../../README.md', '/docs/a', '..', 'd.md', '../../../x.md'], {
        git: { path: 'docs/a/l.md' },
      }),
    ];
    const [start, a, b, page = ''] = await space.change(changes);
    expect(readStoredLinks(page)).toEqual({ 'b%20c.md': b, './': a, '../../README.md': start, '/docs/a': a });
    expect(await readTargets(page)).toEqual({
      'b%20c.md': b,
      './': a,
      '../../README.md': start,
      '..': 'broken',
      'd.md': 'broken',
      '../../../x.md': 'broken',
    });
  });

  test('the source file of an HTML path, unless a file with that name exists', async () => {
    const insertPageAt = (path: string) => insertPage(path, { git: { path } });
    const targets = ['../a.html#b', 'c.html', 'index.html', '../index.html', '/b/c.html?d', 'none.html', 'real.html'];
    const [a, c, inner, outer, , real, page = ''] = await space.change([
      ...['a.md', 'b/c.md', 'b/README.md', 'index.md', 'b/real.md', 'b/real.html'].map(insertPageAt),
      insertLinkingPage('L', targets, { git: { path: 'b/l.md' } }),
    ]);
    expect(readStoredLinks(page)).toEqual({
      '../a.html': a,
      'c.html': c,
      'index.html': inner,
      '../index.html': outer,
      '/b/c.html?d': c,
      'real.html': real,
    });
    expect(await readTargets(page)).toMatchObject({
      '../a.html#b': `${a}#b`,
      'none.html': 'broken',
      'real.html': real,
    });
  });

  test('a sibling, from a page without a file', async () => {
    const [top, one, two] = (await space.change([
      insertPage('Top', { ref: 't' }),
      insertPage('One', { into: 't', ref: '1' }),
      insertPage('Two', { into: '1' }),
    ])) as [string, string, string];
    const page = await createPage(space, insertLinkingPage('Three', ['two.md', '../one', '../', '.'], { into: one }));
    expect(readStoredLinks(page)).toEqual({ 'two.md': two, '../one': one, '../': top, '.': one });
    expect(await readTargets(page)).toMatchObject({ 'two.md': two, '../one': one, '../': top });
  });

  test('content created earlier or later in the same batch, by its reference', async () => {
    const changes = [
      insertLinkingPage('First', ['./later.md', './later', './text.md', './pic', '/pages/second']),
      insertPage('Second', { ref: 'later' }),
      { operation: 'insert_reusable_content', title: 'T', document: { markdown: 'a' }, ref: 'text' },
      { operation: 'insert_files', files: [createPixel('p.png', { ref: 'pic' })] },
    ];
    const { body } = await space.edit(changes);
    const [first = '', second] = body.changes.flatMap(({ page }) => (typeof page === 'object' ? [page.id] : []));
    const content = body.changes.find(({ reusableContent }) => reusableContent)?.reusableContent;
    const file = body.insertedFiles?.[0]?.id;
    expect(await readTargets(first)).toEqual({ './later.md': second, './text.md': content, './pic': file });
  });

  test('a file by its id', async () => {
    const [file] = await createFiles(space, [createPixel('p.png')]);
    const page = await createPage(space, insertLinkingPage('P', [`/files/${file?.id}`, '/files/file_none']));
    expect(await readTargets(page)).toEqual({ [`/files/${file?.id}`]: file?.id, '/files/file_none': 'broken' });
  });

  test('a page of the space by its application URL, but not content of other spaces', async () => {
    const home = await createPage(space, insertPage('Home'));
    const { urls } = (await space.page(home)) as unknown as { urls: { app: string } };
    const other = urls.app.replace(space.space, 'spc_none');
    const page = await createPage(space, insertLinkingPage('P', [urls.app, other, `${urls.app}x`]));
    const { items } = await listPageLinks(space, page);
    expect(items.map(({ status, targetReference }) => [status, targetReference?.page?.id])).toEqual([
      ['in-app', home],
      ['in-app', undefined],
      ['broken', undefined],
    ]);
  });

  test('content created at its path later', async () => {
    const page = await createPage(
      space,
      insertLinkingPage('P', ['/pages/later', 'sub/x.md'], { git: { path: 'p.md' } }),
    );
    expect(await readTargets(page)).toEqual({ '/pages/later': 'broken', 'sub/x.md': 'broken' });
    const later = await createPage(space, insertPage('Later'));
    const x = await createPage(space, insertPage('X', { git: { path: 'sub/x.md' } }));
    expect(await readTargets(page)).toEqual({ '/pages/later': later, 'sub/x.md': x });
  });
});

describe('a link still resolves to the same page', () => {
  let target: string;
  let page: string;
  beforeEach(async () => {
    target = await createPage(space, insertPage('Target'));
    page = await createPage(space, insertLinkingPage('P', ['./target']));
  });

  test('after it is renamed and another page takes its slug', async () => {
    await space.change([{ operation: 'update_page', page: target, slug: 'other' }]);
    expect(await readTargets(page)).toEqual({ './target': target });
    await createPage(space, insertPage('Target'));
    expect(await readTargets(page)).toEqual({ './target': target });
    await space.change([writePage(page, '[x](./target) and more')]);
    expect(await readTargets(page)).toEqual({ './target': target });
  });

  test('after it or the linking page is moved', async () => {
    const into = await createPage(space, insertPage('Into'));
    await space.change([{ operation: 'update_page', page: target, into }]);
    await space.change([{ operation: 'update_page', page, into: target }]);
    expect(await readTargets(page)).toEqual({ './target': target });
  });

  test('until the page is deleted, and again after it is restored', async () => {
    const { id: before } = await space.head();
    await space.change([{ operation: 'delete_page', page: target }]);
    expect(await readTargets(page)).toEqual({ './target': 'broken' });
    await space.change([{ operation: 'revert_page', page: target, revision: before }]);
    expect(await readTargets(page)).toEqual({ './target': target });
  });

  test('after the linking page is reverted', async () => {
    const { id: before } = await space.head();
    await space.change([writePage(page, 'No link')]);
    expect(await readTargets(page)).toEqual({});
    await space.change([{ operation: 'update_page', page: target, slug: 'other' }]);
    await space.change([{ operation: 'revert_page', page, revision: before }]);
    expect(await readTargets(page)).toEqual({ './target': target });
  });

  test('after a merge of documents that both sides changed', async () => {
    const other = await createPage(space, insertPage('Other'));
    await space.change([writePage(page, '[x](./target)\n\na\n\nb\n\nc\n')]);
    const branch = await space.open();
    await space.change([writePage(page, '[x](./target)\n\na\n\nb\n\n[y](/other)\n')], branch);
    await space.change([writePage(page, '[z](/pages/target)\n\na\n\nb\n\nc\n')]);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect(readStoredLinks(page)).toEqual({ '/pages/target': target, '/other': other });
  });
});

test('resolves targets with names of object properties like any other target', async () => {
  const names = ['__proto__', 'constructor', 'toString#hasOwnProperty'];
  const page = await createPage(space, insertLinkingPage('P', ['p', ...names]));
  await space.change([writePage(page, names.map((name) => `[y](${name}) [z](/files/${name})`).join(' '))]);
  const links = await listPageLinks(space, page);
  expect(links.stats).toEqual({ total: 6, broken: { total: 6 } });
  const later = await createPage(space, insertPage('Constructor'));
  expect(getTargetsByText(await listPageLinks(space, page))).toMatchObject({ constructor: later });
});

test('writing an unchanged text is not an edit', async () => {
  const page = await createPage(space, insertLinkingPage('P', ['/later']));
  await createPage(space, insertPage('Later'));
  const countVersions = () => query('SELECT since FROM versions WHERE id = ?', page).length;
  await space.change([writePage(page, '[x](</later>)\n')]);
  expect(countVersions()).toBe(1);
});

test('prefers the page with the lowest ID if several come from the same file', async () => {
  const both = await space.change([1, 2].map((each) => insertPage(`P${each}`, { git: { path: 'p.md' } })));
  await space.change(both.map((page) => writePage(page, '[x](p.md)\n')));
  const [least] = both.toSorted();
  for (const page of both) expect(await readTargets(page)).toEqual({ 'p.md': least });
  for (const page of both) await space.change([writePage(page, '[y](p.md)\n')]);
  for (const page of both) expect(await readTargets(page)).toEqual({ 'p.md': least });
});
