import { beforeEach, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import { resolve } from './clashing-texts.ts';

let space: SpaceClient;

beforeEach(async () => {
  const server = platform();
  space = getClient(server, await server.makeSpace());
});

const listUndecidedFields = async (branch: string) => (await space.undecided(branch)).map(({ field }) => field).sort();

test('a title in conflict does not follow the heading until the conflict is resolved', async () => {
  const [page = ''] = await space.change([{ operation: 'insert_page', document: { markdown: '# One\n' } }]);
  const branch = await space.open();
  await space.change([writePage(page, '# Mine\n')], branch);
  await space.change([{ operation: 'update_page', page, title: 'Live' }]);
  await space.update(branch);
  await space.change([writePage(page, '# Mine too\n')], branch);

  expect((await space.merge(branch)).body.error.conflicts).toMatchObject([{ id: page, field: 'title' }]);
  expect(await listUndecidedFields(branch)).toEqual(['title']);
  expect((await space.page(page, branch)).title).toBe('Mine');
  await space.change([resolve(page, 'live', 'title')], branch);
  expect((await space.merge(branch)).body.result).toBe('merge');
  expect((await space.page(page)).title).toBe('Live');
});

const createText = (description: string) => `---\ntitle: Said\ndescription: ${description}\nicon: said\n---\n\ntext\n`;

/** Makes a page whose fields differ from its frontmatter, with one line changed on both sides. */
async function createConflict() {
  const [page = ''] = await space.change([insertPage('Page', { document: { markdown: createText('one') } })]);
  await space.change([{ operation: 'update_page', page, title: 'By field', icon: 'field' }]);
  const branch = await space.open();
  await space.change([writePage(page, createText('mine'))], branch);
  await space.change([writePage(page, createText('live'))]);
  await space.update(branch);
  expect(await listUndecidedFields(branch)).toEqual(['description', 'document']);
  return { page, branch };
}

test('frontmatter with conflict markers does not count as new when the markers are removed', async () => {
  const { page, branch } = await createConflict();
  await space.change([writePage(page, createText('both'))], branch);

  expect(await listUndecidedFields(branch)).toEqual([]);
  expect((await space.merge(branch)).body.result).toBe('merge');
  expect(await space.page(page)).toMatchObject({ title: 'By field', icon: 'field', description: 'both' });
});

test('frontmatter written by a conflict resolution in the same batch does not count as new', async () => {
  const { page, branch } = await createConflict();
  await space.change([resolve(page, 'mine'), writePage(page, `${createText('mine')}more\n`)], branch);

  expect(await listUndecidedFields(branch)).toEqual(['description']);
  expect(await space.page(page, branch)).toMatchObject({ title: 'By field', icon: 'field', description: 'mine' });
});

test.each([
  ['layout', { width: 'wide' }, { pagination: false }, { outline: false }],
  ['variables', { a: 1 }, { b: 1 }, { c: 1 }],
])('changing another property of a %s in conflict does not resolve the conflict', async (field, mine, live, later) => {
  const [page = ''] = await space.change([insertPage('Page')]);
  const set = (value: object) => [{ operation: 'update_page', page, [field]: value }];
  const branch = await space.open();
  await space.change(set(mine), branch);
  await space.change(set(live));
  await space.update(branch);
  await space.change(set(later), branch);

  expect((await space.merge(branch)).body.error.conflicts).toMatchObject([{ id: page, field }]);
  await space.change([resolve(page, 'live', field)], branch);
  expect((await space.merge(branch)).body.result).toBe('merge');
  expect(await space.page(page)).toMatchObject({ [field]: live });
});

test('live content reverted to a revision with conflicts has nothing to resolve', async () => {
  const [page = ''] = await space.change([insertPage('Page', { document: { markdown: 'one\n' } })]);
  const branch = await space.open();
  const set = (word: string) => [{ ...writePage(page, `${word}\n`), title: word }];
  await space.change(set('mine'), branch);
  await space.change(set('live'));
  await space.update(branch);
  expect(await listUndecidedFields(branch)).toEqual(['document', 'title']);
  await space.change([{ operation: 'revert_page', page, revision: (await space.head(branch)).id }]);

  const other = await space.open();
  await space.change([{ operation: 'update_page', page, description: 'other' }], other);
  expect(await listUndecidedFields(other)).toEqual([]);
  await space.change([{ operation: 'update_page', page, emoji: '1f600' }]);
  expect((await space.merge(other)).body.result).toBe('merge');
  expect(await space.page(page)).toMatchObject({ title: 'mine', description: 'other' });
});
