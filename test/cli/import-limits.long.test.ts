import { expect, test } from 'vitest';
import { getClient } from '../content/space-client.ts';
import { platform } from '../support/platform.ts';
import {
  createCommandLine,
  createTemporaryFolder,
  findSpaceId,
  getOutline,
  readMarkdown,
  writeTree,
} from './octavo.ts';

const mebibyte = 1024 * 1024;

test('nests pages of a second batch below parents from the first, in order', async () => {
  const { octavo, token } = await createCommandLine();
  const chapters = Array.from({ length: 40 }, (_, index) => `chapter-${index}`);
  const files = Object.fromEntries(
    chapters.flatMap((name) => [
      [`${name}/README.md`, `# ${name}\n`],
      [`${name}/one.md`, '# One\n'],
      [`${name}/two.md`, '# Two\n'],
    ]),
  );
  const deep = '  - [Last](chapter-0/README.md#again)\n';
  const summary = chapters.map((name) => `- [${name}](${name}/README.md)\n`).join('');
  const children = chapters.map((name) => `  - [${name}, one](${name}/one.md)\n    - [${name}, two](${name}/two.md)\n`);
  const nested = chapters.map((name, index) => `- [${name}](${name}/README.md)\n${children[index]}`).join('');
  const flat = await writeTree({ ...files, 'SUMMARY.md': summary });
  const { stdout } = await octavo('import', flat, '--space', 'new');
  expect(stdout).toContain('120 created, 0 updated, 0 unchanged, 0 failed');
  const space = findSpaceId(stdout);
  expect((await getOutline({ token }, space)).filter((line) => !line.startsWith('- '))).toEqual(chapters);

  const moved = await octavo('import', await writeTree({ ...files, 'SUMMARY.md': nested + deep }), '--space', space);
  expect(moved.stdout).toContain('1 created, 80 updated, 40 unchanged, 0 failed');
  const expected = chapters.flatMap((name) => [name, `  ${name}, one`, `    ${name}, two`]);
  expect(await getOutline({ token }, space)).toEqual([...expected, '  > Last']);
});

test('nests pages of the second batch below new parents from the first', async () => {
  const { octavo, token } = await createCommandLine();
  const names = Array.from({ length: 70 }, (_, index) => `p${String(index).padStart(2, '0')}`);
  const files = Object.fromEntries(names.map((name) => [`top/${name}.md`, `# ${name}\n`]));
  const folder = await writeTree({ 'top/README.md': '# Top\n', ...files });
  const { stdout } = await octavo('import', folder, '--space', 'new');
  expect(stdout).toContain('71 created, 0 updated, 0 unchanged, 0 failed');
  expect(await getOutline({ token }, findSpaceId(stdout))).toEqual(['Top', ...names.map((name) => `  ${name}`)]);
});

test('truncates a heading that is too long for a title, also after an edit', async () => {
  const { octavo, token } = await createCommandLine();
  const createText = (heading: string, words: string) => ({ 'long.md': `# ${heading}\n\n${words}\n` });
  const heading = `${'a'.repeat(511)}😀${'b'.repeat(250)}`;
  const { stdout } = await octavo('import', await writeTree(createText(heading, 'first')), '--space', 'new');
  const space = findSpaceId(stdout);
  const update = async (files: Record<string, string>) =>
    expect((await octavo('import', await writeTree(files), '--space', space)).stdout).toContain(
      '1 updated, 0 unchanged, 0 failed',
    );

  await update(createText(heading, 'edited'));
  expect(await getOutline({ token }, space)).toEqual([`${'a'.repeat(511)}😀`]);
  await update(createText(`New ${heading}`, 'edited'));
  expect(await getOutline({ token }, space)).toEqual([`New ${heading}`.slice(0, 512)]);
});

test('a title set by field stays when the file is imported again with another text', async () => {
  const { octavo, token } = await createCommandLine();
  const createFiles = (words: string) => ({
    'heading.md': `# Heading\n\n${words}\n`,
    'frontmatter.md': `---\ntitle: Written\n---\n\n${words}\n`,
    'nothing.md': `${words}\n`,
  });
  const { stdout } = await octavo('import', await writeTree(createFiles('first')), '--space', 'new');
  const space = getClient(platform(), { id: findSpaceId(stdout), token });
  const set = (await space.pages()).map(({ id }) => ({ operation: 'update_page', page: id, title: `Set ${id}` }));
  await space.change(set);

  expect((await octavo('import', await writeTree(createFiles('edited')), '--space', space.space)).stdout).toContain(
    '3 updated, 0 unchanged, 0 failed',
  );
  expect((await space.pages()).map(({ title }) => title)).toEqual(set.map(({ title }) => title));
});

test('imports files whose names contain only control characters, with valid titles', async () => {
  const { octavo, token } = await createCommandLine();
  const folder = await writeTree({ 'a\tb.md': 'words\n', '\t.md': 'words\n', 'c\u0001d/e.md': '# E\u0002e\n' });

  const { code, stdout, stderr } = await octavo('import', folder, '--space', 'new');

  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expect.stringContaining('4 created') });
  expect((await getOutline({ token }, findSpaceId(stdout))).sort()).toEqual(['  E e', '# c d', 'Untitled', 'a b']);
  expect((await octavo('import', folder, '--space', findSpaceId(stdout))).stdout).toContain('No changes');
});

test('imports and exports pages of exactly 1 MiB, and reports pages that are one byte larger', async () => {
  const { octavo } = await createCommandLine();
  const repeatLine = (line: string, bytes: number) =>
    line.repeat(Math.ceil(bytes / Buffer.byteLength(line))).slice(0, bytes);
  const folder = await writeTree({
    'lines.md': repeatLine('\n', mebibyte),
    'quotes.md': repeatLine('"\\" ', mebibyte),
    'accents.md': 'é'.repeat(mebibyte / 2),
    'many.md': repeatLine('word ', mebibyte),
    'more.md': repeatLine('Some words.\n\n', mebibyte),
    'over.md': repeatLine('word ', mebibyte + 1),
    'accents-over.md': `${'é'.repeat(mebibyte / 2)}x`,
  });
  const { code, stdout, stderr } = await octavo('import', folder, '--space', 'new');
  expect(stderr).toContain('failed: over.md: The file has 1048577 bytes. A page can have at most 1048576 bytes.');
  expect(stderr).toContain('accents-over.md: The file has 1048577 bytes. A page can have at most 1048576 bytes.');
  expect(stdout).toContain('5 created, 0 updated, 0 unchanged, 2 failed');
  expect(code).toBe(1);
  const out = await createTemporaryFolder();
  await octavo('export', findSpaceId(stdout), out);
  const { 'over.md': _, 'accents-over.md': __, ...before } = await readMarkdown(folder);
  const { 'SUMMARY.md': ___, ...after } = await readMarkdown(out);
  expect(Object.keys(after)).toEqual(Object.keys(before));
  for (const [file, text] of Object.entries(before)) expect(after[file] === text).toBe(true);
});
