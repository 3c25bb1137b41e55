import { beforeEach, expect, test } from 'vitest';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { LiveEdit, SpaceClient } from '../space-client.ts';
import { getClient } from '../space-client.ts';

interface Reusable {
  id: string;
  title: string;
  markdown: string;
  document?: string;
}

let newSpace: TestSpace;
let space: SpaceClient;
let id = '';

beforeEach(async () => {
  newSpace = await platform().makeSpace();
  space = getClient(platform(), newSpace);
  const insert = { operation: 'insert_reusable_content', title: 'Shared', document: { markdown: 'Shared words.\n' } };
  const { changes } = await space.callJson<LiveEdit>('/content', { method: 'POST', body: { changes: [insert] } });
  id = changes[0]?.reusableContent ?? '';
});

const read = (place: string) => space.call<Reusable>(`${place}/reusable-contents/${id}`);
const update = (more: object) => ({ operation: 'update_reusable_content', reusableContent: id, ...more });

test('returns reusable content with its text: live, in a change request, at a revision', async () => {
  const { id: first } = await space.head();
  const branch = await space.open();
  await space.change([update({ title: 'Renamed', document: { markdown: 'Of the branch.\n' } })], branch);
  const { id: second } = await space.head(branch);

  expect((await read('/content')).body).toEqual({
    object: 'reusable-content',
    id,
    title: 'Shared',
    markdown: 'Shared words.\n',
    document: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect((await read(`/change-requests/${branch}/content`)).body).toMatchObject({
    title: 'Renamed',
    markdown: 'Of the branch.\n',
  });
  expect((await read(`/revisions/${first}`)).body.title).toBe('Shared');
  expect((await read(`/revisions/${second}`)).body.title).toBe('Renamed');
  expect((await read('/content')).cost.trips).toBe(1);
});

test('returns 404 for deleted, missing or foreign content, and an empty text for empty content', async () => {
  const { id: before } = await space.head();
  await space.change([update({ document: {} })]);
  const empty = await read('/content');
  await space.change([{ operation: 'delete_reusable_content', reusableContent: id }]);
  const other = getClient(platform(), await platform().makeSpace());

  expect([empty.body.markdown, empty.body.document]).toEqual(['', undefined]);
  expect((await read('/content')).status).toBe(404);
  expect((await read(`/revisions/${before}`)).body.markdown).toBe('Shared words.\n');
  expect((await other.call(`/content/reusable-contents/${id}`)).status).toBe(404);
  expect((await space.call(`/content/reusable-contents/rc_none`)).status).toBe(404);
});

test('returns 404 for the ID of a page', async () => {
  const [page = ''] = await space.change([{ operation: 'insert_page', title: 'P', document: { markdown: 'x' } }]);

  expect((await space.call(`/content/reusable-contents/${page}`)).status).toBe(404);
});
