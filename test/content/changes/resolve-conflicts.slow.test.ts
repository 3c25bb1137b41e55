import { beforeEach, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { Change, SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import { conflict, createConflict, createText, resolve } from './clashing-texts.ts';

let space: SpaceClient;

beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

describe('resolving conflicts', () => {
  test('resolves one conflict of a text by hand and the others by keeping a side', async () => {
    const { page, branch } = await createConflict(space);
    await space.update(branch);
    await space.change([writePage(page, createText('both', conflict('mine 2', 'two', 'live 2').trimEnd()))], branch);
    expect(await space.undecided(branch)).toMatchObject([{ id: page, field: 'document' }]);
    await space.change([resolve(page, 'live')], branch);

    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).markdown).toBe(createText('both', 'live 2'));
  });

  test('rejects a text that the same batch has already written', async () => {
    const { page, branch } = await createConflict(space);
    await space.update(branch);
    const byHand = writePage(page, createText('both', conflict('mine 2', 'two', 'live 2').trimEnd()));

    const response = await space.edit([byHand, resolve(page, 'live')], branch);
    expect(response).toMatchObject({ status: 409, body: { error: { issues: [{ path: 'body.changes.1.field' }] } } });
  });

  test('rejects a text with incomplete conflict markers and leaves it unchanged', async () => {
    const { page, branch } = await createConflict(space);
    await space.update(branch);
    const stray = `${createText('both', 'both 2')}>>>>>>> main\n`;
    await space.change([writePage(page, stray)], branch);

    const response = await space.edit([resolve(page, 'mine')], branch);
    expect(response).toMatchObject({ status: 409, body: { error: { issues: [{ path: 'body.changes.0.keep' }] } } });
    expect((await space.merge(branch)).status).toBe(409);
    expect((await space.page(page, branch)).markdown).toBe(stray);
  });

  test.each<[string, (page: string) => Change, string]>([
    ['the field itself, to its current value', (page) => ({ operation: 'update_page', page, title: 'Mine' }), 'Mine'],
    ['the field itself, to another value', (page) => ({ operation: 'update_page', page, title: 'Both' }), 'Both'],
    ['the frontmatter of a text', (page) => writePage(page, '---\ntitle: Both\n---\ntext\n'), 'Both'],
    ['the whole page', (page) => ({ operation: 'revert_page', page }), 'Live'],
  ])('are resolved by a change that sets %s', async (_what, change, title) => {
    const [page = ''] = await space.change([insertPage('Page')]);
    const branch = await space.open();
    await space.change([{ operation: 'update_page', page, title: 'Mine' }], branch);
    await space.change([{ operation: 'update_page', page, title: 'Live' }]);
    await space.update(branch);
    await space.change([{ operation: 'update_page', page, emoji: '1f600' }], branch);
    expect((await space.merge(branch)).status).toBe(409);
    await space.change([change(page)], branch);

    expect(await space.undecided(branch)).toEqual([]);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.page(page)).title).toBe(title);
  });

  test('moving the page resolves its conflict', async () => {
    const [page = '', a = '', b = ''] = await space.change([insertPage('Page'), insertPage('A'), insertPage('B')]);
    const branch = await space.open();
    await space.change([{ operation: 'update_page', page, into: a }], branch);
    await space.change([{ operation: 'update_page', page, into: b }]);
    await space.update(branch);
    expect((await space.merge(branch)).status).toBe(409);
    await space.change([{ operation: 'update_page', page, into: null, at: 0 }], branch);

    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.pages()).map(({ id }) => id)).toEqual([page, a, b]);
  });

  test('deleting the page resolves its conflict', async () => {
    const { page, branch } = await createConflict(space);
    await space.update(branch);
    await space.change([{ operation: 'delete_page', page }], branch);

    expect((await space.merge(branch)).body.result).toBe('merge');
    expect(await space.pages()).toEqual([]);
  });

  test('rejects deleting a page while the change request has its own pages below it', async () => {
    const [page = ''] = await space.change([insertPage('Page')]);
    const branch = await space.open();
    const [child = ''] = await space.change([insertPage('Child', { into: page })], branch);
    await space.change([{ operation: 'update_page', page, title: 'Mine' }], branch);
    await space.change([{ operation: 'delete_page', page }]);
    await space.update(branch);

    const response = await space.edit([resolve(page, 'live', 'node')], branch);
    expect(response).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining(child) } } });
    await space.change([{ operation: 'update_page', page: child, into: null }, resolve(page, 'live', 'node')], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect((await space.pages()).map(({ id }) => id)).toEqual([child]);
  });

  test('a page created below a page that main deleted conflicts until the parent is restored or the page is deleted', async () => {
    for (const [keep, titles] of [
      ['mine', ['Gone', 'New']],
      ['live', []],
    ] as const) {
      const [gone = ''] = await space.change([insertPage('Gone')]);
      const branch = await space.open();
      const [newPage = ''] = await space.change([insertPage('New', { into: gone })], branch);
      await space.change([{ operation: 'delete_page', page: gone }]);
      expect((await space.update(branch)).body).toMatchObject({ conflicts: [{ id: newPage, field: 'parent' }] });
      await space.change([resolve(newPage, keep, 'parent')], branch);
      expect((await space.merge(branch)).body.result).toBe('merge');
      const pages = await space.pages();
      expect(pages.flatMap(({ title, pages: below = [] }) => [title, ...below.map((each) => each.title)])).toEqual(
        titles,
      );
      if (keep === 'mine') await space.change([{ operation: 'delete_page', page: gone }]);
    }
  });

  test('resolves many conflicts in as many round trips as a single one', async () => {
    const pages = await space.change(Array.from({ length: 20 }, (_, index) => insertPage(`Page ${index}`)));
    const branch = await space.open();
    const changeAllPages = (change: (page: string) => Change) => pages.map(change);
    await space.change(
      changeAllPages((page) => ({
        operation: 'update_page',
        page,
        into: page === pages[0] ? null : pages[0],
        description: 'mine',
      })),
      branch,
    );
    await space.change(changeAllPages((page) => ({ operation: 'delete_page', page })));
    await space.update(branch);
    const [first = '', ...others] = pages;
    const one = await space.edit([resolve(first, 'mine', 'node')], branch);
    const many = await space.edit(
      others.map((page) => resolve(page, 'mine', 'node')),
      branch,
    );

    expect([one.status, many.status]).toEqual([200, 200]);
    expect(many.cost.trips).toBe(one.cost.trips);
    expect(many.cost.trips).toBeLessThanOrEqual(6);
    expect((await space.merge(branch)).body.result).toBe('merge');
  });

  test('leaves conflicts of other fields of the page unresolved', async () => {
    const [page = ''] = await space.change([insertPage('Page')]);
    const branch = await space.open();
    const set = (word: string) => ({ operation: 'update_page', page, title: word, slug: word, description: word });
    await space.change([set('mine')], branch);
    await space.change([set('live')]);
    await space.update(branch);
    await space.change([resolve(page, 'mine', 'title'), resolve(page, 'live', 'description')], branch);

    expect((await space.merge(branch)).body.error.conflicts).toMatchObject([{ id: page, field: 'slug' }]);
    await space.change([resolve(page, 'live', 'slug')], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect(await space.page(page)).toMatchObject({ title: 'mine', slug: 'live', description: 'live' });
  });

  test('rejects the whole batch if one of the resolved fields is not in conflict', async () => {
    const { page, branch } = await createConflict(space);
    const expectConflictError = async (change: Change, at?: string) =>
      expect(await space.edit([insertPage('New'), change], at)).toMatchObject({
        status: 409,
        body: { error: { issues: [{ path: 'body.changes.1.field' }] } },
      });
    await expectConflictError(resolve(page, 'mine'), branch);
    await expectConflictError(resolve(page, 'mine'));
    await space.update(branch);
    await expectConflictError(resolve(page, 'mine', 'title'), branch);
    await expectConflictError(resolve(page, 'mine', 'toString'), branch);
    await expectConflictError(resolve('pg_nothing', 'mine'), branch);
    await space.change([resolve(page, 'mine')], branch);
    await expectConflictError(resolve(page, 'live'), branch);

    const unnamed = { operation: 'resolve', field: 'title', keep: 'mine' };
    for (const change of [unnamed, { ...unnamed, page, kind: 'page', id: page }, { ...unnamed, page, keep: 'both' }])
      expect((await space.edit([change], branch)).status).toBe(400);
    expect((await space.pages(branch)).map(({ title }) => title)).toEqual(['Page']);
  });
});
