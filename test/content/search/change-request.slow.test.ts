import { describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import type { Change } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import { readIndexedPages } from './stored-index.ts';

interface Hits {
  items: {
    id: string;
    title: string;
    path: string;
    sections?: { title: string; path: string; body: string; matches: { body: [number, number][] } }[];
  }[];
  count: number;
  correctedQuery?: string;
  next?: { page: string };
}

/** Creates a space with pages, whose texts are given by title, and opens a change request. */
async function open(pages: Record<string, string>) {
  const server = platform();
  const owner = await server.makeSpace();
  const client = getClient(server, owner);
  const change = (changes: Change[]) => client.change(changes);
  const insert = (title: string, markdown: string, more: object = {}): Change => ({
    ...insertPage(title, more),
    document: { markdown },
  });
  const ids = await change(Object.entries(pages).map(([title, markdown]) => insert(title, markdown)));
  /** Waits until the index has all changes of live content. */
  const waitUntilIndexed = () =>
    until(() => query('SELECT id FROM outbox WHERE space = ? AND done_at IS NULL', owner.id).length === 0 || undefined);
  await waitUntilIndexed();
  const branch = await client.open();
  const search = (words: string, at: string | undefined, more = '') =>
    client.callJson<Hits>(
      `${at === undefined ? '' : `/change-requests/${at}`}/search?query=${encodeURIComponent(words)}${more}`,
    );
  const searchTitles = async (words: string, at: string | undefined) =>
    (await search(words, at)).items.map(({ title }) => title).sort();
  return {
    ...{ server, owner, client, branch, indexed: waitUntilIndexed, insert },
    pages: Object.fromEntries(Object.keys(pages).map((title, index) => [title, ids[index] ?? ''])) as Record<
      keyof typeof pages,
      string
    >,
    /** Changes live content, and waits until it is indexed. */
    changeLive: async (changes: Change[]) => {
      const created = await change(changes);
      await waitUntilIndexed();
      return created;
    },
    propose: (changes: Change[]) => client.change(changes, branch),
    search: (words: string, more?: string) => search(words, branch, more),
    titles: (words: string) => searchTitles(words, branch),
    liveTitles: (words: string) => searchTitles(words, undefined),
  };
}

describe('a search in a change request finds', () => {
  test('live content, if the change request has no changes', async () => {
    const { search, titles } = await open({ Otters: 'Some otter.', Herons: 'Some heron.' });

    const { items, count } = await search('otter');

    expect([count, items[0]]).toMatchObject([1, { title: 'Otters', path: 'otters' }]);
    expect(await titles('heron')).toEqual(['Herons']);
  });

  test('created pages, with snippets and sections', async () => {
    const { propose, insert, search, liveTitles } = await open({ Otters: 'Some otter.' });
    const [parent] = await propose([insert('Birds', 'All birds.')]);
    await propose([insert('Geese', 'Text.\n\n## Migration\n\nThe *gander* flies south.\n', { into: parent })]);

    const { items } = await search('gander');
    const [section] = items[0]?.sections ?? [];

    expect(items).toMatchObject([{ title: 'Geese', path: 'birds/geese' }]);
    expect(section).toMatchObject({
      title: 'Migration',
      path: 'birds/geese#migration',
      body: 'The gander flies south.',
    });
    expect(section?.matches.body.map(([start, end]) => section.body.slice(start, end))).toEqual(['gander']);
    expect(await liveTitles('gander geese')).toEqual([]);
  });

  test('new text of edited pages, and not the text that was removed', async () => {
    const { propose, pages, titles, liveTitles } = await open({
      Otters: 'Some otter.',
      Herons: 'An otter and a heron.',
    });
    await propose([writePage(pages.Herons ?? '', 'Some walrus.')]);

    expect([await titles('walrus'), await titles('otter'), await titles('heron')]).toEqual([
      ['Herons'],
      ['Otters'],
      ['Herons'],
    ]);
    expect(await titles('heron otter')).toEqual(['Herons', 'Otters']);
    expect([await liveTitles('walrus'), await liveTitles('otter')]).toEqual([[], ['Herons', 'Otters']]);

    await propose([writePage(pages.Herons ?? '', 'Some penguin.')]);
    expect([await titles('walrus'), await titles('penguin')]).toEqual([[], ['Herons']]);
  });

  test('renamed and moved pages by their titles and paths in the change request', async () => {
    const { propose, pages, search, titles, client } = await open({ Otters: 'Some otter.', Animals: 'All of them.' });
    const { Otters: page, Animals: into } = pages;
    await propose([{ operation: 'update_page', page, title: 'Seals', slug: 'seals', into }]);

    expect((await search('seals')).items).toMatchObject([{ id: page, title: 'Seals', path: 'animals/seals' }]);
    expect((await search('otter')).items).toMatchObject([{ id: page, title: 'Seals', path: 'animals/seals' }]);
    expect(await titles('otters')).toEqual(['Seals']);
    expect((await client.callJson<Hits>('/search?query=otter')).items).toMatchObject([
      { title: 'Otters', path: 'otters' },
    ]);
  });

  test('neither deleted pages nor their subpages', async () => {
    const { propose, pages, changeLive, insert, titles, liveTitles, client, branch } = await open({
      Otters: 'An otter.',
      Geese: 'An otter.',
    });
    await changeLive([insert('Young otters', 'An otter.', { into: pages.Otters })]);
    await client.update(branch);
    await propose([{ operation: 'delete_page', page: pages.Otters }]);

    expect(await titles('otter')).toEqual(['Geese']);
    expect(await liveTitles('otter')).toEqual(['Geese', 'Otters', 'Young otters']);
  });

  test('a word with a typo, corrected to a word of the change request only', async () => {
    const { propose, pages, search } = await open({ Otters: 'A pelican and a walrus.' });
    expect((await search('pelicna ')).correctedQuery).toBe('pelican ');
    await propose([writePage(pages.Otters ?? '', 'A flamingo and a walrus.')]);

    const { items, correctedQuery } = await search('flamnigo ');

    expect([items[0]?.sections?.[0]?.body, correctedQuery]).toEqual(['A flamingo and a walrus.', 'flamingo ']);
    expect(await search('pelicna ')).toEqual({ count: 0, items: [] });
    expect((await search('walrsu pelicna ')).correctedQuery).toBe('walrus pelicna ');
  });

  test('all matches across several pages of results', async () => {
    const { propose, insert, search } = await open({ A: 'An otter.', B: 'An otter.', C: 'An otter.' });
    await propose([insert('D', 'An otter.'), insert('E', 'An otter.')]);

    const first = await search('otter', '&limit=3');
    const second = await search('otter', `&limit=3&page=${first.next?.page}`);

    expect([first.items.length, second.items.length, second.next]).toEqual([3, 2, undefined]);
    expect([...first.items, ...second.items].map(({ title }) => title).sort()).toEqual(['A', 'B', 'C', 'D', 'E']);
  });
});

test('a page with too much text is found only by its live text', async () => {
  const { propose, pages, titles } = await open({ Otters: 'An otter.', Geese: 'A goose.', Herons: 'A heron.' });
  const [first, second, third] = [pages.Otters ?? '', pages.Geese ?? '', pages.Herons ?? ''];
  await propose([writePage(first, 'A penguin.')]);
  await propose([writePage(second, `A walrus. ${'ab '.repeat(100_000)}`)]);
  await propose([writePage(third, 'A gannet.')]);

  expect([await titles('penguin'), await titles('gannet')]).toEqual([['Otters'], ['Herons']]);
  expect([await titles('walrus'), await titles('goose')]).toEqual([[], ['Geese']]);
});

describe('pages that are excluded from search', () => {
  test('are not found if the change request excludes them, and neither are their descendants', async () => {
    const { propose, pages, changeLive, insert, titles, liveTitles, client, branch } = await open({
      Otters: 'An otter.',
      Geese: 'A goose.',
    });
    await changeLive([insert('Young otters', 'A young otter, a cub.', { into: pages.Otters })]);
    await client.update(branch);
    await propose([{ operation: 'update_page', page: pages.Otters, noIndex: true }]);

    expect([await titles('otter'), await liveTitles('otter')]).toEqual([[], ['Otters', 'Young otters']]);
  });

  test('are found if the change request includes them, and so are their descendants', async () => {
    const { propose, pages, titles, liveTitles, changeLive, insert, client, branch } = await open({
      Otters: 'An otter.',
    });
    await changeLive([{ operation: 'update_page', page: pages.Otters, noIndex: true }]);
    await changeLive([insert('Young otters', 'A young otter.', { into: pages.Otters })]);
    expect(await liveTitles('otter')).toEqual([]);
    await client.update(branch);
    expect(await titles('otter')).toEqual([]);
    await propose([{ operation: 'update_page', page: pages.Otters, noIndex: false }]);

    expect([await titles('otter'), await liveTitles('otter')]).toEqual([['Otters', 'Young otters'], []]);
  });

  test('follow the page above them when it is moved', async () => {
    const { propose, pages, titles, search, changeLive, insert, client, branch } = await open({
      Hidden: 'Some text.',
      Shown: 'Some text.',
    });
    await changeLive([{ operation: 'update_page', page: pages.Hidden, noIndex: true }]);
    const [otters] = await changeLive([insert('Otters', 'An otter.', { into: pages.Hidden })]);
    await changeLive([insert('Young otters', 'An otter.', { into: otters })]);
    const [herons] = await changeLive([insert('Herons', 'A heron.', { into: pages.Shown })]);
    await changeLive([insert('Young herons', 'A heron.', { into: herons })]);
    await client.update(branch);
    expect([await titles('otter'), await titles('heron')]).toEqual([[], ['Herons', 'Young herons']]);
    await propose([
      { operation: 'update_page', page: otters, into: pages.Shown },
      { operation: 'update_page', page: herons, into: pages.Hidden },
    ]);

    expect([await titles('otter'), await titles('heron')]).toEqual([['Otters', 'Young otters'], []]);
    expect((await search('young')).items).toMatchObject([{ path: 'shown/otters/young-otters' }]);
    expect((await search('heorn ')).correctedQuery).toBeUndefined();
  });
});

describe('an outdated change request', () => {
  test('is searched in its own state until it is updated', async () => {
    const { propose, pages, titles, changeLive, insert, client, branch } = await open({
      Otters: 'An otter.',
      Geese: 'A goose.',
      Herons: 'A heron.',
    });
    await propose([writePage(pages.Herons ?? '', 'A heron and a walrus.')]);
    await changeLive([
      writePage(pages.Otters ?? '', 'A penguin.'),
      { operation: 'delete_page', page: pages.Geese },
      insert('Swans', 'A swan.'),
    ]);

    const search = async () => {
      const found: Record<string, string[]> = {};
      for (const word of ['otter', 'penguin', 'goose', 'swan', 'walrus']) found[word] = await titles(word);
      return found;
    };
    const outdated = { otter: ['Otters'], penguin: [], goose: ['Geese'], swan: [], walrus: ['Herons'] };
    expect(await search()).toEqual(outdated);
    expect((await client.pages(branch)).map(({ title }) => title)).not.toContain('Swans');
    await changeLive([writePage(pages.Otters ?? '', 'A pelican.')]);
    expect(await search()).toEqual(outdated);
    expect(await titles('pelican')).toEqual([]);

    await client.update(branch);

    expect(await search()).toEqual({ otter: ['Otters'], penguin: [], goose: [], swan: ['Swans'], walrus: ['Herons'] });
    expect(await titles('pelican')).toEqual(['Otters']);
  });

  test('is searched in its own state if it has no changes', async () => {
    const { pages, titles, changeLive } = await open({ Otters: 'An otter.' });
    await changeLive([writePage(pages.Otters ?? '', 'A penguin.')]);

    expect([await titles('otter'), await titles('penguin')]).toEqual([['Otters'], []]);
  });
});

describe('after an update that conflicts, a search finds', () => {
  /** Returns the paths of the found pages, and the paths with which they are read. */
  async function findPaths({ search, client, branch }: Awaited<ReturnType<typeof open>>): Promise<string[][]> {
    const { items } = await search('otter');
    const read = await Promise.all(items.map(({ id }) => client.page(id, branch)));
    return [items.map(({ path }) => path).sort(), read.map(({ path = '' }) => path).sort()];
  }

  test('a page whose parent was deleted, and the pages below it', async () => {
    const opened = await open({ Otters: 'An otter.', Geese: 'An otter.' });
    const { propose, pages, changeLive, insert, client, branch } = opened;
    const [young] = await propose([insert('Young', 'An otter.', { into: pages.Geese })]);
    await propose([insert('Youngest', 'An otter.', { into: young })]);
    await changeLive([{ operation: 'delete_page', page: pages.Geese }]);

    expect((await client.update(branch)).body.result).toBe('conflicts');

    const paths = ['otters', 'young', 'young/youngest'];
    expect(await findPaths(opened)).toEqual([paths, paths]);
  });

  test('pages that were moved below each other', async () => {
    const opened = await open({ Otters: 'An otter.', Geese: 'An otter.' });
    const { propose, pages, changeLive, client, branch } = opened;
    await propose([{ operation: 'update_page', page: pages.Otters, into: pages.Geese }]);
    await changeLive([{ operation: 'update_page', page: pages.Geese, into: pages.Otters }]);

    expect((await client.update(branch)).body.result).toBe('conflicts');

    const paths = ['geese/otters', 'otters/geese'];
    expect(await findPaths(opened)).toEqual([paths, paths]);
  });
});

test('a search before a merge has the same results, in the same order, as live search after it', async () => {
  const { propose, pages, search, client, branch, indexed, insert } = await open({
    Otters: 'An otter swims beside a walrus.',
    Geese: 'A goose and an otter.\n\n## Otters\n\nAn otter, an otter.',
    Herons: 'A heron eats. The otter sleeps.',
    Walruses: 'A walrus.',
    Penguins: 'A penguin.',
  });
  await propose([
    writePage(pages.Otters ?? '', `An otter.${' It swims on.'.repeat(300)}\n\n## The walrus\n\nAn otter and a walrus.`),
    { operation: 'update_page', page: pages.Herons, title: 'The otter', into: pages.Geese },
    { operation: 'delete_page', page: pages.Walruses },
    { operation: 'update_page', page: pages.Penguins, noIndex: true },
    insert('Walrus and otter', 'Some text.', { into: pages.Otters }),
  ]);
  const searchAll = async (find: (words: string) => Promise<unknown>) => {
    const results: unknown[] = [];
    for (const words of ['otter', 'walrus otter', 'the otter', 'pengiun ', 'walrsu ', 'swi', 'heron eats'])
      results.push(await find(words));
    return results;
  };

  const before = await searchAll(search);
  await client.merge(branch);
  await indexed();

  expect(await searchAll((words) => client.callJson(`/search?query=${encodeURIComponent(words)}`))).toEqual(before);
});

test('a merged change request is searched in the state that was merged, and live search finds its text', async () => {
  const { propose, pages, titles, liveTitles, client, branch, indexed, changeLive } = await open({
    Otters: 'An otter.',
  });
  await propose([writePage(pages.Otters ?? '', 'A walrus.'), insertPage('Geese')]);
  expect((await client.merge(branch)).body.result).toBe('merge');
  await indexed();

  expect([await titles('walrus'), await liveTitles('walrus'), await liveTitles('geese')]).toEqual([
    ['Otters'],
    ['Otters'],
    ['Geese'],
  ]);
  await changeLive([writePage(pages.Otters ?? '', 'A penguin.')]);
  expect([await titles('walrus'), await titles('penguin'), await liveTitles('penguin')]).toEqual([
    ['Otters'],
    [],
    ['Otters'],
  ]);
});

test('an archived change request is searched in its own state', async () => {
  const { propose, pages, titles, owner, branch } = await open({ Otters: 'An otter.' });
  await propose([writePage(pages.Otters ?? '', 'A walrus.')]);
  const path = `/v1/spaces/${owner.id}/change-requests/${branch}`;
  await json(path, { token: owner.token, method: 'PATCH', body: { status: 'archived' } });

  expect([await titles('walrus'), await titles('an ')]).toEqual([['Otters'], []]);
});

test('a change request that starts from another one contains its changes', async () => {
  const { propose, pages, client, owner, branch } = await open({ Otters: 'An otter.' });
  await propose([writePage(pages.Otters ?? '', 'A walrus.')]);
  const { id: revision } = await client.head(branch);
  const body = { subject: 'Another', revision };
  const { id } = await json<{ id: string }>(`/v1/spaces/${owner.id}/change-requests`, { token: owner.token, body });
  await propose([writePage(pages.Otters ?? '', 'A penguin.')]);
  await client.change([insertPage('Geese')], id);

  const find = async (words: string) =>
    (await client.callJson<Hits>(`/change-requests/${id}/search?query=${words}`)).items.map(({ title }) => title);
  expect([await find('walrus'), await find('penguin'), await find('geese')]).toEqual([['Otters'], [], ['Geese']]);
});

test('change requests write nothing to the index and do not affect each other', async () => {
  const { propose, pages, titles, liveTitles, client, owner, server, indexed } = await open({ Otters: 'An otter.' });
  const before = readIndexedPages(server, owner.organization);
  const other = await client.open();
  await propose([writePage(pages.Otters ?? '', 'A walrus.'), insertPage('Geese')]);
  await client.change([writePage(pages.Otters ?? '', 'A penguin.')], other);
  await indexed();

  expect([await titles('walrus'), await titles('penguin'), await liveTitles('walrus penguin')]).toEqual([
    ['Otters'],
    [],
    [],
  ]);
  const { items } = await client.callJson<Hits>(`/change-requests/${other}/search?query=penguin%20walrus`);
  expect(items).toMatchObject([{ title: 'Otters', sections: [{ body: 'A penguin.' }] }]);
  expect(readIndexedPages(server, owner.organization)).toEqual(before);
});
