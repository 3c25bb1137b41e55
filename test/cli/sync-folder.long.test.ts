import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { edit, json, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { octavo, writeTree } from './octavo.ts';

const files = {
  'README.md': '# Home\r\n\r\nOne.\r\n\r\nTwo.\r\n',
  'guide.md': '# Guide\n',
  'old.md': '# Old\n',
  'notes.txt': 'not of the docs\n',
};

async function createSyncedFolder() {
  const space = await platform().makeSpace();
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
  const folder = await writeTree(files);
  const sync = (...args: string[]) => octavo(env, 'sync', folder, '--space', space.id, ...args);
  const write = (file: string, text: string) => writeFile(path.join(folder, file), text);
  const readPage = async (at: string) =>
    json<{ id: string; markdown: string }>(`/v1/spaces/${space.id}/content/path/${at}`, { token: space.token });
  const change = async (at: string, markdown: string) =>
    edit(space, [{ operation: 'update_page', page: (await readPage(at)).id, document: { markdown } }]);
  const readFiles = async () => {
    const names = (await readdir(folder)).filter((name) => name !== '.octavo').sort();
    const read = async (name: string) => [name, await readFile(path.join(folder, name), 'utf8')] as const;
    return Object.fromEntries(await Promise.all(names.map(read)));
  };
  const first = await sync();
  expect(first, first.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('merged') });
  return { space, folder, sync, write, pageAt: readPage, change, held: readFiles };
}

test('syncs a folder without Git and a space in both directions', async () => {
  const { space, folder, sync, write, pageAt, change, held } = await createSyncedFolder();
  expect(await held()).toEqual(files);
  expect((await sync()).stdout).toBe('No changes.\n');

  await write('README.md', '# Home\r\n\r\nOne of the folder.\r\n\r\nTwo.\r\n');
  await rename(path.join(folder, 'guide.md'), path.join(folder, 'handbook.md'));
  await rm(path.join(folder, 'old.md'));
  const guide = await pageAt('guide');
  await change('README', '# Home\r\n\r\nOne.\r\n\r\nTwo of Octavo.\r\n');
  await makePage(space, 'New', '# New\n');
  const both = await sync();
  expect(both, both.stderr).toMatchObject({ code: 0 });
  expect(await held()).toMatchObject({
    'README.md': '# Home\r\n\r\nOne of the folder.\r\n\r\nTwo of Octavo.\r\n',
    'handbook.md': files['guide.md'],
    'new.md': '# New\n',
    'notes.txt': files['notes.txt'],
  });
  expect(Object.keys(await held())).not.toContain('old.md');
  expect((await pageAt('guide')).id).toBe(guide.id);
  expect((await sync()).stdout).toBe('No changes.\n');
  expect(await sync('--branch', 'other')).toMatchObject({ code: 1, stderr: expect.stringContaining('has no branch') });
});

test('conflicting changes become a change request, and the folder gets the version of Octavo', async () => {
  const { sync, write, change, held } = await createSyncedFolder();
  await write('guide.md', '# Guide\n\nOf the folder.\n');
  await change('guide', '# Guide\n\nOf Octavo.\n');
  expect(await sync()).toMatchObject({ code: 1, stderr: expect.stringContaining('conflict: page Guide: document') });
  expect((await held())['guide.md']).toBe('# Guide\n\nOf Octavo.\n');
});
