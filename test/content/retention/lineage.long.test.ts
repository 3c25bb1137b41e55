import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform } from '../../support/own-platform.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { createFiles, createTextFile } from '../files/file-client.ts';
import type { SpaceClient } from '../space-client.ts';
import { flatten, getClient, insertPage, writePage } from '../space-client.ts';
import {
  advanceOneDay,
  ageFiles,
  getObjects,
  getRows,
  queueJob,
  setDeletedDaysAgo,
  waitForAllJobs,
  waitForObjects,
} from './trash.ts';

let server: OwnPlatform;
let organization: TestOrganization;
beforeAll(async () => {
  server = await startOwnPlatform();
  organization = await server.makeOrganization();
});
afterAll(() => server?.remove());

interface Full extends TestSpace {
  client: SpaceClient;
}

const make = async (title: string): Promise<Full> => {
  const space = await server.makeSpace({ organization, title });
  return { ...space, client: getClient(server, space) };
};

async function getCopy({ client }: Full): Promise<Full> {
  const copy = await client.callJson<TestSpace>('/duplicate', { method: 'POST' });
  const token = organization.token;
  return { ...copy, token, client: getClient(server, { id: copy.id, token }) };
}

/** Returns everything a reader can see: pages with their texts, and files with their bytes. */
async function getContent({ client }: Full): Promise<unknown> {
  const pages = await Promise.all(
    flatten(await client.pages()).map(({ id }) =>
      client.callJson<{ title: string; markdown: string }>(`/content/page/${id}?format=markdown`),
    ),
  );
  const { items } = await client.callJson<{ items: { name: string; downloadURL: string }[] }>('/content/files');
  const files = await Promise.all(
    items.map(async ({ name, downloadURL }) => [name, await (await fetch(downloadURL)).text()]),
  );
  return { pages: pages.map(({ title, markdown }) => [title, markdown]).toSorted(), files: files.toSorted() };
}

async function purge(...spaces: Full[]): Promise<void> {
  await waitForAllJobs(server);
  for (const { id } of spaces) await setDeletedDaysAgo(server, id, 8);
  await ageFiles(server, 2);
  await advanceOneDay(server);
}

const getVersions = ({ id }: TestSpace): number =>
  queryDatabase<{ count: number }>(server.dataDir, 'SELECT COUNT(*) AS count FROM versions WHERE branch = ?', id)[0]
    ?.count ?? -1;

test('a purge keeps the content that a copy reads until the copy is deleted, and nothing else', async () => {
  const [rows, objects] = [getRows(server), getObjects(server)];
  const source = await make('The source');
  const [page = ''] = await source.client.change([insertPage('Read'), insertPage('Gone')]);
  await source.client.change([writePage(page, 'as it was copied\n')]);
  await createFiles(source.client, [createTextFile('read.txt', 'read by the copy')]);
  const copy = await getCopy(source);
  await source.client.change([writePage(page, 'written later\n'), insertPage('Later')]);
  await createFiles(source.client, [createTextFile('later.txt', 'uploaded later')]);
  const change = await source.client.open();
  await source.client.change([insertPage('Never merged')], change);
  const read = await getContent(copy);
  expect(read).toMatchObject({ files: [['read.txt', 'read by the copy']] });
  expect(JSON.stringify(read)).toContain('as it was copied');

  await purge(source);

  expect(await getContent(copy)).toEqual(read);
  expect(getVersions(source)).toBe(3);
  await waitForObjects(server, objects + 1);
  const texts = queryDatabase<{ markdown: string }>(server.dataDir, 'SELECT markdown FROM documents').map(
    (row) => row.markdown,
  );
  expect(texts.join()).not.toMatch(/written later|Never merged/);
  await copy.client.change([writePage(page, 'changed in the copy\n')]);

  await purge(copy);

  expect(getVersions(source)).toBe(0);
  expect(getRows(server)).toEqual(rows);
  await waitForObjects(server, objects);
});

test.each([[['a', 'b', 'c']], [['b', 'a', 'c']], [['c', 'b', 'a']], [['b', 'c', 'a']]] as const)(
  'keeps content that a copy of a copy reads from both spaces, deleted in the order: %j',
  async (order) => {
    const [rows, objects] = [getRows(server), getObjects(server)];
    const a = await make('a');
    const [page = ''] = await a.client.change([insertPage('From a')]);
    await createFiles(a.client, [createTextFile('a.txt', 'bytes of a')]);
    const b = await getCopy(a);
    await b.client.change([insertPage('From b'), writePage(page, 'written in b\n')]);
    await createFiles(b.client, [createTextFile('b.txt', 'bytes of b')]);
    const c = await getCopy(b);
    await c.client.change([insertPage('From c')]);
    await a.client.change([writePage(page, 'a goes on\n')]);
    await waitForAllJobs(server);
    const spaces = { a, b, c };
    const left = new Set<keyof typeof spaces>(['a', 'b', 'c']);
    const contents = { a: await getContent(a), b: await getContent(b), c: await getContent(c) };

    for (const name of order) {
      await purge(spaces[name]);
      left.delete(name);
      for (const other of left) expect([other, await getContent(spaces[other])]).toEqual([other, contents[other]]);
    }

    expect(getRows(server)).toEqual(rows);
    await waitForObjects(server, objects);
  },
);

test('releases content that a copy reads once the copy is flattened', async () => {
  const source = await make('The source');
  await source.client.change([insertPage('Read')]);
  const copy = await getCopy(source);
  await purge(source);
  expect(getVersions(source)).toBe(1);

  await queueJob(server, copy.id, { type: 'flatten_space', data: {} });
  await waitForAllJobs(server);

  expect(getVersions(source)).toBe(0);
  await purge(copy);
});
