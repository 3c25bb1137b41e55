import { beforeEach, describe, expect, test } from 'vitest';
import { insertPage } from '../space-client.ts';
import type { ReferencePage, ReferenceSpace } from './reference-space.ts';
import { createLibrary, insertComputed, listAllPages, makeReferenceSpace } from './reference-space.ts';

let reference: ReferenceSpace;

beforeEach(async () => {
  reference = await makeReferenceSpace();
});

const describeTree = (pages: ReferencePage[]): unknown[] =>
  pages.map(({ title, slug, pages: below = [] }) =>
    below.length === 0 ? [title, slug] : [title, slug, describeTree(below)],
  );

const listPaths = (pages: ReferencePage[]) => listAllPages(pages).map(({ path }) => path);

async function insert(spec = 'library', more: Record<string, unknown> = {}): Promise<string> {
  const [id = ''] = await reference.space.change([insertComputed(spec, more)]);
  return id;
}

describe('a computed page', () => {
  test('is replaced by the pages of its specification', async () => {
    await reference.publish('library', createLibrary());
    await reference.space.change([insertPage('Before')]);
    await insert();
    await reference.space.change([insertPage('After')]);

    expect(describeTree(await reference.tree())).toEqual([
      ['Before', 'before'],
      ['Books', 'books', [['Loans', 'loans']]],
      ['Health', 'health'],
      ['Webhooks', 'webhooks'],
      ['Models', 'models'],
      ['After', 'after'],
    ]);
    expect((await reference.tree('?depth=0')).map(({ title }) => title)).toContain('Books');
  });

  test('is returned as a page itself if generated pages are not requested', async () => {
    await reference.publish('library', createLibrary());
    const id = await insert();

    expect(await reference.tree('?computed=false')).toMatchObject([{ id, type: 'computed', title: 'Reference' }]);
    expect(await reference.read(id)).toMatchObject({ id, type: 'computed' });
  });

  test('has no generated pages before its specification is processed and after it is deleted', async () => {
    await reference.specs.put('broken', { text: 'no specification' });
    await reference.specs.read('broken');
    await insert('broken');

    expect(await reference.tree()).toEqual([]);
    await reference.publish('broken', createLibrary());
    expect(await reference.tree()).toHaveLength(4);
    await reference.specs.call('/broken', { method: 'DELETE' });
    expect(await reference.tree()).toEqual([]);
  });

  test('has no pages for models unless it requests them', async () => {
    await reference.publish('library', createLibrary());
    const [id = ''] = await reference.space.change([
      {
        ...insertComputed('library'),
        computed: { type: 'builtin:openapi', dependencies: { spec: { ref: { kind: 'openapi', spec: 'library' } } } },
      },
    ]);

    expect(id).not.toBe('');
    expect((await reference.tree()).map(({ title }) => title)).toEqual(['Books', 'Health', 'Webhooks']);
  });

  test.each([
    ['of an unknown specification', { spec: { ref: { kind: 'openapi', spec: 'other' } } }],
    ['of an unknown type', { spec: { ref: { kind: 'url', url: 'https://example.test' } } }],
    ['without a slug', { spec: { ref: { kind: 'openapi' } } }],
    ['without a reference', {}],
  ])('is rejected if it is %s', async (_, dependencies) => {
    const computed = { type: 'builtin:openapi', props: { models: true }, dependencies };
    const { status, body } = await reference.space.edit([{ ...insertComputed('x'), computed }]);

    expect(status).toBe(400);
    expect(body.error.issues?.[0]?.path).toMatch(/^body\.changes\.0\.computed\.dependencies\.spec/);
  });

  test('cannot use specifications of other organizations', async () => {
    const other = await makeReferenceSpace();
    await other.publish('library', createLibrary());

    expect((await reference.space.edit([insertComputed('library')])).status).toBe(400);
  });
});

describe('a generated page of a specification', () => {
  beforeEach(async () => {
    await reference.publish('library', createLibrary());
  });

  const findBook = async () => (await reference.tree()).find(({ title }) => title === 'Books');

  test('names its source', async () => {
    const id = await insert();
    const { id: spec, lastVersion } = await reference.specs.get('library');
    const book = await findBook();

    expect(book).toMatchObject({
      type: 'document',
      computed: {
        type: 'builtin:openapi',
        props: { doc: 'operations', page: 'books' },
        dependencies: {
          spec: {
            ref: { kind: 'openapi', spec: 'library' },
            value: { object: 'openapi-spec', id: spec, slug: 'library', lastVersion },
          },
        },
      },
      computedSeed: id,
      urls: { app: expect.stringContaining(book?.id ?? '?') },
    });
    expect(book).not.toHaveProperty('documentId');
    expect(book?.pages?.[0]).toMatchObject({ description: 'Who has what', path: 'books/loans' });
  });

  test('can be read by ID and by path, with its children', async () => {
    await insert();
    const book = await findBook();
    const [loans] = book?.pages ?? [];

    const byPath = await reference.at('books');
    expect(byPath).toMatchObject({ id: book?.id, pages: [{ id: loans?.id }] });
    expect(await reference.read(book?.id ?? '')).toEqual(byPath);
    expect(await reference.at('books/loans')).toEqual(await reference.read(loans?.id ?? ''));
    expect((await reference.at('books', '?depth=0')).pages).toEqual([]);
  });

  test('is not found if generated pages are not requested', async () => {
    await insert();
    const book = await findBook();

    for (const path of [`/content/page/${book?.id}`, '/content/path/books']) {
      expect((await reference.get(`${path}?computed=false`)).status).toBe(404);
      expect((await reference.get(path)).status).toBe(200);
    }
    for (const path of ['/content/page/pg_1-2', '/content/path/books/other', '/content/path/books/loans/other']) {
      expect((await reference.get(path)).status).toBe(404);
    }
  });

  test('is below the parent of its computed page', async () => {
    const [guide = '', part = ''] = await reference.space.change([
      { ...insertPage('Guide'), ref: 'guide' },
      { ...insertPage('Part'), into: 'guide', ref: 'part' },
      insertComputed('library', { into: 'part' }),
    ]);

    expect(listPaths(await reference.tree())).toContain('guide/part/books/loans');
    expect(await reference.at('guide/part/books/loans')).toMatchObject({
      title: 'Loans',
      path: 'guide/part/books/loans',
    });
    expect(listPaths((await reference.read(guide)).pages ?? [])).toContain('guide/part/books');
    expect(listPaths((await reference.read(part)).pages ?? [])).toContain('guide/part/models');
    expect(listPaths((await reference.read(guide, '?computed=false')).pages ?? [])).toEqual(['guide/part', undefined]);
  });

  test('loses its slug to a written page with the same slug', async () => {
    await insert();
    const before = await findBook();
    await reference.space.change([insertPage('Books')]);
    const after = (await reference.tree()).filter(({ title }) => title === 'Books');

    expect(after.map(({ slug }) => slug)).toEqual(['books-2', 'books']);
    expect(after[0]?.id).toBe(before?.id);
    expect(await reference.at('books')).toMatchObject({ id: after[1]?.id });
    expect(await reference.at('books-2/loans')).toMatchObject({ title: 'Loans' });
    expect(await reference.read(before?.id ?? '')).toMatchObject({ path: 'books-2' });
  });

  test('has a path that differs from those of other computed pages', async () => {
    await reference.publish('second', createLibrary());
    await insert('library');
    await insert('second');

    const pagePaths = listPaths(await reference.tree());
    expect(new Set(pagePaths).size).toBe(pagePaths.length);
    expect(pagePaths).toContain('books-2/loans');
    expect(await reference.at('books-2')).toMatchObject({
      computed: { dependencies: { spec: { ref: { spec: 'second' } } } },
    });
  });

  test('is hidden if its computed page is hidden', async () => {
    const id = await insert();
    await reference.space.change([{ operation: 'update_page', page: id, hidden: true, noIndex: true }]);

    for (const page of listAllPages(await reference.tree()))
      expect(page).toMatchObject({ hidden: true, noIndex: true });
    expect(await reference.at('books')).toMatchObject({ hidden: true });
  });

  test('keeps its ID and slug across versions, and returns the latest content', async () => {
    await insert();
    const before = await findBook();
    const tags = [{ name: 'New' }, { name: 'Books', description: 'Other' }];
    await reference.publish('library', createLibrary({ tags, info: { title: 'Library', version: '2' } }));
    const after = await findBook();

    expect(after).toMatchObject({ id: before?.id, slug: 'books' });
    expect(after?.computed?.dependencies).not.toEqual(before?.computed?.dependencies);
    expect((await reference.read(before?.id ?? '')).description).toBe('Other');
  });

  test('is in a revision, a change request and a copy of the space', async () => {
    await insert();
    const book = await findBook();
    const branch = await reference.space.open();
    const revision = await reference.space.head();
    const pages = await reference.space.callJson<{ pages: ReferencePage[] }>('/content');

    expect(listPaths(pages.pages)).toContain('books/loans');
    for (const at of [`/change-requests/${branch}/content`, `/revisions/${revision.id}`]) {
      expect(await reference.space.callJson(`${at}/page/${book?.id}`)).toMatchObject({ title: 'Books' });
      expect(await reference.space.callJson(`${at}/path/books/loans`)).toMatchObject({ title: 'Loans' });
    }
    const copy = await reference.space.callJson<{ id: string }>('/duplicate', { method: 'POST', body: {} });
    const response = await reference.elsewhere(copy.id, '/content/path/books');
    expect(await response.json()).toMatchObject({ id: book?.id, title: 'Books' });
  });
});
