import { beforeAll, expect, test } from 'vitest';
import { expectPaging } from '../../support/paging.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage, type LiveEdit, type SpaceClient } from '../space-client.ts';

interface Deleted {
  kind: 'page' | 'file';
  id: string;
  title: string;
  revision: string;
}

const server = platform({ countsRows: true });
let space: TestSpace;
let client: SpaceClient;
let author: string;

const list = async () => (await client.callJson<{ items: Deleted[] }>('/trash')).items;
const deletePage = (page: string) => client.change([{ operation: 'delete_page', page }]);

async function addFile(name: string): Promise<string> {
  const files = [{ name, base64: 'aGVsbG8=', contentType: 'text/plain' }];
  const { body } = await client.edit([{ operation: 'insert_files', files }]);
  return (body as LiveEdit).insertedFiles?.[0]?.id ?? '';
}

beforeAll(async () => {
  const organization = await server.makeOrganization();
  author = organization.user;
  space = await server.makeSpace({ organization });
  client = getClient(server, space);
});

test('lists deleted pages and files with their last revision, the last deleted first', async () => {
  const [guide = ''] = await client.change([insertPage('Guide')]);
  const [step = ''] = await client.change([insertPage('Step', { into: guide })]);
  const file = await addFile('notes.txt');
  const { id: revision } = await client.head();
  await deletePage(guide);
  const { id: next } = await client.head();
  await client.change([{ operation: 'delete_file', file }]);

  const [first, ...pages] = await list();
  expect(first).toMatchObject({
    object: 'deleted-content',
    kind: 'file',
    id: file,
    title: 'notes.txt',
    revision: next,
  });
  expect(first).toMatchObject({ deletedBy: { object: 'user', id: author } });
  expect(pages).toHaveLength(2);
  expect(pages.find(({ id }) => id === step)).toMatchObject({ kind: 'page', title: 'Step', parent: guide, revision });
  expect(pages.find(({ id }) => id === guide)).toMatchObject({ title: 'Guide', type: 'document', revision });
});

test('restored pages and files leave the list', async () => {
  const [page = ''] = await client.change([insertPage('Restored')]);
  const file = await addFile('restored.txt');
  await client.change([
    { operation: 'delete_page', page },
    { operation: 'delete_file', file },
  ]);
  const [one, other] = await list();
  expect([one?.id, other?.id].sort()).toEqual([file, page].sort());
  await client.change([
    { operation: 'revert_page', page, revision: one?.revision },
    { operation: 'revert_file', file, revision: other?.revision },
  ]);

  expect((await list()).map(({ id }) => id)).not.toContain(page);
  expect((await list()).map(({ id }) => id)).not.toContain(file);
  expect(await client.page(page)).toMatchObject({ title: 'Restored' });
  expect(await client.callJson(`/content/files/${file}`)).toMatchObject({ name: 'restored.txt' });
});

test('a file is reverted to an earlier state, also in a change request', async () => {
  const file = await addFile('first.txt');
  const { id: revision } = await client.head();
  await client.change([{ operation: 'update_file', file, name: 'second.txt' }]);
  const branch = await client.open();
  await client.change([{ operation: 'update_file', file, name: 'third.txt' }], branch);
  const getName = async () =>
    (await client.callJson<{ name: string }>(`/change-requests/${branch}/content/files/${file}`)).name;
  await client.change([{ operation: 'revert_file', file }], branch);
  expect(await getName()).toBe('second.txt');
  await client.change([{ operation: 'revert_file', file, revision }], branch);
  expect(await getName()).toBe('first.txt');

  const { status, body } = await client.edit([{ operation: 'revert_file', file }]);
  expect([status, body.error.issues]).toEqual([
    400,
    [{ path: 'body.changes.0.revision', message: 'is required in live content' }],
  ]);
});

test('a file that did not exist in the revision is deleted', async () => {
  const { id: revision } = await client.head();
  const file = await addFile('new.txt');
  await client.change([{ operation: 'revert_file', file, revision }]);

  expect((await client.call(`/content/files/${file}`)).status).toBe(404);
});

test('the list of a copy contains only what was deleted from the copy', async () => {
  const [page = ''] = await client.change([insertPage('Copied')]);
  const { id } = await client.callJson<{ id: string }>('/duplicate', { method: 'POST' });
  const copy = getClient(server, { id, token: space.token });
  expect(await copy.callJson('/trash')).toEqual({ count: 0, items: [] });
  await copy.change([{ operation: 'delete_page', page }]);

  expect(await copy.callJson('/trash')).toMatchObject({ items: [{ id: page, title: 'Copied' }] });
});

test('can be paged', async () => {
  const add = async () => deletePage((await client.change([insertPage('Short')]))[0] ?? '');
  await expectPaging(`/v1/spaces/${space.id}/trash`, space.token, add, server);
});

test('costs the same in a larger space', async () => {
  const before = await client.call('/trash?limit=2');
  const more = await client.change(Array.from({ length: 30 }, () => insertPage('More')));
  await client.change(more.slice(0, 20).map((page) => ({ operation: 'delete_page', page })));

  expect((await client.call('/trash?limit=2')).cost).toEqual(before.cost);
  expect(before.cost.trips).toBe(1);
});

test('is hidden from members who cannot edit', async () => {
  const getStatus = async (role: string) => {
    const { token } = await server.makeUser({ organization: space.organization, role });
    return (await server.request(`/v1/spaces/${space.id}/trash`, { token })).status;
  };
  const stranger = await server.makeUser();

  expect([await getStatus('comment'), await getStatus('edit')]).toEqual([403, 200]);
  expect((await server.request(`/v1/spaces/${space.id}/trash`, { token: stranger.token })).status).toBe(404);
});
