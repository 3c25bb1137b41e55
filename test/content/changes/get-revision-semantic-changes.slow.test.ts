import { beforeEach, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';

interface Changes {
  changes: { type: string; page?: { id: string; title: string }; [key: string]: unknown }[];
  more?: number;
  mergedFrom?: { id: string; subject: string };
}

let space: SpaceClient;

beforeEach(async () => {
  space = getClient(platform(), await platform().makeSpace());
});

const getChanges = (revision: string, more = '') => space.callJson<Changes>(`/revisions/${revision}/changes${more}`);
const getHeadChanges = async (branch?: string) => getChanges((await space.head(branch)).id);
const summarizeChanges = ({ changes }: Changes) => changes.map(({ type, page }) => [type, page?.title]);

test('the first revision of a space has no changes', async () => {
  expect(await getHeadChanges()).toEqual({ changes: [] });
});

test('returns only the changes made in the requested revision', async () => {
  const [page = '', other = ''] = await space.change([insertPage('One'), insertPage('Two')]);
  const changes = await getHeadChanges();
  await space.change([
    { ...writePage(page, 'New words.\n'), title: 'Uno', emoji: '🎉' },
    { operation: 'update_page', page: other, into: page },
    { operation: 'set_variables', variables: { version: '2' } },
    { operation: 'insert_reusable_content', title: 'Shared', document: { markdown: 'x' } },
  ]);
  const edited = await getHeadChanges();
  await space.change([{ operation: 'delete_page', page: other }]);

  expect(summarizeChanges(changes)).toEqual(
    [page, other].sort().map((id) => ['page_created', id === page ? 'One' : 'Two']),
  );
  expect(edited.changes).toHaveLength(4);
  expect(edited.changes).toEqual(
    expect.arrayContaining([
      {
        type: 'page_edited',
        page: { id: page, type: 'document', title: 'Uno' },
        attributes: {
          title: { before: 'One', after: 'Uno' },
          emoji: { after: '🎉' },
          document: {
            before: expect.any(String),
            after: expect.any(String),
            added: 1,
            removed: 1,
            diff: '@@ -1,1 +1,1 @@\n-One\n+New words.\n',
          },
        },
      },
      {
        type: 'page_moved',
        page: { id: other, type: 'document', title: 'Two' },
        parent: { after: { id: page, type: 'document', title: 'Uno' } },
      },
      { type: 'variables_edited', variables: { before: {}, after: { version: '2' } } },
      {
        type: 'reusable_content_created',
        reusableContent: { id: expect.any(String), title: 'Shared', document: expect.any(String) },
        attributes: {
          document: {
            after: expect.any(String),
            added: 1,
            removed: 0,
            diff: '@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n',
          },
        },
      },
    ]),
  );
  expect(summarizeChanges(await getHeadChanges())).toEqual([['page_deleted', 'Two']]);
});

test('a merge lists the merged changes and their change request', async () => {
  const branch = await space.open();
  const [page = ''] = await space.change([insertPage('In the branch')], branch);
  await space.change([writePage(page, 'Again.\n')], branch);
  await space.change([insertPage('Of main')]);

  expect(summarizeChanges(await getHeadChanges(branch))).toEqual([['page_edited', 'In the branch']]);
  await space.merge(branch);
  const merged = await getHeadChanges();

  expect(summarizeChanges(merged)).toEqual([['page_created', 'In the branch']]);
  expect(merged.mergedFrom).toMatchObject({ id: branch, subject: 'A change' });
});

test('compares the first revision of a change request with its base', async () => {
  const [page = ''] = await space.change([insertPage('A page')]);
  const branch = await space.open();

  expect(summarizeChanges(await getHeadChanges(branch))).toEqual([['page_created', 'A page']]);
  await space.change([writePage(page, 'Mine.\n')], branch);
  expect(summarizeChanges(await getHeadChanges(branch))).toEqual([['page_edited', 'A page']]);
});

test('an update lists the changes from main, but not those of the change request', async () => {
  const [page = ''] = await space.change([insertPage('A page')]);
  const branch = await space.open();
  await space.change([insertPage('Mine')], branch);
  await space.change([writePage(page, 'Of main.\n')]);
  await space.change([insertPage('New on main')]);
  await space.update(branch);

  const { changes } = await getHeadChanges(branch);

  expect(changes.map(({ type, page }) => [type, page?.title]).sort()).toEqual([
    ['page_created', 'New on main'],
    ['page_edited', 'A page'],
  ]);
});

test('counts the changes beyond the limit without listing them', async () => {
  await space.change(Array.from({ length: 7 }, (_, at) => insertPage(`Page ${at}`)));
  const { id } = await space.head();

  const some = await getChanges(id, '?limit=3');

  expect([some.changes.length, some.more]).toEqual([3, 4]);
  expect((await space.call(`/revisions/rev_none/changes`)).status).toBe(404);
});

describe('in a large space', () => {
  const server = platform({ countsRows: true });

  test('costs as much as the revision changed, whatever the size of the space or its history', async () => {
    const own = getClient(server, await server.makeSpace());
    const [page = ''] = await own.change([insertPage('A page')]);
    const measure = async () => {
      await own.change([writePage(page, `Words ${crypto.randomUUID()}\n`)]);
      const { cost } = await own.call(`/revisions/${(await own.head()).id}/changes`);
      return cost;
    };
    const small = await measure();
    for (let batch = 0; batch < 20; batch += 1) {
      await own.change([
        ...Array.from({ length: 40 }, (_, at) => insertPage(`Page ${at}`)),
        writePage(page, `${batch}`),
      ]);
    }
    const large = await measure();

    expect(large.trips).toBe(4);
    expect(small.trips).toBe(4);
    expect(Math.abs(large.read - small.read)).toBeLessThanOrEqual(4);
  });
});
