import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTextFile, insertFiles } from '../content/files/file-client.ts';
import type { TestFile } from '../content/space-client.ts';
import { getClient, insertPage } from '../content/space-client.ts';
import { createLongText, moveTexts, readMoved } from '../content/texts/moving.ts';
import { getBytes, partBytes, put, startUpload } from '../content/uploads/upload-client.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform, until } from '../support/own-platform.ts';
import type { TestSpace } from '../support/platform.ts';
import { createTemporaryFolder, octavo, octavoProcess } from './octavo.ts';

/** A file that is uploaded in several parts. */
const large = Buffer.from(getBytes(partBytes + 10));
let server: OwnPlatform;
let space: TestSpace;
/** A revision of a page whose text was moved to the bucket. */
let movedPath: string;
beforeAll(async () => {
  server = await startOwnPlatform();
  space = await server.makeSpace();
  await insertFiles(getClient(server, space), [createTextFile('kept.txt', 'What is kept.')]);
  const { url, key } = await startUpload(space, large.length, 'large.bin', server);
  await put(url, new Uint8Array(large));
  await insertFiles(getClient(server, space), [{ name: 'large.bin', upload: key }]);
  const client = getClient(server, space);
  const [page = ''] = await client.change([insertPage('Moved', { document: { markdown: createLongText('moved') } })]);
  movedPath = `/revisions/${(await client.head()).id}/page/${page}`;
  await client.change([{ operation: 'delete_page', page }]);
  await moveTexts(server, 0);
  expect(readMoved(server).size).toBe(1);
});
afterAll(() => server?.remove());

const backUp = (target: string) => octavoProcess({ OCTAVO_DATA: server.dataDir }, 'backup', target);
const getTitles = async (of: OwnPlatform) => (await getClient(of, space).pages()).map(({ title }) => title);

/** Writes pages until it is stopped. `written` contains the titles of the acknowledged pages. */
function startWriting() {
  const written: string[] = [];
  let isOver = false;
  const writing = (async () => {
    const client = getClient(server, space);
    while (!isOver) {
      const title = `Page ${written.length}`;
      await client.change([insertPage(title, { document: { markdown: 'Words. '.repeat(500) } })]);
      written.push(title);
    }
  })();
  const stop = () => {
    isOver = true;
    return writing;
  };
  return { written, stop };
}

/** Starts a server on a copy of the data, calls `look` and removes the server. */
async function useCopiedServer(data: string, look: (copy: OwnPlatform) => Promise<void>): Promise<void> {
  const copy = await startOwnPlatform({ data });
  try {
    await look(copy);
  } finally {
    await copy.remove();
  }
}

async function expectReadable(copy: OwnPlatform): Promise<void> {
  const { items } = await getClient(copy, space).callJson<{ items: TestFile[] }>('/content/files');
  const read = async (name: string) => {
    const { pathname, search } = new URL(items.find((item) => item.name === name)?.downloadURL ?? '');
    return Buffer.from(await (await fetch(new URL(pathname + search, copy.url))).arrayBuffer());
  };
  expect((await read('kept.txt')).toString()).toBe('What is kept.');
  expect((await read('large.bin')).equals(large)).toBe(true);
  expect((await getClient(copy, space).callJson<{ markdown: string }>(movedPath)).markdown).toBe(
    createLongText('moved'),
  );
  const doctor = await octavo({ OCTAVO_DATA: copy.dataDir }, 'doctor', '--data');
  expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('no errors') });
}

test('a backup contains everything acknowledged before it began, with concurrent writes', async () => {
  const target = path.join(await createTemporaryFolder(), 'deeper', 'copy');
  const { written, stop } = startWriting();
  await until(() => written.length >= 10 || undefined);

  const before = written.length;
  const { code, stdout } = await backUp(target);
  const after = written.length;
  await until(() => written.length > after + 2 || undefined);
  await stop();

  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Copied \d+ files, [\d.]+ MB, to \//) });
  expect(after).toBeGreaterThan(before);
  await useCopiedServer(target, async (copy) => {
    const titles = await getTitles(copy);
    expect(titles.length).toBeGreaterThanOrEqual(before);
    expect(titles).toEqual(Array.from(titles, (_, index) => `Page ${index}`));
    await expectReadable(copy);
    await getClient(copy, space).change([insertPage('Of the copy')]);
  });
  expect(await getTitles(server)).toEqual(written);
});

test('does not write into an existing folder, and leaves no partial copy', async () => {
  const folder = await createTemporaryFolder();
  const target = path.join(folder, 'copy');
  await mkdir(target);
  await writeFile(path.join(target, 'mine'), 'mine');

  const refused = await backUp(target);
  const inside = await backUp(path.join(server.dataDir, 'state', 'copy'));

  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('already exists')]);
  expect([inside.code, inside.stderr]).toEqual([1, expect.stringContaining('inside the data folder')]);
  expect(await readdir(folder)).toEqual(['copy']);
  expect(await readdir(target)).toEqual(['mine']);
  expect(await octavo({ OCTAVO_DATA: folder }, 'backup', path.join(folder, 'other'))).toMatchObject({ code: 1 });
});

test('a backup contains everything that a killed server had acknowledged', async () => {
  const target = path.join(await createTemporaryFolder(), 'copy');
  const { written, stop } = startWriting();
  await until(() => written.length >= 5 || undefined);
  await stop();
  const titles = await getTitles(server);
  await server.kill('SIGKILL');

  expect(await backUp(target)).toMatchObject({ code: 0 });
  await useCopiedServer(target, async (copy) => {
    expect(await getTitles(copy)).toEqual(titles);
    await expectReadable(copy);
  });
});
