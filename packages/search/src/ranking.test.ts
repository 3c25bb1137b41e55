import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SegmentPages } from '../../../test/support/memory-search.ts';
import { buildIndex, searchIndex } from '../../../test/support/memory-search.ts';
import { holdsAsync } from '../../../test/support/random.ts';
import type { PageToIndex } from './build.ts';
import type { SearchResult } from './search.ts';
import { countEdits, getCorrectionPrefixes, getMaxEdits } from './spelling.ts';
import { getStem } from './stems.ts';

const getPages = ({ hits }: SearchResult) => hits.map(({ page }) => page);

/** Creates pages of one section. Their ids are their numbers. */
const createPages = (pages: { title?: string; heading?: string; text?: string }[]): PageToIndex[] =>
  pages.map(({ title: ofPage = '', heading = '', text: body = '' }, index) => ({
    ...{ space: 's', page: String(index), key: '', title: ofPage, conditions: [] },
    sections: [{ heading, text: body, conditions: [] }],
  }));

const searchPages = (pages: Parameters<typeof createPages>[0], text: string) =>
  searchIndex(buildIndex([{ pages: createPages(pages) }]), text);

describe('misspelt words', () => {
  test('have the same hits in the same order as the correct spelling, with a lower score after two edits', async () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvw'), minLength: 5, maxLength: 12 });
    const vocabulary = fc.uniqueArray(letters, { minLength: 1, maxLength: 8 });
    const drawn = vocabulary.chain((all) =>
      fc.record({
        pages: fc.array(fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: 6 }), {
          minLength: 1,
          maxLength: 6,
        }),
        right: fc.constantFrom(...all),
        at: fc.nat(),
        kind: fc.nat({ max: 2 }),
        isEnding: fc.boolean(),
      }),
    );
    await holdsAsync(
      fc.asyncProperty(drawn, async ({ pages, right, at, kind, isEnding }) => {
        const index = at % right.length;
        const rest = right.slice(kind === 0 ? index : index + 1);
        const typo = `${right.slice(0, index)}${kind === 1 ? '' : 'z'}${rest}${isEnding ? 'z' : ''}`;
        const edits = countEdits(typo, right, getMaxEdits(typo));
        const all = pages.flat();
        fc.pre(
          edits !== undefined &&
            edits > 0 &&
            all.includes(right) &&
            getCorrectionPrefixes(typo).some((start) => right.startsWith(start)) &&
            all.every((each) => each !== typo && getStem(each) !== getStem(typo)),
        );
        const texts = pages.map((each) => ({ text: each.join(' ') }));

        const exact = await searchPages(texts, `${right} `);
        const searchResult = await searchPages(texts, `${typo} `);

        expect(exact.correction).toBeUndefined();
        expect(searchResult.correction).toBeDefined();
        expect(getPages(searchResult)).toEqual(expect.arrayContaining(getPages(exact)));
        const isOnly = all.every((each) => each === right || countEdits(typo, each, getMaxEdits(typo)) === undefined);
        if (!isOnly) return;
        expect(searchResult.correction).toBe(`${right} `);
        expect(getPages(searchResult)).toEqual(getPages(exact));
        for (const [number, { score }] of exact.hits.entries())
          expect(searchResult.hits[number]?.score).toBeCloseTo(edits === 2 ? 0.8 * score : score, 5);
      }),
      { numRuns: 1000 },
    );
  });

  test('are not corrected if they occur in the index, or if they are short', async () => {
    const pages = [{ text: 'installation of words' }, { text: 'installatiom wrod' }];

    expect(getPages(await searchPages(pages, 'installatiom '))).toEqual(['1']);
    expect((await searchPages(pages, 'wird ')).hits).toEqual([]);
    expect((await searchPages(pages, 'wird ')).correction).toBeUndefined();
  });

  test('are replaced in the query, and the rest of the query stays unchanged', async () => {
    const pages = [{ text: 'Install the Configuration' }];

    expect((await searchPages(pages, '“Imstall” the  confguration!')).correction).toBe('“install” the  configuration!');
    expect((await searchPages(pages, 'xyzzyx confguration')).correction).toBe('xyzzyx configuration');
    expect((await searchPages(pages, 'xyzzyx')).correction).toBeUndefined();
  });
});

describe('ranking', () => {
  test("puts the page whose title consists of the query's words first", async () => {
    const name = fc.constantFrom('hash', 'map', 'guide', 'install', 'values', 'café', '\u{10428}');
    const drawn = fc.record({
      title: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
      others: fc.array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 3 }), fc.boolean()), { maxLength: 6 }),
      body: fc.array(name, { maxLength: 5 }),
    });
    await holdsAsync(
      fc.asyncProperty(drawn, async ({ title: exact, others, body }) => {
        const pages = others.map(([more, isBefore]) => ({
          title: [...(isBefore ? more : []), ...exact, 'zebra', ...more].join(' '),
        }));
        const all = [...pages, { title: exact.join(' ') }, { title: 'unrelated' }].map((each) => ({
          ...each,
          text: body.join(' '),
        }));

        const { hits } = await searchPages(all, `${exact.join(' ')} `);

        expect(hits[0]?.page).toBe(String(pages.length));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ...['About', 'How to', 'New, new', 'The Rust Book', 'HashMap', "Don't", 'Sign-up'].map((exact) => [exact, exact]),
    ...[
      ['HashMap', 'hashmap'],
      ['HashMap', 'hash map'],
      ['HashMap methods', 'hash map methods'],
      ['Sign-up', 'signup'],
      ['Sign-up', 'sign up'],
      ['unwrap_or_else', 'unwrap or else'],
    ],
  ] as [string, string][])('recognizes the title %j in the query %j', async (exact, query) => {
    const filler = 'other words are here '.repeat(20);
    const pages = [
      { title: `${exact} guide`, text: `${exact} ${filler}` },
      { title: exact, text: filler },
    ];

    expect(getPages(await searchPages(pages, query))[0]).toBe('1');
  });

  test('finds an exact title among many pages that contain its words', async () => {
    const others = Array.from({ length: 300 }, () => ({ title: 'Install guide', text: 'install install install' }));

    const { hits } = await searchPages([...others, { title: 'Install' }], 'install');

    expect(hits).toHaveLength(200);
    expect(hits[0]?.page).toBe('300');
  });

  test('prefers titles to headings, headings to text, and exact words to forms and completions', async () => {
    const filler = 'other words are here '.repeat(30);
    const pages = [
      { title: 'a', text: `${filler} lifetimes` },
      { title: 'b', text: filler, heading: 'lifetimes' },
      { title: 'lifetimes guide', text: filler },
    ];
    expect(getPages(await searchPages(pages, 'lifetimes'))).toEqual(['2', '1', '0']);

    const forms = ['install', 'installing', 'installx'].map((each) => ({ text: `${filler} ${each}` }));
    expect(getPages(await searchPages(forms.toReversed(), 'install'))).toEqual(['2', '1', '0']);
  });

  test('prefers pages with more of the words, and words that are closer to each other', async () => {
    const filler = 'other words are here '.repeat(5);
    const texts = [`borrow ${filler} checker`, `borrow ${filler}`, `${filler} borrow checker`, 'nothing'];
    expect(
      getPages(
        await searchPages(
          texts.map((each) => ({ text: each })),
          'borrow checker ',
        ),
      ),
    ).toEqual(['2', '0', '1']);
  });

  test('orders pages with the same score by space and ID', async () => {
    const pages = createPages(Array.from({ length: 5 }, () => ({ text: 'same words' })));
    const parts = [4, 2, 0, 3, 1].map((number): SegmentPages => ({ pages: pages.slice(number, number + 1) }));

    expect(getPages(await searchIndex(buildIndex(parts), 'words '))).toEqual(['0', '1', '2', '3', '4']);
  });
});

describe('large indexes', () => {
  const pages = createPages(
    Array.from({ length: 9000 }, (_, number) => ({
      title: `Page ${number}`,
      text: `common word${number % 10} unique${number} ${number % 3 === 0 ? 'sometimes' : ''} v${number.toString(36)}x`,
    })),
  );
  const index = buildIndex([{ pages }]);

  test('reads postings across several blocks', async () => {
    const postings = index.segments[0]?.header.postingsLength ?? 0;
    expect(postings).toBeGreaterThan(5 * 36_000);
    for (const number of [0, 1, 4321, 8999]) {
      const { hits } = await searchIndex(index, `common unique${number} `);
      expect(hits[0]?.page).toBe(String(number));
      expect(hits).toHaveLength(200);
    }
    expect(new Set(getPages(await searchIndex(index, 'common '))).size).toBe(200);
  });

  test('loads few blocks for a few words', async () => {
    const { blocks, segments } = buildIndex([{ pages }]);
    const all = (segments[0]?.header.words.length ?? 0) + (segments[0]?.header.postingsLength ?? 0) / 36_000;

    await searchIndex({ blocks, segments }, 'unique4321 ');

    expect(blocks.loaded).toBeLessThan(all / 2);
  });

  test('corrects a misspelt word if one of its first letters is right', async () => {
    expect(getPages(await searchIndex(index, 'sometmes '))).toHaveLength(200);
    expect((await searchIndex(index, 'osmetimes ')).correction).toBe('sometimes ');
  });
});
