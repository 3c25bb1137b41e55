import { readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { createCommandLine, createTemporaryFolder, findSpaceId, writeTree } from './octavo.ts';

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const pages = {
  'README.md': '# Home\n\n![A pixel](img/pixel.png) and [data](data/table.csv).\n',
  'guide/start.md': '# Start\n\n![The same](../img/pixel.png)\n',
};

const writeBookWithFiles = () =>
  writeTree({
    ...pages,
    'img/pixel.png': pixel,
    'data/table.csv': 'a,b\n1,2\n',
    'data/unused.bin': 'never linked',
  });

interface Files {
  items: { id: string; name: string; size: number; dimensions?: object; git?: { path: string } }[];
}

test('imports images and linked files, and exports them to their original paths', async () => {
  const { octavo, token } = await createCommandLine();
  const folder = await writeBookWithFiles();
  const imported = await octavo('import', folder, '--space', 'new');
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('files: 2 created') });
  const space = findSpaceId(imported.stdout);

  const { items } = await json<Files>(`/v1/spaces/${space}/content/files`, { token });
  const known = new Map(items.map((item) => [item.git?.path, item]));
  expect([...known.keys()].sort()).toEqual(['data/table.csv', 'img/pixel.png']);
  expect(known.get('img/pixel.png')).toMatchObject({ size: pixel.length, dimensions: { width: 1, height: 1 } });

  const out = path.join(await createTemporaryFolder(), 'out');
  expect(await octavo('export', space, out)).toMatchObject({ stdout: expect.stringContaining('2 files') });
  expect(await readFile(path.join(out, 'img/pixel.png'))).toEqual(pixel);
  expect(await readFile(path.join(out, 'guide/start.md'), 'utf8')).toBe(pages['guide/start.md']);
  for (const again of [folder, out]) {
    expect((await octavo('import', again, '--space', space)).stdout).toContain('No changes');
  }
});

test('replaces a changed file and keeps its ID', async () => {
  const { octavo, token } = await createCommandLine();
  const folder = await writeBookWithFiles();
  const space = findSpaceId((await octavo('import', folder, '--space', 'new')).stdout);
  const before = await json<Files>(`/v1/spaces/${space}/content/files`, { token });

  await writeFile(path.join(folder, 'data/table.csv'), 'a,b\n3,4\n5,6\n');
  const { stdout } = await octavo('import', folder, '--space', space);
  const after = await json<Files>(`/v1/spaces/${space}/content/files`, { token });

  expect(stdout).toContain('files: 0 created, 1 updated, 1 unchanged');
  expect(new Set(after.items.map(({ id }) => id))).toEqual(new Set(before.items.map(({ id }) => id)));
  expect(after.items.find(({ name }) => name === 'table.csv')).toMatchObject({ size: 12 });
});

test('reports a file that is too large, and imports the rest', async () => {
  const { octavo } = await createCommandLine();
  const folder = await writeBookWithFiles();
  await writeFile(path.join(folder, 'img/large.png'), new Uint8Array(1024 * 1024 + 1));
  await writeFile(path.join(folder, 'img/huge.png'), '');
  await truncate(path.join(folder, 'img/huge.png'), 100_000_001);

  const { code, stdout, stderr } = await octavo('import', folder, '--space', 'new');

  expect(code).toBe(1);
  expect(stderr).toContain('img/huge.png: The file has 100000001 bytes. A file can have at most 100000000 bytes.');
  expect(stdout).toContain('files: 3 created');
});

test('exports links to pages and files by ID as paths', async () => {
  const { octavo, token } = await createCommandLine();
  const folder = await writeBookWithFiles();
  const space = findSpaceId((await octavo('import', folder, '--space', 'new')).stdout);
  const { items } = await json<Files>(`/v1/spaces/${space}/content/files`, { token });
  const start = await json<{ id: string }>(`/v1/spaces/${space}/content/path/guide/start`, { token });
  const image = items.find(({ name }) => name === 'pixel.png')?.id;
  const markdown = `# Note\n\n[Start](/pages/${start.id}#x) ![](/files/${image}) [gone](/pages/pg_none)\n`;
  const change = { operation: 'insert_page', title: 'Note', document: { markdown } };
  await json(`/v1/spaces/${space}/content`, { token, body: { changes: [change] } });

  const out = path.join(await createTemporaryFolder(), 'out');
  await octavo('export', space, out);

  expect(await readFile(path.join(out, 'note.md'), 'utf8')).toBe(
    '# Note\n\n[Start](guide/start.md#x) ![](img/pixel.png) [gone](/pages/pg_none)\n',
  );
});
