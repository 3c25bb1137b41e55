import { beforeEach, describe, expect, test, vi } from 'vitest';
import { getText } from '../../publishing/openapi/spec-client.ts';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { searchOrganization } from '../../support/search.ts';
import { readIndexedSections } from '../../support/search-index.ts';
import { createLibrary, createOperation, insertComputed } from '../computed/reference-space.ts';
import { insertPage } from '../space-client.ts';
import { makeSearchedSite } from './searched-site.ts';

let world: Awaited<ReturnType<typeof makeSearchedSite>>;

beforeEach(async () => {
  world = await makeSearchedSite();
});

describe('generated pages are hidden from', () => {
  const searchBooks = (token: string) => world.inSite('books', token);

  test('a visitor who does not meet the condition of the computed page or of its parents', async () => {
    const [guide = '', source = ''] = await world.member.change([
      { ...insertPage('Guide'), ref: 'guide' },
      insertComputed('library', { into: 'guide' }),
    ]);
    await world.indexed();
    const [guest, staff] = [world.visit(), world.visit({ staff: true })];
    for (const page of [guide, source]) {
      await vi.waitFor(async () => expect((await searchBooks(guest.token))[0]).not.toEqual([]), 30_000);
      await world.member.change([{ operation: 'update_page', page, condition: 'visitor.claims.staff' }]);
      expect(await searchBooks(guest.token)).toEqual([[], []]);
      await vi.waitFor(async () => {
        for (const book of await searchBooks(staff.token))
          expect(book?.map(({ path }) => path)).toContain('guide/books');
      }, 30_000);
      expect(await searchBooks(guest.token)).toEqual([[], []]);
      await world.member.change([{ operation: 'update_page', page, condition: '' }]);
    }
  });

  test('everyone, if the computed page has noIndex', async () => {
    const source = await world.insert();
    await world.indexed();
    await world.member.change([{ operation: 'update_page', page: source, noIndex: true }]);

    await world.found('books', 0);
  });

  test('a member without access to the space', async () => {
    await world.insert();
    await world.indexed();
    await json(`/v1/spaces/${world.space.id}`, {
      token: world.organization.token,
      method: 'PATCH',
      body: { defaultLevel: 'none' },
    });
    const reader = await platform().makeUser({ organization: world.organization.id, role: 'read' });

    expect((await searchOrganization({ id: world.organization.id, token: reader.token }, 'books')).items).toEqual([]);
    expect((await searchBooks(reader.token))[0]).toEqual([]);
  });
});

test('indexing a version with one changed operation changes only the text of that operation', async () => {
  await world.insert();
  await world.indexed();
  const read = () => readIndexedSections(platform(), world.space.id);
  const before = read();
  const paths = {
    ...createLibrary().paths,
    '/loans': { get: createOperation(['Loans'], 'List loans', { operationId: 'listLoans', description: 'Swift.' }) },
  };
  await world.specs.publish('library', getText(createLibrary({ paths })));
  await world.found('swift', 1);
  const after = read();

  expect(after.map(({ page, anchor }) => [page, anchor])).toEqual(before.map(({ page, anchor }) => [page, anchor]));
  expect(after.filter(({ text }, index) => text !== before[index]?.text)).toHaveLength(1);
});

test('a search in a change request finds generated pages as in live content, if their computed page is in it', async () => {
  const source = await world.insert();
  await world.indexed();
  const branch = await world.member.open();
  const find = (path: string) =>
    world.member.callJson<{ count: number; items: { path: string }[] }>(`${path}?query=books`);
  const searchChangeRequest = () => find(`/change-requests/${branch}/search`);
  await world.member.change([insertPage('Own')], branch);
  const live = await find('/search');

  expect(live.count).toBeGreaterThan(0);
  expect(await searchChangeRequest()).toEqual(live);
  const [shelf] = await world.member.change([insertPage('Guide')], branch);
  await world.member.change([{ operation: 'update_page', page: source, into: shelf }], branch);
  expect((await searchChangeRequest()).items.map(({ path }) => path)).toEqual(
    live.items.map(({ path }) => `guide/${path}`),
  );
  await world.member.change([{ operation: 'update_page', page: source, noIndex: true }], branch);
  expect((await searchChangeRequest()).items).toEqual([]);
  await world.member.change([{ operation: 'delete_page', page: source }], branch);
  expect((await searchChangeRequest()).items).toEqual([]);
  expect(await find('/search')).toEqual(live);
});

test('results without generated pages are not cached while a new version is not indexed yet', async () => {
  await world.insert();
  await world.indexed();
  const count = async () => {
    const resultsByReader = await Promise.all(Object.values(world.ways).map((search) => search('books ')));
    return resultsByReader.map((pages) => pages.filter(({ id }) => id.includes('-')).length);
  };
  const before = await count();
  const { id } = world.space;
  const [{ version = '' } = {}] = query<{ version: string }>(
    'SELECT version FROM search_made_pages WHERE space = ? LIMIT 1',
    id,
  );
  await writeDatabase(platform(), "UPDATE search_made_pages SET version = 'former' WHERE space = ?", id);
  expect(await count()).toEqual(before.map(() => 0));
  await writeDatabase(platform(), 'UPDATE search_made_pages SET version = ? WHERE space = ?', version, id);

  expect(Math.min(...before)).toBeGreaterThan(0);
  expect(await count()).toEqual(before);
});
