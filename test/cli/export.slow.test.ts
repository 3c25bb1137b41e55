import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { edit, json, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { createTemporaryFolder, getOutline, octavo, readMarkdown, writeTree } from './octavo.ts';

async function makeOwnSpace() {
  const space = await platform().makeSpace();
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
  const change = (changes: object[]) =>
    json(`/v1/spaces/${space.id}/content`, { token: space.token, body: { changes } });
  return { space, change, octavo: (...args: string[]) => octavo(env, ...args) };
}

const awkward = [
  ['../../x', '../../x.md'],
  ['CON', 'CON'],
  ['a/b', 'a/b'],
  ['a', 'a'],
  ['..', '../..'],
  ['/etc/passwd', '/etc/passwd'],
  ['C:\\windows\\x', 'C:\\windows\\x.md'],
  ['nul.md', 'nul.md'],
  ['Summary', 'SUMMARY.md'],
  ['summary', 'summary.md'],
  ['dot', '.git/config.md'],
  ['case', 'Case.md'],
  ['Case', 'case.md'],
  ['space ', 'trailing. '],
  ['😀'.repeat(60), `${'😀'.repeat(100)}.md`],
  ['new line', 'new\nline.md'],
] as const;

test('writes file names that every operating system accepts, inside the folder', async () => {
  const { space, octavo } = await makeOwnSpace();
  const pages = awkward.map(([title, file], index) => ({
    ...{ operation: 'insert_page', title, document: { markdown: `text ${index}` } },
    ...(index % 2 === 0 && { git: { path: file } }),
  }));
  const files = awkward.map(([title, file], index) => ({
    ...{ operation: 'insert_page', title, document: { markdown: `second ${index}` }, git: { path: file } },
  }));
  await edit(space, [...pages, ...files]);
  const parent = await createTemporaryFolder();
  const out = path.join(parent, 'deep', 'out');
  const { code, stdout } = await octavo('export', space.id, out);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: `Wrote 32 pages and SUMMARY.md to ${out}.\n` });

  expect(await readdir(path.join(parent))).toEqual(['deep']);
  expect(await readdir(path.join(parent, 'deep'))).toEqual(['out']);
  const entries = await readdir(out, { recursive: true, withFileTypes: true });
  const written = entries.filter((entry) => entry.isFile());
  expect(written).toHaveLength(33);
  expect(new Set(entries.map((entry) => path.join(entry.parentPath, entry.name).toLowerCase())).size).toBe(
    entries.length,
  );
  for (const { name } of entries) {
    expect(name).not.toMatch(/^(?:con|prn|aux|nul)(?:\.|$)|^\.|[<>:"|?*\\\p{Cc}]|[. ]$/iu);
    expect(Buffer.byteLength(name)).toBeLessThan(256);
  }

  const before = await getOutline(space, space.id);
  const again = await octavo('import', out, '--space', 'new');
  expect(again).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('32 created, 0 updated, 0 unchanged, 0 failed'),
  });
  expect(await getOutline(space, /spc_\w+/.exec(again.stdout)?.[0] ?? '')).toEqual(before);
  expect((await octavo('import', out, '--space', space.id)).stdout).toContain('0 created');
});

test('refuses a folder with files unless --force is set', async () => {
  const { space, octavo } = await makeOwnSpace();
  await makePage(space, 'Page', '# Page\n', { git: { path: 'page.md' } });
  const folder = await writeTree({ 'page.md': 'old', 'mine.md': 'mine' });
  const refused = await octavo('export', space.id, folder);
  expect(refused.stderr).toMatch(/^octavo: The folder \S+ is not empty\. Use --force to write to it anyway\.\n$/);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(await readMarkdown(folder)).toEqual({ 'page.md': 'old', 'mine.md': 'mine' });

  expect(await octavo('export', space.id, folder, '--force')).toMatchObject({ code: 0 });
  expect(await readMarkdown(folder)).toEqual({ 'page.md': '# Page\n', 'mine.md': 'mine' });
});

test('reports a target that is not a folder, and a missing space, and writes nothing', async () => {
  const { space, octavo } = await makeOwnSpace();
  const folder = await writeTree({ file: '' });
  const intoFile = await octavo('export', space.id, path.join(folder, 'file'));
  expect(intoFile).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^octavo: The folder \S+ could not be read\.\n$/),
  });
  const missing = await octavo('export', 'spc_madeup', path.join(folder, 'out'));
  expect(missing).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^octavo: The server rejected the request: [^\n]+\n$/),
  });
  expect(await readdir(folder)).toEqual(['file']);
});

test('writes a summary in the existing style if nothing else defines the tree', async () => {
  const { space, change, octavo } = await makeOwnSpace();
  const exportFolder = async () => {
    const out = await createTemporaryFolder();
    const { stdout, stderr } = await octavo('export', space.id, out);
    return {
      stdout: stdout.replace(out, 'out'),
      told: stderr.includes('Added SUMMARY.md'),
      ...(await readMarkdown(out)),
    };
  };
  expect(await exportFolder()).toEqual({ stdout: 'Wrote 0 pages to out.\n', told: false });

  await makePage(space, 'A', '# A\n', { git: { path: 'a.md' } });
  await makePage(space, 'B', '# B\n', { git: { path: 'b.md' } });
  expect(await exportFolder()).toMatchObject({ stdout: 'Wrote 2 pages to out.\n', told: false });
  await makePage(space, 'First', '# Later\n', { git: { path: 'c.md' }, at: 0 });
  const summary = '# Table of contents\n\n* [First](c.md)\n* [A](a.md)\n* [B](b.md)\n';
  expect(await exportFolder()).toMatchObject({
    stdout: 'Wrote 3 pages and SUMMARY.md to out.\n',
    told: true,
    'SUMMARY.md': summary,
  });

  const own = '# Summary\n\n- [A](./a.md#top)\n-   [B](b.md) <!-- kept -->\n- [First](c.md)\n';
  const content = { base64: Buffer.from(own).toString('base64'), contentType: 'text/markdown' };
  const files = [{ name: 'SUMMARY.md', git: { path: 'SUMMARY.md' }, ...content }];
  await change([{ operation: 'insert_files', files }]);
  expect(await exportFolder()).toMatchObject({
    told: false,
    'SUMMARY.md': '# Summary\n\n- [First](c.md)\n- [A](./a.md#top)\n-   [B](b.md) <!-- kept -->\n',
  });
});

test('exports variables, reusable content and files to the paths of their import', async () => {
  const { space, change, octavo } = await makeOwnSpace();
  const document = { markdown: '# Kept\n' };
  const git = { path: '.gitbook/includes/kept text.md' };
  await change([
    { operation: 'set_variables', variables: { version: '2', count: 3 } },
    { operation: 'insert_reusable_content', title: 'Kept', document, git },
    { operation: 'insert_reusable_content', title: 'Of Octavo', document },
  ]);
  const out = await createTemporaryFolder();
  expect((await octavo('export', space.id, out)).stdout).toBe(`Wrote 0 pages, 2 reusable contents to ${out}.\n`);
  expect(await readMarkdown(out)).toEqual({
    '.gitbook/includes/kept text.md': '# Kept\n',
    '.gitbook/includes/of-octavo.md': '# Kept\n',
  });
  expect(await readFile(path.join(out, '.gitbook/vars.yaml'), 'utf8')).toBe('count: 3\nversion: "2"\n');
});
