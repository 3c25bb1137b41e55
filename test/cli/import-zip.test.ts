import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { createCommandLine, createTemporaryFolder, findSpaceId, getOutline } from './octavo.ts';
import { getZip, type ZipEntry } from './zip.ts';

const mebibyte = 1024 * 1024;

async function importZip(entries: ZipEntry[]) {
  const { octavo, organization, token } = await createCommandLine();
  const file = path.join(await createTemporaryFolder(), 'docs.zip');
  await writeFile(file, getZip(entries));
  const finished = await octavo('import', file, '--space', 'new');
  const { items } = await json<{ items: { title: string }[] }>(`/v1/orgs/${organization}/spaces`, { token });
  return { ...finished, token, spaces: items.map(({ title }) => title) };
}

test('imports an archive without its single top-level folder', async () => {
  const entries = [
    { name: 'book-main/SUMMARY.md', content: '- [Été](src/été.md)\n' },
    { name: 'book-main/src/été.md', content: '# É\n' },
    { name: 'book-main/logo.png', content: Uint8Array.of(1, 2, 3), stored: true },
  ];
  const { code, stdout, token, spaces } = await importZip(entries);
  expect(code).toBe(0);
  expect(stdout).toContain('1 created, 0 updated, 0 unchanged, 0 failed');
  expect(await getOutline({ token }, findSpaceId(stdout))).toEqual(['Été']);
  expect(spaces).toEqual(['docs']);
});

const good = { name: 'good.md', content: '# Good\n' };
const createZipBomb = (count: number, claims: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `${index}.md`, content: '', claims }));

test.each<[string, ZipEntry[], RegExp]>([
  ['leaves the folder', [good, { name: '../x.md', content: 'x' }], /unsafe path: "\.\.\/x\.md"/],
  ['is absolute', [good, { name: '/etc/x.md', content: 'x' }], /unsafe path: "\/etc\/x\.md"/],
  ['has a backslash', [good, { name: '..\\x.md', content: 'x' }], /unsafe path/],
  ['exceeds the size limit', [good, ...createZipBomb(513, mebibyte)], /has more than 536870912 bytes/],
  ['exceeds the maximum number of files', [good, ...createZipBomb(20_001, 0)], /more than 20000 files/],
])('rejects an archive with an entry that %s and imports nothing', async (_, entries, sentence) => {
  const { code, stdout, stderr, spaces } = await importZip(entries);
  expect(stderr).toMatch(sentence);
  expect(stderr).toMatch(/^octavo: The [^\n]+\.\n$/);
  expect({ code, stdout, spaces }).toEqual({ code: 1, stdout: '', spaces: [] });
});

test('reports a page larger than 1 MiB without extracting it, whatever the archive declares', async () => {
  const zeros = new Uint8Array(16 * mebibyte);
  const { code, stdout, stderr } = await importZip([
    good,
    { name: 'honest.md', content: zeros },
    { name: 'stored.md', content: zeros.subarray(0, 2 * mebibyte), stored: true, claims: 10 },
    { name: 'short.md', content: 'short', claims: 10 },
    { name: 'long.md', content: zeros, claims: 10 },
  ]);
  expect(stderr).toContain(`honest.md: The file has ${zeros.length} bytes. A page can have at most ${mebibyte} bytes.`);
  for (const name of ['stored', 'short', 'long']) {
    expect(stderr).toContain(`${name}.md: The archive is damaged: the file does not match its checksum or size.`);
  }
  expect(stdout).toContain('1 created, 0 updated, 0 unchanged, 4 failed');
  expect(code).toBe(1);
});
