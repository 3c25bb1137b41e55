import { beforeEach, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { Change, SpaceClient } from '../space-client.ts';
import { getClient, insertPage } from '../space-client.ts';
import { resolve } from './clashing-texts.ts';

let space: SpaceClient;

beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

describe('resolving a conflict between positions', () => {
  test.each([
    ['mine', 'parent'],
    ['live', 'place'],
  ])('keeping %s does not move other pages', async (keep, field) => {
    const [top = '', parent = '', page = '', other = ''] = await space.change([
      insertPage('Top', { ref: 'top' }),
      insertPage('Parent', { into: 'top', ref: 'parent' }),
      insertPage('Page'),
      insertPage('Other'),
    ]);
    const branch = await space.open();
    const moveInto = (id: string, parentId: string): Change => ({ operation: 'update_page', page: id, into: parentId });
    const moved = [moveInto(page, parent)];
    const others = [moveInto(top, other), { operation: keep === 'mine' ? 'delete_page' : 'update_page', page: parent }];
    const [mine, live] = keep === 'mine' ? [moved, others] : [[moveInto(top, other), moveInto(page, top)], moved];
    await space.change(mine, branch);
    await space.change(live);
    expect((await space.update(branch)).body.conflicts).toMatchObject([{ id: page, field }]);
    await space.change([resolve(page, keep, field)], branch);

    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).path).toBe('other/top/parent/page');
  });

  test('resolves the position of a page whose new parent is below it in the change request', async () => {
    const [page = '', above = '', other = ''] = await space.change(
      ['Page', 'Above', 'Other'].map((each) => insertPage(each)),
    );
    const branch = await space.open();
    const moveInto = (id: string, parent: string): Change => ({ operation: 'update_page', page: id, into: parent });
    await space.change([moveInto(page, other), moveInto(above, page)], branch);
    await space.change([moveInto(page, above)]);
    await space.update(branch);
    await space.change([resolve(page, 'live', 'place')], branch);

    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).path).toBe('above/page');
  });

  test.each(['mine', 'live'])(
    'a page that keeps its position below a deleted page needs another decision: %s',
    async (keep) => {
      const [parent = '', other = '', page = ''] = await space.change(
        ['Parent', 'Other', 'Page'].map((each) => insertPage(each)),
      );
      const branch = await space.open();
      await space.change([{ operation: 'update_page', page, into: parent }], branch);
      await space.change([
        { operation: 'update_page', page, into: other },
        { operation: 'delete_page', page: parent },
      ]);
      await space.update(branch);
      const getFields = async () => (await space.undecided(branch)).map(({ id, field }) => [id, field]);
      expect(await getFields()).toEqual(
        expect.arrayContaining([
          [page, 'place'],
          [page, 'parent'],
        ]),
      );

      await space.change([resolve(page, 'mine', 'place')], branch);
      expect(await getFields()).toEqual([[page, 'parent']]);
      await space.change([resolve(page, keep, 'parent')], branch);

      expect((await space.merge(branch)).body.result).toBe('merge');
      expect((await space.page(page)).path).toBe(keep === 'mine' ? 'parent/page' : 'other/page');
    },
  );

  test.each(['as listed', 'reversed'])(
    'restores a parent and its child that the change request deleted, in the order: %s',
    async (order) => {
      const [top = '', page = ''] = await space.change([
        insertPage('Top', { ref: 'top' }),
        insertPage('P', { into: 'top' }),
      ]);
      const branch = await space.open();
      await space.change([{ operation: 'delete_page', page: top }], branch);
      await space.change([top, page].map((each) => ({ operation: 'update_page', page: each, title: 'Live' })));
      await space.update(branch);
      const decisions = [resolve(page, 'live', 'node'), resolve(top, 'live', 'node')];
      await space.change(order === 'as listed' ? decisions : decisions.toReversed(), branch);

      expect(await space.undecided(branch)).toEqual([]);
      expect((await space.merge(branch)).body.result).toBe('merge');
      expect((await space.pages()).map(({ title, pages }) => [title, pages?.[0]?.title])).toEqual([['Live', 'Live']]);
    },
  );

  test('a parent that is restored for a page gets its live position', async () => {
    const [top = '', gone = '', page = ''] = await space.change([
      insertPage('Top', { ref: 'top' }),
      insertPage('Gone'),
      insertPage('Page', { into: 'top' }),
    ]);
    const branch = await space.open();
    await space.change(
      [
        { operation: 'delete_page', page: gone },
        { operation: 'update_page', page, description: 'mine' },
      ],
      branch,
    );
    await space.change([
      { operation: 'update_page', page, into: gone },
      { operation: 'update_page', page: top, title: 'Live' },
    ]);
    await space.update(branch);
    await space.change([{ operation: 'delete_page', page: top }], branch);
    await space.change([resolve(page, 'mine', 'parent')], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.pages()).map(({ id, title }) => [id, title])).toEqual([[top, 'Live']]);
  });
});
