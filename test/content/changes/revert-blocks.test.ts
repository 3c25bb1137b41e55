import { beforeEach, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { clientOf, writePage } from '../space-client.ts';

let space: SpaceClient;
const before = '# Guide\n\nOne.\n\nTwo.\n\nThree.\n';
const changed = '# Guide\n\nOne!\n\nTwo.\n\nThree!\n\nFour.\n';

beforeEach(async () => {
  const server = platform();
  space = clientOf(server, await server.makeSpace());
});

interface Keyed {
  key: string;
}

/** A page, changed in a change request, and the keys of its blocks there. */
async function seed() {
  const [page = ''] = await space.change([{ operation: 'insert_page', document: { markdown: before } }]);
  const branch = await space.open();
  await space.change([writePage(page, changed)], branch);
  const path = `/change-requests/${branch}/content/page/${page}?format=document`;
  const { document } = await space.ok<{ document: { data: { title: Keyed }; nodes: Keyed[] } }>(path);
  return { page, branch, keys: [document.data.title, ...document.nodes].map(({ key }) => key) };
}

const revert = (page: string, block: (string | undefined)[], more: object = {}) => ({
  operation: 'revert_page',
  page,
  block,
  ...more,
});

test('sets single blocks back to the base of the change request', async () => {
  const { page, branch, keys } = await seed();

  const { status } = await space.edit([revert(page, [keys[1], keys[4]])], branch);

  expect(status).toBe(200);
  expect((await space.page(page, branch)).markdown).toBe('# Guide\n\nOne.\n\nTwo.\n\nThree!\n');
});

test('undoes a part of what the list of changes tells, by the keys of the document as it is now', async () => {
  const { page, branch, keys } = await seed();
  const told = () =>
    space.ok<{ changes: { type: string; attributes: { document: { diff: string } } }[] }>(
      `/change-requests/${branch}/changes`,
    );
  const lines = async () => {
    const [change] = (await told()).changes;
    return (change?.attributes.document.diff ?? '').split('\n').filter((line) => /^[+-]/.test(line));
  };
  expect(await lines()).toEqual(['-One.', '+One!', '-Three.', '+Three!', '+', '+Four.']);

  await space.change([revert(page, [keys[1]])], branch);

  expect(await lines()).toEqual(['-Three.', '+Three!', '+', '+Four.']);
});

test('sets a block of live content back to a revision that is named', async () => {
  const [page = ''] = await space.change([{ operation: 'insert_page', document: { markdown: before } }]);
  const { id: revision } = await space.head();
  await space.change([writePage(page, changed)]);
  const path = `/revisions/${revision}/page/${page}?format=document`;
  const { document } = await space.ok<{ document: { nodes: { key: string }[] } }>(path);

  await space.change([revert(page, [document.nodes[2]?.key], { revision })]);

  expect((await space.page(page)).markdown).toBe('# Guide\n\nOne!\n\nTwo.\n\nThree.\n\nFour.\n');
});

test('refuses a key that names no block, and writes nothing', async () => {
  const { page, branch, keys } = await seed();

  const { status, body } = await space.edit([revert(page, [keys[1], 'unknown'])], branch);

  expect([status, body.error?.issues]).toEqual([
    400,
    [{ path: 'body.changes.0.block', message: 'names no block of the page: unknown' }],
  ]);
  expect((await space.page(page, branch)).markdown).toBe(changed);
});

test('refuses to revert blocks of a page that the batch has written before', async () => {
  const { page, branch, keys } = await seed();

  const { status, body } = await space.edit([writePage(page, 'Other.\n'), revert(page, [keys[1]])], branch);

  expect([status, body.error?.issues?.[0]?.path]).toEqual([400, 'body.changes.1.block']);
});

test('refuses blocks of a page that was not there', async () => {
  const branch = await space.open();
  const [page = ''] = await space.change([{ operation: 'insert_page', document: { markdown: before } }], branch);

  const { status, body } = await space.edit([revert(page, ['any'])], branch);

  expect([status, body.error?.issues?.[0]?.path]).toEqual([400, 'body.changes.0.block']);
});
