import { beforeEach, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, writePage } from '../space-client.ts';

let space: SpaceClient;
const before = '# Guide\n\nOne.\n\nTwo.\n\nThree.\n';
const changed = '# Guide\n\nOne!\n\nTwo.\n\nThree!\n\nFour.\n';

beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

interface Keyed {
  key: string;
}

/** Makes a page, changes it in a change request, and returns the keys of its blocks there. */
async function seed() {
  const [page = ''] = await space.change([{ operation: 'insert_page', document: { markdown: before } }]);
  const branch = await space.open();
  await space.change([writePage(page, changed)], branch);
  const path = `/change-requests/${branch}/content/page/${page}?format=document`;
  const { document } = await space.callJson<{ document: { data: { title: Keyed }; nodes: Keyed[] } }>(path);
  return { page, branch, keys: [document.data.title, ...document.nodes].map(({ key }) => key) };
}

const revert = (page: string, block: (string | undefined)[], more: object = {}) => ({
  operation: 'revert_page',
  page,
  block,
  ...more,
});

test('restores single blocks from the base of the change request', async () => {
  const { page, branch, keys } = await seed();

  const { status } = await space.edit([revert(page, [keys[1], keys[4]])], branch);

  expect(status).toBe(200);
  expect((await space.page(page, branch)).markdown).toBe('# Guide\n\nOne.\n\nTwo.\n\nThree!\n');
});

test('reverts some of the listed changes, by the block keys of the current document', async () => {
  const { page, branch, keys } = await seed();
  const readChanges = () =>
    space.callJson<{ changes: { type: string; attributes: { document: { diff: string } } }[] }>(
      `/change-requests/${branch}/changes`,
    );
  const readChangedLines = async () => {
    const [change] = (await readChanges()).changes;
    return (change?.attributes.document.diff ?? '').split('\n').filter((line) => /^[+-]/.test(line));
  };
  expect(await readChangedLines()).toEqual(['-One.', '+One!', '-Three.', '+Three!', '+', '+Four.']);

  await space.change([revert(page, [keys[1]])], branch);

  expect(await readChangedLines()).toEqual(['-Three.', '+Three!', '+', '+Four.']);
});

test('restores a block of live content to its state in a given revision', async () => {
  const [page = ''] = await space.change([{ operation: 'insert_page', document: { markdown: before } }]);
  const { id: revision } = await space.head();
  await space.change([writePage(page, changed)]);
  const path = `/revisions/${revision}/page/${page}?format=document`;
  const { document } = await space.callJson<{ document: { nodes: { key: string }[] } }>(path);

  await space.change([revert(page, [document.nodes[2]?.key], { revision })]);

  expect((await space.page(page)).markdown).toBe('# Guide\n\nOne!\n\nTwo.\n\nThree.\n\nFour.\n');
});

test('rejects an unknown block key and writes nothing', async () => {
  const { page, branch, keys } = await seed();

  const { status, body } = await space.edit([revert(page, [keys[1], 'unknown'])], branch);

  expect([status, body.error?.issues]).toEqual([
    400,
    [{ path: 'body.changes.0.block', message: 'must be a block of the page: unknown' }],
  ]);
  expect((await space.page(page, branch)).markdown).toBe(changed);
});

test('rejects blocks of a page that the batch has already written', async () => {
  const { page, branch, keys } = await seed();

  const { status, body } = await space.edit([writePage(page, 'Other.\n'), revert(page, [keys[1]])], branch);

  expect([status, body.error?.issues?.[0]?.path]).toEqual([400, 'body.changes.1.block']);
});

test('rejects blocks of a page that did not exist', async () => {
  const branch = await space.open();
  const [page = ''] = await space.change([{ operation: 'insert_page', document: { markdown: before } }], branch);

  const { status, body } = await space.edit([revert(page, ['any'])], branch);

  expect([status, body.error?.issues?.[0]?.path]).toEqual([400, 'body.changes.0.block']);
});
