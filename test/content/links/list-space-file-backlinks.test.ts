import { beforeEach, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { createFiles, createPixel } from '../files/file-client.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, writePage } from '../space-client.ts';
import { createPage, insertLinkingPage } from './link-client.ts';

let space: SpaceClient;
let file: string;
beforeEach(async () => {
  space = getClient(platform(), await platform().makeSpace());
  file = (await createFiles(space, [createPixel('p.png')]))[0]?.id ?? '';
});

interface Backlinks {
  count: number;
  items: { kind: string; page?: { id: string }; versionContext?: { type: string } }[];
  next?: { page: string };
}

const readBacklinks = (query = '') => space.callJson<Backlinks>(`/content/files/${file}/backlinks${query}`);

test('returns each location that uses the file once', async () => {
  const [one = '', two, three] = await space.change([
    insertLinkingPage('One', [`/files/${file}`, `/files/${file}#page=2`]),
    { operation: 'insert_page', title: 'Two', document: { markdown: `{% file src="/files/${file}" %}` } },
    { operation: 'insert_page', title: 'Three', document: { markdown: `---\ncover: ${file}\n---\n` } },
    insertLinkingPage('Four', ['/files/file_none']),
  ]);
  expect((await readBacklinks()).items).toMatchObject(
    [one, two, three].map((id) => ({ kind: 'page', page: { id }, versionContext: { type: 'revision' } })),
  );
  const first = await readBacklinks('?limit=2');
  expect(first.count).toBe(2);
  expect((await readBacklinks(`?limit=2&page=${first.next?.page}`)).items.map(({ page }) => page?.id)).toEqual([three]);
  await space.change([writePage(one, 'None')]);
  expect((await readBacklinks()).items.map(({ page }) => page?.id)).toEqual([two, three]);
});

test('returns 404 for a missing file, and to users without access', async () => {
  expect((await readBacklinks()).items).toEqual([]);
  expect((await space.call('/content/files/file_none/backlinks')).status).toBe(404);
  const page = await createPage(space, insertLinkingPage('P', ['/a']));
  expect((await space.call(`/content/files/${page}/backlinks`)).status).toBe(404);
  const path = `/v1/spaces/${space.space}/content/files/${file}/backlinks`;
  expect((await platform().request(path, await platform().makeUser({}))).status).toBe(404);
});
