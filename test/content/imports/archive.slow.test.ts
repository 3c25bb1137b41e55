import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { ZipEntry } from '../../support/zip.ts';
import { getZip } from '../../support/zip.ts';
import { flatten, getClient } from '../space-client.ts';
import { importAll, serveSite, startImport } from './site.ts';

const makeSpaceClient = async () => getClient(platform(), await platform().makeSpace());

const serveZip = async (entries: ZipEntry[]) =>
  (await serveSite({ '/docs.zip': { body: getZip(entries), type: 'application/zip' } })).url;

const png = Uint8Array.from([
  137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 2, 0, 0, 0, 2, 8, 6, 0, 0, 0, 0, 0, 0, 0,
]);

test('an archive with a summary becomes the tree of the summary, with its images as files', async () => {
  const url = await serveZip([
    {
      name: 'docs-main/SUMMARY.md',
      body: '# Contents\n\n* [Welcome](README.md)\n* [Guide](guide/README.md)\n  * [First steps](guide/first.md)\n',
    },
    { name: 'docs-main/README.md', body: '# Hello\n\n![A dot](img/dot.png) [guide](guide/first.md)\n' },
    { name: 'docs-main/guide/README.md', body: '---\ndescription: All of it\n---\n\n# The guide\n' },
    { name: 'docs-main/guide/first.md', body: '# First\n' },
    { name: 'docs-main/left-out.md', body: '# Left out\n' },
    { name: 'docs-main/img/dot.png', body: png },
    { name: 'docs-main/.git/config', body: 'x' },
  ]);
  const space = await makeSpaceClient();

  const state = await importAll(space, { url: `${url}/docs.zip`, source: 'zip' });
  const tree = await space.pages();
  const [welcome] = tree;

  // The summary is stored as a file, so an export reproduces it.
  expect(state).toMatchObject({ status: 'completed', importedResources: 6, totalResources: 6, failures: [] });
  expect(tree.map(({ title, hidden = false, pages = [] }) => [title, hidden, pages.map((page) => page.title)])).toEqual(
    [
      ['Welcome', false, []],
      ['Guide', false, ['First steps']],
      ['Left out', true, []],
    ],
  );
  expect(tree[1]).toMatchObject({ description: 'All of it' });
  const { markdown } = await space.page(welcome?.id ?? '');
  expect(markdown).toBe('# Hello\n\n![A dot](img/dot.png) [guide](guide/first.md)\n');
  const { items } = await space.callJson<{ items: { status: string }[] }>(`/content/page/${welcome?.id}/links`);
  expect(items.map(({ status }) => status)).toEqual(['ok', 'ok']);
});

test('imports an archive without a summary as the tree of its folders, and reports and skips files that are not text', async () => {
  const url = await serveZip([
    { name: 'index.md', body: '# Home\n' },
    { name: 'a/README.md', body: '# A\n' },
    { name: 'a/b.md', body: '# B\n' },
    { name: 'bad.md', body: Uint8Array.from([0xff, 0xfe, 0xfd]) },
  ]);
  const space = await makeSpaceClient();

  const state = await importAll(space, { url: `${url}/docs.zip`, source: 'zip' });

  expect(state).toMatchObject({ importedResources: 3, totalResources: 4, failedResources: 1 });
  expect(state.failures).toEqual([{ url: 'bad.md', error: expect.stringContaining('UTF-8') }]);
  expect(flatten(await space.pages()).map(({ path }) => path)).toEqual(['index', 'a', 'a/b']);
});

test('creates no page for an unreadable file, and moves its children to the parent', async () => {
  const url = await serveZip([
    { name: 'SUMMARY.md', body: '* [Top](top.md)\n  * [Bad](bad.md)\n    * [Below](below.md)\n* [Odd](odd.md)\n' },
    { name: 'top.md', body: '# Top\n' },
    { name: 'bad.md', body: Uint8Array.from([0xff, 0xfe, 0xfd]) },
    { name: 'below.md', body: '# Below\n' },
    { name: 'odd.md', body: '---\nhidden: perhaps\n---\n\n# Odd\n' },
  ]);
  const space = await makeSpaceClient();

  const state = await importAll(space, { url: `${url}/docs.zip`, source: 'zip' });

  expect(flatten(await space.pages()).map(({ path }) => path)).toEqual(['top', 'top/below', 'odd']);
  expect(state).toMatchObject({ importedResources: 4, totalResources: 5, failedResources: 1 });
  expect(state.failures.map(({ url: path }) => path)).toEqual(['bad.md']);
});

test('imports included texts, variables and all types of files from a repository archive, with a report', async () => {
  const url = await serveZip([
    { name: 'd/.gitbook.yaml', body: 'root: ./docs/\nredirects:\n  old: a.md\n' },
    { name: 'd/.gitbook/vars.yaml', body: 'version: 2.1\nbad name: x\n' },
    { name: 'd/.gitbook/includes/note.md', body: '---\ntitle: A note\n---\n\nOf [A](../../docs/a.md).\n' },
    { name: 'd/.gitbook/assets/a file (1).pdf', body: '%PDF-1.4' },
    { name: 'd/docs/a.md', body: '---\nlayout: home\ntitle: {#if x}\n---\n\n# A\n' },
    {
      name: 'd/docs/b.mdx',
      body: '# B\n\n{% include "../.gitbook/includes/note.md" %}\n\n[pdf](<../.gitbook/assets/a file (1).pdf>) [a](/a)\n\n{% hint %}\n',
    },
    { name: 'd/src/code.ts', body: 'export {};\n' },
    { name: 'd/docs/latest', body: 'b.mdx', mode: 0o120777 },
  ]);
  const space = await makeSpaceClient();

  const state = await importAll(space, { url: `${url}/docs.zip`, source: 'zip' });

  expect(state).toMatchObject({ status: 'completed', importedResources: 6, failedResources: 0, failures: [] });
  const problems = state.problems.map(({ kind, url: path }) => `${kind} ${path}`);
  expect(problems).toEqual(
    expect.arrayContaining([
      'warning docs/a.md',
      'skipped .gitbook.yaml',
      'skipped src/code.ts',
      'skipped docs/latest',
    ]),
  );
  const message = 'Line 7: {% hint %} is never closed, so it is shown as text. Add {% endhint %}.';
  expect(state.problems).toContainEqual({ kind: 'warning', url: 'docs/b.mdx', message });
  const revision = await space.callJson<{
    variables: object;
    reusableContents: object[];
    files: { git: { path: string } }[];
  }>('/content');
  const paths = revision.files.map(({ git }) => git.path);
  expect(revision).toMatchObject({
    variables: { version: 2.1 },
    reusableContents: [{ title: 'A note', git: { path: '.gitbook/includes/note.md' } }],
  });
  // The configuration files are stored in addition to the files that pages link to.
  expect(paths.sort()).toEqual(['.gitbook.yaml', '.gitbook/assets/a file (1).pdf', '.gitbook/vars.yaml']);
  const [a, b] = flatten(await space.pages());
  expect([a?.title, b?.title]).toEqual(['{#if x}', 'B']);
  const shown = await space.callJson<{ markdown: string }>(`/content/page/${b?.id}?dereferenced=true`);
  expect(shown.markdown).toContain('Of [A](');
  const { items } = await space.callJson<{ items: { status: string; target: string }[] }>(`/links`);
  expect(items.filter(({ status }) => status !== 'ok')).toEqual([]);
});

test('rejects an archive without any readable file', async () => {
  const url = await serveZip([{ name: 'bad.md', body: Uint8Array.from([0xff, 0xfe, 0xfd]) }]);

  const { status, body } = await startImport(await makeSpaceClient(), { url: `${url}/docs.zip`, source: 'zip' });

  expect(status).toBe(400);
  expect(body.error.issues).toEqual([{ path: 'body.url', message: expect.stringContaining('readable markdown') }]);
});

test('uses a summary in a folder of the archive', async () => {
  const url = await serveZip([
    { name: 'book/LICENSE', body: 'x' },
    {
      name: 'book/src/SUMMARY.md',
      body: '# Summary\n\n[Introduction](intro.md)\n\n- [Second](b.md)\n- [Third](a.md)\n',
    },
    { name: 'book/src/intro.md', body: '# Introduction\n\n![x](img/x.png)\n' },
    { name: 'book/src/a.md', body: '# A\n' },
    { name: 'book/src/b.md', body: '# B\n' },
    { name: 'book/src/img/x.png', body: png },
  ]);
  const space = await makeSpaceClient();

  await importAll(space, { url: `${url}/docs.zip`, source: 'zip' });

  expect((await space.pages()).map(({ title }) => title)).toEqual(['Introduction', 'Second', 'Third']);
});

test('imports a markdown file as a page, with its frontmatter and images', async () => {
  const text = '---\ndescription: Said\n---\n\n# A guide\n\n![x](../img/x.png) ![y](https://elsewhere.test/y.png)\n';
  const { url } = await serveSite({
    '/docs/guide.md': { body: text, type: 'text/markdown' },
    '/img/x.png': { body: png, type: 'image/png' },
  });
  const space = await makeSpaceClient();

  const state = await importAll(space, { url: `${url}/docs/guide.md`, source: 'markdown' });
  const [page] = await space.pages();

  expect(state).toMatchObject({ importedResources: 2, totalResources: 2 });
  expect(page).toMatchObject({ title: 'A guide', slug: 'a-guide', description: 'Said' });
  expect((await space.page(page?.id ?? '')).markdown).toBe(text);
});

const createEqualFiles = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `${index}.md`, body: '' }));

test.each<[name: string, entries: ZipEntry[], message: RegExp]>([
  ['an entry above the folder', [{ name: '../../etc/passwd.md', body: 'x' }], /unsafe path/],
  ['an absolute path', [{ name: '/etc/passwd.md', body: 'x' }], /unsafe path/],
  ['a backslash', [{ name: 'a\\..\\..\\b.md', body: 'x' }], /unsafe path/],
  ['a path of more than 4096 bytes', [{ name: `${'a/'.repeat(2100)}b.md`, body: 'x' }], /unsafe path/],
  ['nothing but a symbolic link', [{ name: 'a.md', body: '/etc/passwd', mode: 0o120777 }], /no markdown/],
  ['too many files', createEqualFiles(8000), /has more than/],
  ['a file that declares gigabytes', [{ name: 'a.md', body: 'x', claims: 4_000_000_000 }], /bytes/],
  ['no markdown at all', [{ name: 'a.png', body: png }], /no markdown/],
])('%s: rejects the archive and stores nothing of it', async (_, entries, message) => {
  const url = await serveZip(entries);
  const space = await makeSpaceClient();
  const before = await space.head();

  const { status, body } = await startImport(space, { url: `${url}/docs.zip`, source: 'zip' });

  expect(status).toBe(400);
  expect(body.error.issues).toEqual([{ path: 'body.url', message: expect.stringMatching(message) }]);
  expect(await space.head()).toEqual(before);
});

test('does not extract a file that is larger than declared, or a nested archive', async () => {
  const bomb = 'a'.repeat(20_000_000);
  const url = await serveZip([
    { name: 'ok.md', body: '# Fine\n' },
    { name: 'bomb.png', body: bomb, claims: 100 },
    { name: 'nested.zip', body: getZip([{ name: 'inner.md', body: 'x' }]) },
  ]);
  const space = await makeSpaceClient();

  const state = await importAll(space, { url: `${url}/docs.zip`, source: 'zip' });

  expect(state).toMatchObject({ importedResources: 1, totalResources: 2, failedResources: 1 });
  expect(state.failures).toEqual([{ url: 'bomb.png', error: expect.stringContaining('damaged') }]);
});
