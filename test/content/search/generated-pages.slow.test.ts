import { callOperator } from '@octavo/platform';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { getSpecs, getText } from '../../publishing/openapi/spec-client.ts';
import { writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { searchOrganization } from '../../support/search.ts';
import { readIndexedSections } from '../../support/search-index.ts';
import type { ReferencePage } from '../computed/reference-space.ts';
import { createLibrary, createOperation } from '../computed/reference-space.ts';
import { insertPage } from '../space-client.ts';
import { makeSearchedSite } from './searched-site.ts';

let world: Awaited<ReturnType<typeof makeSearchedSite>>;

beforeEach(async () => {
  world = await makeSearchedSite();
});

test('finds the generated pages of a specification by their text, in all searches', async () => {
  await world.insert();
  const tree = await world.indexed();

  expect(tree.map(({ path }) => path)).toEqual(['books', 'books/loans', 'health', 'webhooks', 'models']);
  const books = tree.find(({ path }) => path === 'books');
  for (const search of Object.values(world.ways)) {
    for (const words of ['list books', 'what is lent', 'addBook', 'Books All of them'])
      expect((await search(words, world.organization.token))[0]?.path, words).toBe('books');
    const [book] = await search('list books', world.organization.token);
    expect(book).toMatchObject({ id: books?.id, urls: { app: expect.stringContaining(books?.id ?? '?') } });
    expect(book?.sections?.[0]).toMatchObject({
      title: 'List books',
      path: expect.stringMatching(/^books#./),
      body: 'GET /books listBooks All of them.',
    });
  }
});

test('a section has the anchor of its operation block', async () => {
  await world.insert();
  await world.indexed();
  const [book] = await (world.ways['of the space']?.('addBook') ?? []);
  const page = await world.member.callJson<ReferencePage>(`/content/page/${book?.id}?format=document`);
  const anchors = page.document?.nodes.map(({ meta }) => meta?.id);

  expect(anchors).toContain(book?.sections?.[0]?.id);
});

describe('the index is updated after', () => {
  test('a new version, and no longer contains removed text', async () => {
    await world.insert();
    await world.indexed();
    const tags = [{ name: 'Readers' }];
    const paths = { '/readers': { get: createOperation(['Readers'], 'List readers') } };
    await world.specs.publish('library', getText(createLibrary({ tags, paths, webhooks: {}, components: {} })));

    await world.found('readers', 1);
    for (const words of ['books', 'loans', 'health']) await world.found(words, 0);
    await world.indexed();
  });

  test('a specification that is deleted and created again', async () => {
    await world.insert();
    await world.indexed();
    await world.specs.call('/library', { method: 'DELETE' });
    await world.found('books', 0);

    await world.specs.publish('library', getText(createLibrary()));
    await world.found('lent', 1);
  });

  test('a specification created after its computed page', async () => {
    await world.specs.put('late', { text: 'no specification' });
    await world.specs.read('late');
    await world.insert('late');
    await world.specs.publish('late', getText(createLibrary()));

    await world.found('lent', 1);
  });

  test('the computed page is moved, gets a sibling, or is deleted', async () => {
    const source = await world.insert();
    await world.indexed();
    const [guide = ''] = await world.member.change([insertPage('Guide')]);
    await world.member.change([{ operation: 'update_page', page: source, into: guide }]);
    expect((await world.indexed()).map(({ path }) => path)).toContain('guide/books/loans');

    await world.member.change([{ operation: 'update_page', page: guide, slug: 'manual' }]);
    expect((await world.indexed()).map(({ path }) => path)).toContain('manual/books/loans');

    await world.member.change([{ operation: 'delete_page', page: source }]);
    await world.found('lent', 0);
    const getGenerated = () => readIndexedSections(platform(), world.space.id).filter(({ page }) => page.includes('-'));
    await until(() => getGenerated().length === 0 || undefined);
  });

  test('a sibling takes and releases a slug', async () => {
    await world.insert();
    await world.indexed();
    const [written = ''] = await world.member.change([insertPage('Books')]);
    expect((await world.indexed()).map(({ path }) => path)).toContain('books-2/loans');

    await world.member.change([{ operation: 'update_page', page: written, slug: 'other' }]);
    expect((await world.indexed()).map(({ path }) => path)).toContain('books/loans');
    await world.member.change([{ operation: 'update_page', page: written, slug: 'books' }]);
    await world.indexed();
    await world.member.change([{ operation: 'delete_page', page: written }]);
    expect((await world.indexed()).map(({ path }) => path)).toContain('books/loans');
  });

  test('a second computed page with the same tags is added', async () => {
    await world.specs.publish('second', getText(createLibrary()));
    const [first] = [await world.insert(), await world.insert('second')];
    expect((await world.indexed()).map(({ path }) => path)).toContain('books-2/loans');

    await world.member.change([{ operation: 'delete_page', page: first }]);
    expect((await world.indexed()).map(({ path }) => path)).not.toContain('books-2/loans');
  });

  test('concurrent versions and edits', async () => {
    await world.insert();
    const publishVersion = (count: number) =>
      world.specs.put(
        'library',
        getText(createLibrary({ tags: [{ name: 'Books' }, { name: `Shelf ${count}`, description: 'x' }] })),
      );
    for (let count = 1; count <= 5; count += 1) {
      await Promise.all([
        publishVersion(count),
        world.member.change([insertPage('Books', { slug: `shelf-${count}` })]),
      ]);
    }
    await world.specs.read('library');

    const tree = await world.indexed();
    expect(tree.map(({ path }) => path)).toContain('shelf-5-2');
  });

  test('a rebuild, which restores lost rows', async () => {
    await world.insert();
    await world.indexed();
    for (const table of ['search_segments', 'search_blocks'])
      await writeDatabase(platform(), `DELETE FROM ${table} WHERE organization = ?`, world.organization.id);
    await world.found('lent', 0);
    await callOperator(platform().dataDir, '/search/rebuild', { space: world.space.id });

    await world.found('lent', 1);
    await world.indexed();
  });

  test('a transfer to another organization, and uses the specification there', async () => {
    await world.insert();
    await world.indexed();
    const to = await platform().makeOrganization();
    const paths = { '/x': { get: createOperation([], 'Weigh anchors') } };
    const document = createLibrary({ tags: [], paths, webhooks: {}, components: {} });
    await getSpecs(platform(), to).publish('library', getText(document));
    const member = "INSERT INTO members (organization, user, role, joined_at) VALUES (?, ?, 'admin', 1)";
    await writeDatabase(platform(), member, to.id, world.organization.user);
    const searchItems = async (words: string) => (await searchOrganization(to, words)).items;
    const transferSpace = (id: string) =>
      writeDatabase(platform(), 'UPDATE spaces SET organization = ? WHERE id = ?', id, world.space.id);
    await transferSpace(to.id);
    expect(await searchItems('listBooks')).toEqual([]);
    await transferSpace(world.organization.id);
    const transfer = { token: world.organization.token, body: { organization: to.id } };
    expect((await platform().request(`/v1/spaces/${world.space.id}/transfer`, transfer)).status).toBe(200);

    expect(await searchItems('listBooks')).toEqual([]);
    await vi.waitFor(async () => expect(await searchItems('weigh anchors')).toHaveLength(1), 30_000);
    expect(await searchItems('listBooks')).toEqual([]);
  });
});
