import { beforeEach, describe, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { flatten, getClient, insertPage, writePage } from '../space-client.ts';

let space: SpaceClient;

beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

describe('branches that reject edits', () => {
  test('a merged change request rejects edits, updates and merges', async () => {
    const branch = await space.open();
    await space.change([insertPage('A')], branch);
    await space.merge(branch);

    const results = [
      await space.edit([insertPage('B')], branch),
      await space.update(branch),
      await space.merge(branch),
    ];
    expect(results.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect((await space.pages()).map(({ title }) => title)).toEqual(['A']);
  });

  test('an archived change request rejects edits, updates and merges until it is reopened', async () => {
    const branch = await space.open();
    await space.change([insertPage('A')], branch);
    await space.callJson(`/change-requests/${branch}`, { method: 'PATCH', body: { status: 'archived' } });
    const results = [
      await space.edit([insertPage('B')], branch),
      await space.update(branch),
      await space.merge(branch),
    ];
    expect(results.map(({ status }) => status)).toEqual([409, 409, 409]);

    await space.callJson(`/change-requests/${branch}`, { method: 'PATCH', body: { status: 'open' } });
    expect((await space.merge(branch)).body.result).toBe('merge');
  });

  test('locked live content rejects edits but accepts merges', async () => {
    await space.callJson('', { method: 'PATCH', body: { editMode: 'locked' } });
    const branch = await space.open();
    await space.change([insertPage('A')], branch);

    expect((await space.edit([insertPage('B')])).status).toBe(412);
    expect((await space.merge(branch)).body.result).toBe('merge');
  });
});

describe('a change request behind main', () => {
  /** Makes a page whose second line is changed both in main and in the change request. */
  async function createConflict() {
    const [page = ''] = await space.change([
      { operation: 'insert_page', title: 'Page', document: { markdown: 'one\ntwo\nthree\n' } },
    ]);
    const branch = await space.open();
    await space.change([writePage(page, 'one\nmine\nthree\n')], branch);
    await space.change([writePage(page, 'one\nmain\nthree\n')]);
    return { page, branch };
  }

  test('a conflicting merge changes nothing and lists the conflicts', async () => {
    const { page, branch } = await createConflict();
    const before = await space.head();
    const { status, body } = await space.merge(branch);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      result: 'conflicts',
      conflicts: [{ kind: 'page', id: page, title: 'Page', field: 'document' }],
    });
    expect(body.revision).toBe((await space.head(branch)).id);
    expect(await space.head()).toEqual(before);
  });

  test('an update inserts conflict markers, and no merge is possible until they are resolved', async () => {
    const { page, branch } = await createConflict();
    expect((await space.update(branch)).body).toMatchObject({
      result: 'conflicts',
      conflicts: [{ id: page, field: 'document' }],
    });
    expect((await space.page(page, branch)).markdown).toBe(
      'one\n<<<<<<< change request\nmine\n||||||| base\ntwo\n=======\nmain\n>>>>>>> main\nthree\n',
    );

    const response = await space.merge(branch);
    expect(response.status).toBe(409);
    expect(response.body.error.message).toContain(page);
    await space.change([{ operation: 'update_page', page, title: 'Retitled' }], branch);
    expect((await space.merge(branch)).status).toBe(409);
    await space.change([writePage(page, 'one\nboth\nthree\n')], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect(await space.page(page)).toMatchObject({ title: 'Retitled', markdown: 'one\nboth\nthree\n' });
  });

  test('an update without new changes in main returns the same revision', async () => {
    const branch = await space.open();
    await space.change([insertPage('A')], branch);
    const { id } = await space.head(branch);

    expect((await space.update(branch)).body).toEqual({ revision: id, result: 'update' });
  });

  test('is outdated until it is updated', async () => {
    const branch = await space.open();
    const isOutdated = async () => (await space.callJson<{ outdated: boolean }>(`/change-requests/${branch}`)).outdated;
    expect(await isOutdated()).toBe(false);
    await space.change([insertPage('A')]);
    expect(await isOutdated()).toBe(true);
    await space.update(branch);
    expect(await isOutdated()).toBe(false);
    expect((await space.pages(branch)).map(({ title }) => title)).toEqual(['A']);
  });

  test('a page changed here and deleted in main is a conflict, and the update keeps it', async () => {
    const [page = ''] = await space.change([insertPage('Page')]);
    const branch = await space.open();
    await space.change([writePage(page, 'new')], branch);
    await space.change([{ operation: 'delete_page', page }]);

    expect((await space.merge(branch)).body).toMatchObject({
      result: 'conflicts',
      conflicts: [{ id: page, field: 'node' }],
    });
    expect((await space.update(branch)).body.result).toBe('conflicts');
    expect((await space.page(page, branch)).markdown).toBe('new');
    expect((await space.merge(branch)).status).toBe(409);
  });

  test('moves that place two pages below each other conflict, and the change request can still be read and repaired', async () => {
    const [a = '', b = ''] = await space.change([insertPage('A'), insertPage('B')]);
    const branch = await space.open();
    await space.change([{ operation: 'update_page', page: a, into: b }], branch);
    await space.change([{ operation: 'update_page', page: b, into: a }]);
    expect((await space.merge(branch)).body).toMatchObject({
      result: 'conflicts',
      conflicts: [{ id: a, field: 'parent' }],
    });
    expect((await space.update(branch)).body.result).toBe('conflicts');

    expect((await space.call(`/change-requests/${branch}/content/page/${a}`)).status).toBe(200);
    expect((await space.edit([insertPage('C', { into: a })], branch)).status).toBe(400);
    expect((await space.merge(branch)).status).toBe(409);
    await space.change([{ operation: 'update_page', page: a, into: null }], branch);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect(flatten(await space.pages()).map(({ path }) => path)).toEqual(['a', 'a/b']);
  });

  test('can delete pages that an update placed below each other', async () => {
    const [a = '', b = ''] = await space.change([insertPage('A'), insertPage('B')]);
    const branch = await space.open();
    await space.change([{ operation: 'update_page', page: a, into: b }], branch);
    await space.change([{ operation: 'update_page', page: b, into: a }]);
    await space.update(branch);

    expect((await space.edit([{ operation: 'delete_page', page: a }], branch)).status).toBe(200);
    expect((await space.merge(branch)).body.result).toBe('merge');
    expect(await space.pages()).toEqual([]);
  });
});
