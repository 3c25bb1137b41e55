import { describe, expect, test } from 'vitest';
import { edit, makeChangeRequest, makePage, merge, searchSpace } from '../../support/content.ts';
import { until } from '../../support/own-platform.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

type SearchResponse = Awaited<ReturnType<typeof searchSpace>>;

/** Searches until the results match, because indexing is asynchronous. */
const searchUntil = (space: TestSpace, words: string, isWanted: (titles: string[], found: SearchResponse) => boolean) =>
  until(async () => {
    const searchResult = await searchSpace(space, words);
    const titles = searchResult.items.map(({ title }) => title);
    return isWanted(titles, searchResult) ? searchResult : undefined;
  });

const includesTitle = (title: string) => (titles: string[]) => titles.includes(title);
const findsNone = (titles: string[]) => titles.length === 0;

async function getSpace(pages: Record<string, string>): Promise<TestSpace> {
  const space = await platform().makeSpace();
  await edit(
    space,
    Object.entries(pages).map(([title, markdown]) => ({ operation: 'insert_page', title, document: { markdown } })),
  );
  for (const title of Object.keys(pages)) await searchUntil(space, title, includesTitle(title));
  return space;
}

const searchTitles = async (space: TestSpace, words: string) =>
  (await searchSpace(space, words)).items.map(({ title }) => title);

describe('a search finds', () => {
  test('a page by words of a section, with its anchor and a snippet', async () => {
    const filler = 'Nothing to see here. '.repeat(40);
    const space = await getSpace({
      Ownership: `Intro.\n\n## Moves and copies\n\n${filler}A *borrowed* zebra waits.\n`,
    });
    const { url } = platform();

    const { items, count } = await searchSpace(space, 'zebra');
    const [page] = items;
    const app = `${url}/app/spaces/${space.id}/content/page/${page?.id}`;

    expect(count).toBe(1);
    expect(page).toEqual({
      id: expect.stringMatching(/^pg_/),
      title: 'Ownership',
      path: 'ownership',
      matches: { title: [] },
      urls: { app },
      sections: [
        {
          id: 'moves-and-copies',
          title: 'Moves and copies',
          path: 'ownership#moves-and-copies',
          body: expect.stringContaining('borrowed zebra waits'),
          matches: { title: [], body: [[expect.any(Number), expect.any(Number)]] },
          urls: { app: `${app}#moves-and-copies` },
        },
      ],
    });
    const { body = '', matches } = page?.sections?.[0] ?? {};
    expect(body.length).toBeLessThan(300);
    expect(matches?.body.map(([start, end]) => body.slice(start, end))).toEqual(['zebra']);
  });

  test('pages that contain some of the words, first those with more of them', async () => {
    const space = await getSpace({
      Linker: 'How to install the linker.',
      Installation: 'How to install the compiler.',
      Unrelated: 'Other text.',
    });

    expect(await searchTitles(space, 'install compiler')).toEqual(['Installation', 'Linker']);
    expect(await searchTitles(space, 'linker install')).toEqual(['Linker', 'Installation']);
    expect((await searchTitles(space, 'install nothing')).sort()).toEqual(['Installation', 'Linker']);
    expect(await searchTitles(space, 'nothing whatsoever')).toEqual([]);
  });

  test('the last word as a prefix, unless a space follows it', async () => {
    const space = await getSpace({ Installation: 'How to install the compiler.' });

    expect(await searchTitles(space, 'instal')).toEqual(['Installation']);
    expect(await searchTitles(space, 'nothing compi')).toEqual(['Installation']);
    expect(await searchTitles(space, 'compi nothing')).toEqual([]);
    expect(await searchTitles(space, 'compi ')).toEqual([]);
  });

  test('a word with a typo, and returns the corrected query', async () => {
    const space = await getSpace({ Installation: 'How to install the compiler.' });

    const { items, correctedQuery } = await searchSpace(space, 'the compilre');

    expect(items.map(({ title }) => title)).toEqual(['Installation']);
    expect(correctedQuery).toBe('the compiler');
    expect((await searchSpace(space, 'compiler')).correctedQuery).toBeUndefined();
  });

  test('words regardless of case and accents', async () => {
    const space = await getSpace({ Café: 'Über den Wolken, naïve ŽLUŤOUČKÝ.' });

    for (const words of ['cafe', 'CAFÉ', 'uber', 'naive', 'žluťoučký', 'zlutoucky', 'cafe\u0301']) {
      expect([words, await searchTitles(space, words)]).toEqual([words, ['Café']]);
    }
  });

  test('words of two characters in scripts without spaces', async () => {
    const space = await getSpace({
      安装指南: '本章介绍所有权系统，以及借用检查器。',
      かな: 'これは日本語のドキュメントです。',
      한국: '러스트는소유권을씁니다.',
    });

    expect(await searchTitles(space, '所有')).toEqual(['安装指南']);
    expect(await searchTitles(space, '检查')).toEqual(['安装指南']);
    expect(await searchTitles(space, '指南')).toEqual(['安装指南']);
    expect(await searchTitles(space, '有所')).toEqual([]);
    expect(await searchTitles(space, '日本')).toEqual(['かな']);
    expect(await searchTitles(space, '소유')).toEqual(['한국']);
    expect((await searchSpace(space, '借用')).items[0]?.sections?.[0]?.body).toContain('以及借用检查器');
  });

  test('a word across the boundary between two chunks of a long text', async () => {
    // The index splits sections at 3,000 characters and documents at 262,144.
    const createFiller = (length: number) => 'ab '.repeat(length / 3);
    const text = `${createFiller(2_991)}straddlingotter ${createFiller(259_128)}crossingheron end.`;
    const space = await getSpace({ Long: text });

    for (const words of ['straddlingotter', 'crossingheron']) {
      expect([words, await searchTitles(space, words)]).toEqual([words, ['Long']]);
    }
  });

  test('code, and text that looks like query syntax', async () => {
    const space = await getSpace({
      Code: 'Run `cargo_build --release` with C++ and `std::vec`.\n\n```rust\nfn quokka() {}\n```\n',
    });

    for (const words of ['quokka', 'std::vec', '--release', 'c++']) {
      expect([words, await searchTitles(space, words)]).toEqual([words, ['Code']]);
    }
  });
});

describe('ranking', () => {
  test('prefers titles to headings, and headings to text', async () => {
    const filler = 'Other words are here. '.repeat(20);
    const space = await getSpace({
      Mentions: `The lifetimes of values: lifetimes matter. ${filler}`,
      Headed: `${filler}\n\n## Lifetimes\n\n${filler}`,
      Lifetimes: filler,
      Unrelated: filler,
    });

    expect(await searchTitles(space, 'lifetimes')).toEqual(['Lifetimes', 'Headed', 'Mentions']);
  });

  test('puts the page about a phrase first', async () => {
    const space = await getSpace({
      'References and Borrowing': `You borrow a value. ${'The compiler checks it. '.repeat(30)}`,
      'Validating References with Lifetimes': `Intro.\n\n## The Borrow Checker\n\nThe borrow checker compares scopes. The borrow checker decides.\n`,
      Appendix: `A checker of types. ${'Text goes on. '.repeat(30)} One can borrow it.`,
      Foreword: 'Nothing of the kind.',
    });

    const [first, ...others] = await searchTitles(space, 'borrow checker');

    expect(first).toBe('Validating References with Lifetimes');
    expect(others).not.toContain('Foreword');
  });
});

describe('the index is updated', () => {
  test('after edits, renames, deletes and moves of ancestors', async () => {
    const space = await platform().makeSpace();
    const parent = await makePage(space, 'Parent', 'Some walrus.');
    const page = await makePage(space, 'Child', 'Some penguin.', { into: parent });
    const child = await searchUntil(space, 'penguin', includesTitle('Child'));
    expect(child.items[0]?.path).toBe('parent/child');

    await edit(space, [{ operation: 'update_page', page, title: 'Renamed', document: { markdown: 'Some ostrich.' } }]);
    await searchUntil(space, 'ostrich', includesTitle('Renamed'));
    expect(await searchTitles(space, 'penguin')).toEqual([]);
    expect(await searchTitles(space, 'renamed')).toEqual(['Renamed']);

    await edit(space, [{ operation: 'delete_page', page: parent }]);
    await searchUntil(space, 'walrus', findsNone);
    const left = await searchTitles(space, 'ostrich');
    const tree = JSON.stringify(
      await platform()
        .request(`/v1/spaces/${space.id}/content/pages`, { token: space.token })
        .then((each) => each.json()),
    );
    expect(left.length > 0).toBe(tree.includes(page));
  });

  test('with a change request only once it is merged', async () => {
    const space = await getSpace({ Live: 'Some badger.' });
    const { id } = await makeChangeRequest(space);
    await edit(space, [{ operation: 'insert_page', title: 'Proposed', document: { markdown: 'Some gecko.' } }], id);
    await makePage(space, 'Later', 'Some heron.');
    await searchUntil(space, 'heron', includesTitle('Later'));

    expect(await searchTitles(space, 'gecko')).toEqual([]);
    await merge(space, id);
    await searchUntil(space, 'gecko', includesTitle('Proposed'));
  });

  test('finds a page without text by its title, but no groups and links', async () => {
    const space = await getSpace({ Emptyish: '' });
    await edit(space, [
      { operation: 'insert_group', title: 'Flamingo' },
      { operation: 'insert_link', title: 'Flamingo', target: { kind: 'url', url: 'https://example.test' } },
      { operation: 'insert_page', title: 'Flamingo lake', document: { markdown: 'x' } },
    ]);

    const searchResult = await searchUntil(space, 'flamingo', includesTitle('Flamingo lake'));

    expect(searchResult.items.map(({ title }) => title)).toEqual(['Flamingo lake']);
  });
});

test('never returns results of another space', async () => {
  const [mine, other] = [await getSpace({ Mine: 'A common word.' }), await getSpace({ Theirs: 'A common word.' })];

  expect(await searchTitles(mine, 'common')).toEqual(['Mine']);
  expect(await searchTitles(other, 'common')).toEqual(['Theirs']);
  expect(await searchTitles(mine, other.id)).toEqual([]);
  expect(await searchTitles(mine, mine.id.slice(4))).toEqual([]);
});
