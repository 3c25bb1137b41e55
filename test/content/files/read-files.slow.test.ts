import { beforeEach, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { LiveEdit, SpaceClient, TestFile } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { createFiles, createPixel, createTextFile } from './file-client.ts';

let space: SpaceClient;
beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

interface Page {
  count: number;
  next?: { page: string };
  items: TestFile[];
}

const getNames = (files: TestFile[]) => files.map(({ name }) => name);
const listFileNames = async (path: string) => getNames((await space.callJson<Page>(path)).items);
const rename = (file: TestFile | undefined, name: string) => ({ operation: 'update_file', file: file?.id, name });
const remove = (file: TestFile | undefined) => ({ operation: 'delete_file', file: file?.id });
const createTextFiles = (...all: string[]) => all.map((name) => createTextFile(name, name));

test('lists files newest first, and returns every file exactly once', async () => {
  for (const some of [createTextFiles('1', '2', '3'), createTextFiles('4', '5')]) await createFiles(space, some);
  const fileNames: string[] = [];
  let page = '';
  do {
    const { count, items, next }: Page = await space.callJson<Page>(`/content/files?limit=2${page}`);
    expect(count).toBe(items.length);
    fileNames.push(...getNames(items));
    page = next === undefined ? '' : `&page=${next.page}`;
  } while (page !== '');

  expect(fileNames).toEqual(['5', '4', '3', '2', '1']);
  expect(await space.callJson<Page>('/content/files?limit=0')).toEqual({ count: 0, items: [] });
  for (const bad of ['page=x', 'limit=1001', 'limit=-1'])
    expect((await space.call(`/content/files?${bad}`)).status, bad).toBe(400);
});

test('a change request lists its own files with those of main', async () => {
  const [untouchedFile, renamed, removed] = await createFiles(space, createTextFiles('kept', 'renamed', 'removed'));
  const branch = await space.open();
  await createFiles(space, createTextFiles('later in main'));
  const [own] = await createFiles(space, createTextFiles('own'), branch);
  await space.edit([rename(renamed, 'new name'), remove(removed)], branch);
  const at = `/change-requests/${branch}/content/files`;

  expect(await listFileNames(at)).toEqual(['own', 'new name', 'kept']);
  expect(await listFileNames(`${at}?limit=1`)).toEqual(['own']);
  expect(await listFileNames('/content/files')).toEqual(['later in main', 'removed', 'renamed', 'kept']);
  expect(await space.callJson(`${at}/${renamed?.id}`)).toMatchObject({ name: 'new name' });
  expect((await space.call(`${at}/${removed?.id}`)).status).toBe(404);
  expect((await space.call(`/content/files/${own?.id}`)).status).toBe(404);
  expect(await space.callJson(`/content/files/${untouchedFile?.id}`)).toMatchObject({ name: 'kept' });
});

test('a revision returns the files that it contained', async () => {
  const [one, two] = await createFiles(space, createTextFiles('one', 'two'));
  const { revision } = (await space.edit([rename(one, 'uno')])).body;
  await space.edit([rename(one, 'eins'), remove(two)]);
  const at = `/revisions/${revision}`;

  expect(await listFileNames(`${at}/files`)).toEqual(['two', 'uno']);
  expect(await listFileNames('/content/files')).toEqual(['eins']);
  expect(await space.callJson(`${at}/files/${two?.id}`)).toMatchObject({ name: 'two' });
  expect(getNames((await space.callJson<{ files: TestFile[] }>(at)).files)).toEqual(['two', 'uno']);
  expect((await space.callJson<{ files: TestFile[] }>('/content')).files).toMatchObject([
    { name: 'eins', object: 'file' },
  ]);
});

test('an edit without changes creates no version, and IDs of pages and files are not interchangeable', async () => {
  const [file] = await createFiles(space, createTextFiles('a'));
  const [page] = await space.change([insertPage('A page')]);

  expect((await space.edit([rename(file, 'a')])).status).toBe(200);
  expect((await space.call(`/content/files/${page}`)).status).toBe(404);
  expect((await space.call(`/content/page/${file?.id}`)).status).toBe(404);
  expect((await space.edit([{ operation: 'delete_page', page: file?.id }])).status).toBe(404);
});

describe('a change request', () => {
  const getChanges = (branch: string) =>
    space.callJson<{ changes: { type: string; file?: TestFile; attributes?: object }[] }>(
      `/change-requests/${branch}/changes`,
    );

  test('lists created, edited and deleted files', async () => {
    const [edited, gone] = await createFiles(space, createTextFiles('edited', 'gone'));
    const branch = await space.open();
    await createFiles(space, createTextFiles('made'), branch);
    await space.edit([rename(edited, 'renamed'), remove(gone)], branch);
    const { changes } = await getChanges(branch);

    expect(changes.map(({ type, file }) => `${type} ${file?.name}`).sort()).toEqual([
      'file_created made',
      'file_deleted gone',
      'file_edited renamed',
    ]);
    expect(changes[0]?.file?.downloadURL).toContain('/files/');
    const ended = changes.find(({ type }) => type === 'file_edited');
    expect(ended?.attributes).toEqual({
      name: { before: 'edited', after: 'renamed' },
      downloadURL: { before: expect.stringContaining('/edited?'), after: ended?.file?.downloadURL },
    });
  });

  test("merges its files into main, and gets main's files by an update", async () => {
    const [file, other] = await createFiles(space, createTextFiles('file', 'other'));
    const branch = await space.open();
    await createFiles(space, createTextFiles('made'), branch);
    await space.edit([rename(file, 'renamed')], branch);
    await space.edit([rename(other, 'main')]);
    await createFiles(space, createTextFiles('new in main'));

    expect((await space.update(branch)).body.result).toBe('update');
    expect(await listFileNames(`/change-requests/${branch}/content/files`)).toEqual([
      'new in main',
      'made',
      'main',
      'renamed',
    ]);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect(await listFileNames('/content/files')).toEqual(['new in main', 'made', 'main', 'renamed']);
  });

  test('conflicts with main if both use the same file name, or if main deleted a changed file', async () => {
    const [named, gone] = await createFiles(space, createTextFiles('named', 'gone'));
    const branch = await space.open();
    await space.edit([rename(named, 'theirs'), rename(gone, 'theirs too')], branch);
    await space.edit([rename(named, 'ours'), remove(gone)]);
    const { body } = await space.merge(branch);

    expect(body.result).toBe('conflicts');
    expect(body.conflicts?.map(({ kind, id, field }) => [kind, id, field]).sort()).toEqual(
      [
        ['file', named?.id, 'name'],
        ['file', gone?.id, 'node'],
      ].sort(),
    );
    expect(await listFileNames('/content/files')).toEqual(['ours']);
  });
});

test('writes the pages and files of one batch together or not at all', async () => {
  const createPageAndFileChanges = (page: string) => [
    { operation: 'insert_files', files: [createPixel('a.png')] },
    insertPage('A page'),
    { operation: 'delete_page', page },
  ];
  expect((await space.edit(createPageAndFileChanges('pg_none'))).status).toBe(404);
  expect(await listFileNames('/content/files')).toEqual([]);
  expect(await space.pages()).toEqual([]);
  const [page = ''] = await space.change([insertPage('Another')]);
  expect(((await space.edit(createPageAndFileChanges(page))).body as LiveEdit).insertedFiles).toHaveLength(1);
  expect(await listFileNames('/content/files')).toEqual(['a.png']);
});
