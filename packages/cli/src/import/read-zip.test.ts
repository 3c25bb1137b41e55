import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { expect, onTestFinished, test } from 'vitest';
import { readZip } from './source.ts';

async function getArchive(bytes: Uint8Array): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-zip-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'docs.zip');
  await writeFile(file, bytes);
  return file;
}

const createZip = (files: Record<string, string>): Promise<string> =>
  getArchive(zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))));

test('reads an archive without its single top-level folder', async () => {
  const source = await readZip(
    await createZip({ 'book-main/a.md': '# A\n', 'book-main/b/é.md': 'é', 'book-main/.git/x.md': '' }),
  );
  expect(source.paths.sort()).toEqual(['a.md', 'b/é.md']);
  expect(source.unreadablePaths).toEqual(['.git/x.md']);
  expect(new TextDecoder().decode(await source.read('b/é.md'))).toBe('é');
});

test.each(['../a.md', '/a.md', 'a/../../b.md', 'a\\b.md', 'C:/a.md', './a.md', 'a\0.md', '../a.png'])(
  'rejects an entry %s',
  async (name) => {
    await expect(readZip(await createZip({ [name]: 'x' }))).rejects.toThrow('unsafe path');
  },
);

test('rejects a file that is not an archive', async () => {
  await expect(readZip(await getArchive(strToU8('not a zip')))).rejects.toThrow('is not a readable zip archive');
});

test('rejects a damaged file and reads the others', async () => {
  const bytes = zipSync({ 'a.md': strToU8('first text'), 'b.md': strToU8('other text') }, { level: 0, comment: 'PK' });
  const at = Buffer.from(bytes).indexOf('other');
  bytes[at] = 0x4f;
  const source = await readZip(await getArchive(bytes));
  expect(new TextDecoder().decode(await source.read('a.md'))).toBe('first text');
  await expect(source.read('b.md')).rejects.toThrow('The archive is damaged');
});
