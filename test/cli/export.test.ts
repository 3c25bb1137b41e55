import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { edit, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { octavo, outlineOf, readMarkdown, temporaryFolder, writeTree } from './octavo.ts';

async function spaceOfOwn() {
  const space = await platform().makeSpace();
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
  return { space, octavo: (...args: string[]) => octavo(env, ...args) };
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

test('an export names files so that any system takes them and none leaves the folder', async () => {
  const { space, octavo } = await spaceOfOwn();
  const pages = awkward.map(([title, file], index) => ({
    ...{ operation: 'insert_page', title, document: { markdown: `text ${index}` } },
    ...(index % 2 === 0 && { git: { path: file } }),
  }));
  const files = awkward.map(([title, file], index) => ({
    ...{ operation: 'insert_page', title, document: { markdown: `second ${index}` }, git: { path: file } },
  }));
  await edit(space, [...pages, ...files]);
  const parent = await temporaryFolder();
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

  const before = await outlineOf(space, space.id);
  const again = await octavo('import', out, '--space', 'new');
  expect(again).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('32 created, 0 updated, 0 unchanged, 0 failed'),
  });
  expect(await outlineOf(space, /spc_\w+/.exec(again.stdout)?.[0] ?? '')).toEqual(before);
  expect((await octavo('import', out, '--space', space.id)).stdout).toContain('0 created');
});

test('an export refuses a folder that is not empty, but for --force', async () => {
  const { space, octavo } = await spaceOfOwn();
  await makePage(space, 'Page', '# Page\n', { git: { path: 'page.md' } });
  const folder = await writeTree({ 'page.md': 'old', 'mine.md': 'mine' });
  const refused = await octavo('export', space.id, folder);
  expect(refused.stderr).toMatch(/^octavo: The folder \S+ is not empty; --force writes into it nevertheless\.\n$/);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(await readMarkdown(folder)).toEqual({ 'page.md': 'old', 'mine.md': 'mine' });

  expect(await octavo('export', space.id, folder, '--force')).toMatchObject({ code: 0 });
  const summary = '# Summary\n\n- [Page](page.md)\n';
  expect(await readMarkdown(folder)).toEqual({ 'page.md': '# Page\n', 'mine.md': 'mine', 'SUMMARY.md': summary });
});

test('an export into a file, or of a space that is not there, is one sentence and writes nothing', async () => {
  const { space, octavo } = await spaceOfOwn();
  const folder = await writeTree({ file: '' });
  const intoFile = await octavo('export', space.id, path.join(folder, 'file'));
  expect(intoFile).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^octavo: The folder \S+ cannot be read\.\n$/),
  });
  const missing = await octavo('export', 'spc_madeup', path.join(folder, 'out'));
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/^octavo: The server refused: [^\n]+\n$/) });
  expect(await readdir(folder)).toEqual(['file']);
});

test('an empty space is exported as an empty summary', async () => {
  const { space, octavo } = await spaceOfOwn();
  const out = await temporaryFolder();
  expect(await octavo('export', space.id, out)).toMatchObject({
    code: 0,
    stdout: `Wrote 0 pages and SUMMARY.md to ${out}.\n`,
  });
  expect(await readMarkdown(out)).toEqual({ 'SUMMARY.md': '# Summary\n' });
});
