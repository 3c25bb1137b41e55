import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SegmentPages } from '../../../test/support/memory-search.ts';
import { buildIndex, searchIndex, suggestInIndex } from '../../../test/support/memory-search.ts';
import { holdsAsync } from '../../../test/support/random.ts';
import type { PageToIndex, SectionToIndex } from './build.ts';
import type { Term } from './query.ts';
import { parseQuery } from './query.ts';
import type { SearchResult } from './search.ts';
import { countEdits, getCorrectionPrefixes, getMaxEdits } from './spelling.ts';
import { getStem } from './stems.ts';
import type { SuggestionResult } from './suggest.ts';
import { findWords, isUnspaced } from './words.ts';

const words = [
  ...'install installs installing installer hash map hashmap hash-map HashMap colour color'.split(' '),
  ..."configuration configure lifetime lifetimes dying die four for the how to don't".split(' '),
  ...'café cafe 所有权 所有 权 install_it pages page paging \ue000 \u{10428}\u{10429} x1'.split(' '),
];
const word = fc.constantFrom(...words);
const text = fc.array(word, { maxLength: 8 }).map((each) => each.join(' '));
const title = fc.array(word, { minLength: 1, maxLength: 3 }).map((each) => each.join(' '));
const section: fc.Arbitrary<SectionToIndex> = fc.record({
  heading: fc.oneof(fc.constant(''), text),
  text,
  conditions: fc.oneof(fc.constant<string[]>([]), fc.subarray(['+seen', '+unseen'])),
});

/** Creates pages. The first section has the conditions of the page; each other section has additional conditions. */
const createPageArbitrary = (space: fc.Arbitrary<string>, conditions: fc.Arbitrary<string[]>) =>
  fc
    .tuple(space, title, conditions, fc.array(section, { minLength: 1, maxLength: 4 }))
    .map(([ofSpace, ofPage, own, sections]) => ({
      ...{ space: ofSpace, title: ofPage, conditions: own },
      sections: sections.map((each, index) => ({
        ...each,
        conditions: index === 0 ? own : [...new Set([...own, ...each.conditions])],
      })),
    }));
const addIds = (pages: Omit<PageToIndex, 'page' | 'key'>[], prefix: string): PageToIndex[] =>
  pages.map((page, index) => ({ ...page, page: `${prefix}${index}`, key: `${prefix}${index}` }));

const shownPages = fc
  .array(createPageArbitrary(fc.constantFrom('s1', 's3'), fc.constantFrom<string[]>([], ['=seen'])), {
    minLength: 1,
    maxLength: 8,
  })
  .map((pages) => addIds(pages, 'pg_'));
const hiddenPages = fc
  .array(
    fc.oneof(
      createPageArbitrary(fc.constantFrom('s0', 's2'), fc.constant([])),
      createPageArbitrary(fc.constant('s1'), fc.constant(['=unseen'])),
    ),
    {
      maxLength: 6,
    },
  )
  .map((pages) => addIds(pages, 'hidden_'));
const removedPages = fc
  .array(createPageArbitrary(fc.constantFrom('s1', 's3'), fc.constant([])), { maxLength: 6 })
  .map((pages) => addIds(pages, 'pg_').map((page) => ({ ...page, key: 'removed' })));

const misspell = fc
  .tuple(
    fc.constantFrom('install', 'configuration', 'lifetimes', 'hashmap', 'colour', 'pages'),
    fc.nat(),
    fc.nat({ max: 3 }),
  )
  .map(([of, at, kind]) => {
    const index = at % of.length;
    const [before, after] = [of.slice(0, index), of.slice(index)];
    if (kind === 0) return before + after.slice(1);
    if (kind === 1) return `${before}q${after}`;
    if (kind === 2) return `${before}q${after.slice(1)}`;
    return before + (after[1] ?? '') + (after[0] ?? '') + after.slice(2);
  });
const query = fc
  .tuple(
    fc.array(fc.oneof({ weight: 3, arbitrary: word }, misspell), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '', ' '),
    fc.nat({ max: 3 }),
  )
  .map(([each, end, cut]) => {
    const all = each.join(' ');
    return all.slice(0, Math.max(1, all.length - cut)).toWellFormed() + end;
  });

/** A visitor sees the spaces `s1` and `s3`, and meets all conditions named `seen`. */
const visibility = {
  isVisibleSpace: (space: string) => space === 's1' || space === 's3',
  areMet: (conditions: string[]) => conditions.every((each) => each.endsWith('seen') && !each.endsWith('unseen')),
};

/** Returns the visible part of a page: its visible sections, numbered as in the page. */
const keepVisibleSections = (page: PageToIndex) => {
  const sections = page.sections.flatMap((each, number) =>
    visibility.areMet(each.conditions) ? [{ ...each, number }] : [],
  );
  return { ...page, sections };
};

const listWords = (page: PageToIndex, number: number): Set<string> => {
  const { heading = '', text: body = '' } = page.sections[number] ?? {};
  const texts = [number === 0 ? page.title : '', heading, body];
  return new Set(texts.flatMap((each) => [...findWords(each)].map((word) => word.text)));
};

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Returns the words of the texts that match a term: the word itself, its forms, and words that it begins. */
function findMatches({ word: term, isOpen }: Term, all: string[]): string[] {
  const isPrefix = isOpen && ([...term].length > 1 || term > '\u2e7f');
  const own = all.filter((each) => each === term || getStem(each) === getStem(term));
  return [...new Set([...own, ...(isPrefix ? all.filter((each) => each.startsWith(term)) : [])])];
}

/** Returns the words that resemble a term, and their forms. */
function findCorrections({ word: term }: Term, all: string[]): string[] {
  const max = getMaxEdits(term);
  const similar = all
    .filter((each) => each.length >= 3 && getCorrectionPrefixes(term).some((start) => each.startsWith(start)))
    .flatMap((each) => {
      const edits = countEdits(term, each, max);
      return edits === undefined ? [] : [{ each, edits }];
    })
    .toSorted((one, other) => one.edits - other.edits || compare(one.each, other.each))
    .slice(0, 12)
    .map(({ each }) => each);
  return [...new Set(similar.flatMap((each) => findMatches({ word: each, isOpen: false, start: 0, end: 0 }, all)))];
}

/** Maximum number of words of a query that are corrected. */
const maxCorrectedWords = 3;

/** Replaces the words that are not found with those that resemble them. */
function replaceMisspeltWords(terms: Term[], found: string[][], all: string[]): string[][] {
  const misspelt = terms.filter(({ word: term }, number) => found[number]?.length === 0 && getMaxEdits(term) > 0);
  const corrected = misspelt.slice(0, maxCorrectedWords);
  return terms.map((term, number) => (corrected.includes(term) ? findCorrections(term, all) : (found[number] ?? [])));
}

/** Scans all texts for the pages and words that a search must find. */
function scan(pages: PageToIndex[], text: string) {
  const sections = pages.flatMap((page) =>
    page.sections.map((_, number) => ({ page: page.page, words: listWords(page, number) })),
  );
  const all = [...new Set(sections.flatMap((each) => [...each.words]))];
  const { terms, compounds } = parseQuery(text);
  const exact = terms.map((term, number) => {
    const joined = compounds.filter((each) => each.terms.includes(number)).map((each) => each.word);
    return [...findMatches(term, all), ...all.filter((each) => joined.includes(each))];
  });
  const matches = replaceMisspeltWords(terms, exact, all);
  const matchedWords = new Set(matches.flat());
  const matchingSections = sections.filter((each) => [...each.words].some((name) => matchedWords.has(name)));
  return {
    pages: [...new Set(matchingSections.map(({ page }) => page))].sort(compare),
    matches,
    words: [...matchedWords].sort(compare),
    isCorrected: terms.some(
      (term, number) => (matches[number] ?? []).length > 0 && isMissing(term, number, compounds, all),
    ),
  };
}

const isMissing = (term: Term, number: number, compounds: { word: string; terms: number[] }[], all: string[]) =>
  findMatches(term, all).length === 0 &&
  !compounds.some((each) => each.terms.includes(number) && all.includes(each.word));

const getWords = (text: string): string[] => [...findWords(text)].map((each) => each.text);

/** Scans all titles and headings for those that contain the words. */
function scanHeadings(pages: PageToIndex[], text: string) {
  const parts = pages.flatMap(({ page, title: name, sections }) =>
    sections.map(({ heading, text: body }, number) => ({
      ...{ page, number, body: getWords(body) },
      ...{ title: number === 0 ? getWords(name) : [], heading: getWords(heading) },
    })),
  );
  const all = [...new Set(parts.flatMap((part) => [...part.title, ...part.heading]))];
  const everywhere = [...new Set([...all, ...parts.flatMap(({ body }) => body)])];
  const { terms, compounds } = parseQuery(text);
  const findInPage = (term: Term, number: number, words: string[]) => {
    const joined = compounds.filter((each) => each.terms.includes(number)).map((each) => each.word);
    return [...findMatches(term, words), ...words.filter((each) => joined.includes(each))];
  };
  const isNeeded = ({ word: term, isOpen }: Term) =>
    terms.length === 1 || !isOpen || [...term].length > 1 || isUnspaced(term);
  const found = terms.map((term, number) => findInPage(term, number, all));
  const isMissing = (_: unknown, number: number) => {
    const term = terms[number];
    return term !== undefined && isNeeded(term) && found[number]?.length === 0;
  };
  const none = { titles: [], headings: [], isCorrected: false };
  if (terms.filter(isMissing).some((term) => findInPage(term, terms.indexOf(term), everywhere).length > 0)) return none;
  const matches = replaceMisspeltWords(terms, found, all);
  const needed = matches.filter((_, number) => terms.some((term, index) => index === number && isNeeded(term)));
  if (needed.some((each) => each.length === 0)) return none;
  const has = (words: string[], each: string[] = []) => each.some((name) => words.includes(name));
  const titles = parts.filter(({ title: own }) => own.length > 0 && needed.every((each) => has(own, each)));
  const headings = parts.filter(({ page, heading }) => {
    const own = parts.find((part) => part.page === page && part.number === 0)?.title ?? [];
    const inHeading = needed.filter((each) => has(heading, each));
    if (titles.some((part) => part.page === page)) return inHeading.length === needed.length;
    return inHeading.length > 0 && needed.every((each) => has([...own, ...heading], each));
  });
  return {
    titles: titles.map(({ page }) => page),
    headings: headings.map(({ page, number }) => `${page}/${number}`),
    isCorrected: matches.some((each, number) => each !== found[number] && (each ?? []).length > 0),
  };
}

/** Whether the texts may contain a word of the query as two words. The tests of synonyms cover this case in detail. */
const isSplit = (pages: PageToIndex[], text: string): boolean => {
  const all = new Set(pages.flatMap((page) => page.sections.flatMap((_, number) => [...listWords(page, number)])));
  return parseQuery(text).splits.some(({ words }) => words.every((each) => all.has(each)));
};

const getPages = ({ hits }: SearchResult) => hits.map(({ page }) => page);

describe('search', () => {
  test('finds the same pages and words as a plain scan', async () => {
    await holdsAsync(
      fc.asyncProperty(shownPages, query, async (pages, text) => {
        const visible = pages.map(keepVisibleSections);
        fc.pre(!isSplit(visible, text));
        const expected = scan(visible, text);

        const result = await searchIndex(buildIndex([{ pages }]), text, visibility);

        expect(getPages(result).toSorted(compare)).toEqual(expected.pages);
        expect([...result.words.keys()].toSorted(compare)).toEqual(expected.words);
        for (const [name, term] of result.words) expect(expected.matches[term]).toContain(name);
        expect(result.correction !== undefined).toBe(expected.isCorrected);
        for (const { page, sections } of result.hits) {
          const visiblePage = visible.find((each) => each.page === page);
          const numbers = visiblePage?.sections.map(({ number }) => number);
          expect(sections.length).toBeGreaterThan(0);
          for (const each of sections) expect(numbers).toContain(each);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('suggests the same titles and headings as a plain scan', async () => {
    await holdsAsync(
      fc.asyncProperty(shownPages, query, async (pages, text) => {
        const visible = pages.map(keepVisibleSections);
        fc.pre(!isSplit(visible, text) && parseQuery(text).terms.length > 0);
        const expected = scanHeadings(visible, text);

        const { suggestions, correction } = await suggestInIndex(buildIndex([{ pages }]), text, visibility);

        const titles = suggestions.flatMap(({ page, section: number }) => (number === undefined ? [page] : []));
        expect(titles.toSorted(compare)).toEqual(expected.titles.toSorted(compare));
        const headings = suggestions.flatMap(({ page, section: number }) => {
          const index = visible
            .find((each) => each.page === page)
            ?.sections.findIndex((each) => each.number === number);
          return number === undefined ? [] : [`${page}/${index}`];
        });
        expect(headings.toSorted(compare)).toEqual(expected.headings.toSorted(compare));
        expect(correction !== undefined).toBe(expected.isCorrected);
        for (const [index, { score }] of suggestions.entries())
          expect(score).toBeLessThanOrEqual(suggestions[index - 1]?.score ?? Number.POSITIVE_INFINITY);
      }),
      { numRuns: 1000 },
    );
  });

  /** Distributes pages among segments. */
  const split = (pages: PageToIndex[], parts: number[], count = 4): PageToIndex[][] =>
    Array.from({ length: count }, (_, part) =>
      pages.filter((_each, index) => (parts[index % parts.length] ?? 0) % count === part),
    );
  const parts = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 10 });

  test('several segments give the same hits, in the same order, as one', async () => {
    await holdsAsync(
      fc.asyncProperty(shownPages, parts, query, async (pages, distribution, text) => {
        const one = await searchIndex(buildIndex([{ pages }]), text, visibility);
        const several = buildIndex(split(pages, distribution).map((each) => ({ pages: each })));

        expect(await searchIndex(several, text, visibility)).toEqual(one);
        expect(await suggestInIndex(several, text, visibility)).toEqual(
          await suggestInIndex(buildIndex([{ pages }]), text, visibility),
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('hidden sections, removed pages and other spaces do not change the results', async () => {
    await holdsAsync(
      fc.asyncProperty(
        shownPages,
        hiddenPages,
        removedPages,
        parts,
        query,
        async (pages, hidden, removed, distribution, text) => {
          const visible = pages.map(keepVisibleSections);
          const clean = buildIndex([{ pages: visible }]);
          const isRemoved = ({ key }: { key: string }) => key === 'removed';
          const current = split([...pages, ...hidden], distribution);
          const full = [{ pages: removed, isRemoved }, ...current.map((each): SegmentPages => ({ pages: each }))];

          const expected = await searchIndex(clean, text);
          const result = await searchIndex(buildIndex(full), text, visibility);

          const findSectionNumber = (page: string, section: number) =>
            visible.find((other) => other.page === page)?.sections[section]?.number;
          expect(result).toEqual({
            ...expected,
            hits: expected.hits.map((hit) => ({
              ...hit,
              sections: hit.sections.map((each) => findSectionNumber(hit.page, each)),
            })),
          });

          const suggested: SuggestionResult = await suggestInIndex(clean, text);
          expect(await suggestInIndex(buildIndex(full), text, visibility)).toEqual({
            ...suggested,
            suggestions: suggested.suggestions.map(({ section: number, ...each }) => ({
              ...each,
              section: number === undefined ? undefined : findSectionNumber(each.page, number),
            })),
          });
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('many hidden words change neither completions nor corrections', async () => {
    const makePage = (page: string, body: string, conditions: string[] = []): PageToIndex => ({
      ...{ space: 's1', page, key: page, title: '', conditions },
      sections: [{ heading: '', text: body, conditions }],
    });
    const names = Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index));
    const shown = makePage('shown', 'prefixed configurations');
    const shorter = names.flatMap((one) => names.map((other) => `pre${one}${other}`)).join(' ');
    const closer = names.map((each) => `configurati${each}ns confi${each}urations`).join(' ');
    const hidden = makePage('hidden', `${shorter} ${closer}`, ['=unseen']);
    const others = Array.from({ length: 20_000 }, (_, index) => `w${index.toString(36)}q${index}`).join(' ');
    const [clean, full, large] = [
      [shown],
      [shown, hidden],
      [shown, hidden, makePage('large', others, ['=unseen'])],
    ].map((pages) => buildIndex([{ pages }]));
    if (clean === undefined || full === undefined || large === undefined) throw new Error('An index is missing.');

    const moveTextToHeadings = ({ sections, ...page }: PageToIndex): PageToIndex => ({
      ...page,
      sections: sections.map((each) => ({ ...each, heading: each.text, text: '' })),
    });
    const suggestible = buildIndex([{ pages: [moveTextToHeadings(shown)] }]);
    const withHidden = buildIndex([{ pages: [moveTextToHeadings(shown), moveTextToHeadings(hidden)] }]);
    for (const text of ['pre', 'configurotions ', 'xonfigurations ', 'ocnfigurations ']) {
      const suggested = await suggestInIndex(suggestible, text);
      expect([text, suggested.suggestions.map(({ section: number }) => number)]).toEqual([text, [0]]);
      expect([text, await suggestInIndex(withHidden, text, visibility)]).toEqual([text, suggested]);
      const expected = await searchIndex(clean, text);
      expect([text, getPages(expected)]).toEqual([text, ['shown']]);
      expect([text, await searchIndex(full, text, visibility)]).toEqual([text, expected]);
      // A large index only finds corrections that start with one of the first letters of the word.
      if (text !== 'xonfigurations ')
        expect([text, await searchIndex(large, text, visibility)]).toEqual([text, expected]);
    }
  });
});
