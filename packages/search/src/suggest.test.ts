import { describe, expect, test } from 'vitest';
import { buildIndex, suggestInIndex } from '../../../test/support/memory-search.ts';
import type { PageToIndex } from './build.ts';

/** Creates pages from their titles, headings and texts. Their ids are their titles. */
const createPages = (pages: [title: string, headings?: string[], text?: string][]): PageToIndex[] =>
  pages.map(([title, headings = [], text = '']) => ({
    ...{ space: 's', page: title, key: '', title, conditions: [] },
    sections: ['', ...headings].map((heading) => ({ heading, text, conditions: [] })),
  }));

/** Returns the suggestions: titles, and headings with their pages. */
async function suggest(pages: Parameters<typeof createPages>[0], text: string): Promise<string[]> {
  const created = createPages(pages);
  const { suggestions } = await suggestInIndex(buildIndex([{ pages: created }]), text);
  return suggestions.map(({ page, section }) => {
    if (section === undefined) return page;
    return `${page} > ${created.find((each) => each.page === page)?.sections[section]?.heading}`;
  });
}

describe('suggestions are ordered by', () => {
  test('titles that consist of the words, other titles, and headings', async () => {
    const pages: Parameters<typeof createPages>[0] = [
      ['Overview', ['Limits']],
      ['Limits of requests and files'],
      ['Limits'],
      ['Rate limits'],
    ];
    const expected = ['Limits', 'Rate limits', 'Limits of requests and files', 'Overview > Limits'];

    for (const text of ['limits', 'limit', 'lim', 'LIMITS '])
      expect([text, await suggest(pages, text)]).toEqual([text, expected]);
  });

  test('exact words, forms and completions', async () => {
    const pages: Parameters<typeof createPages>[0] = [['A portal'], ['A porting'], ['A port']];

    expect(await suggest(pages, 'port')).toEqual(['A port', 'A porting', 'A portal']);
  });

  test('headings, even if they share words with the title of their page', async () => {
    const pages: Parameters<typeof createPages>[0] = [
      ['Search', ['Limits', 'Order']],
      ['Other', ['Limits of a search', 'Order']],
    ];

    expect(await suggest(pages, 'search limits')).toEqual(['Search > Limits', 'Other > Limits of a search']);
    expect(await suggest(pages, 'search')).toEqual(['Search', 'Other > Limits of a search']);
  });

  test('titles before headings, if all of them contain forms of the word', async () => {
    const created = createPages([['Install', ['Installing']], ['Install']]);
    for (const { sections } of created) sections[0] = { heading: 'Installed', text: '', conditions: [] };

    const { suggestions } = await suggestInIndex(buildIndex([{ pages: created }]), 'install');

    expect(suggestions).toHaveLength(5);
    for (const { score } of suggestions) expect(score).toBeGreaterThan(0);
  });
});

describe('a suggestion contains', () => {
  const pages: Parameters<typeof createPages>[0] = [
    ['Install on Linux', ['Options'], 'settings of a server'],
    ['The language C', [], 'settlement'],
    ['所有权 and HashMap', ['한국어']],
  ];

  test.each([
    ['lin', ['Install on Linux']],
    ['installation linux', ['Install on Linux']],
    ['how to install', ['Install on Linux']],
    ['install windows', []],
    ['install settings', []],
    ['server', []],
    ['sett', []],
    ['install o', ['Install on Linux']],
    ['install x', ['Install on Linux']],
    ['install x ', []],
    ['language c', ['The language C']],
    ['c', ['The language C']],
    ['l', []],
    ['instalk opt', ['Install on Linux > Options']],
    ['hash map', ['所有权 and HashMap']],
    ['hashm', ['所有权 and HashMap']],
    ['有', ['所有权 and HashMap']],
    ['所有权', ['所有权 and HashMap']],
    ['한국', ['所有权 and HashMap > 한국어']],
  ])('for %j, all words of it: %j', async (text, expected) => {
    expect(await suggest(pages, text)).toEqual(expected);
  });

  test('corrected words only if the typed words occur in no text', async () => {
    const text = ['Instal', 'Installl'].join(' and ');
    expect(await suggest([['Install']], 'installl ')).toEqual(['Install']);
    expect(await suggest([['Install'], ['Other', [], text]], 'installl ')).toEqual([]);
  });
});

test('a word that occurs only in hidden text is still corrected', async () => {
  const pages = createPages([['Install']]);
  const hidden = createPages([['Other', [], 'installl']]).map((page) => ({
    ...page,
    sections: page.sections.map((section) => ({ ...section, conditions: ['hidden'] })),
  }));
  const areMet = (conditions: string[]) => conditions.length === 0;
  const expected = await suggestInIndex(buildIndex([{ pages }]), 'installl ');

  expect(expected.correction).toBe('install ');
  expect(await suggestInIndex(buildIndex([{ pages: [...pages, ...hidden] }]), 'installl ', { areMet })).toEqual(
    expected,
  );
});

test('completes words of titles, however many shorter words occur in texts', async () => {
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index));
  const text = letters.flatMap((one) => letters.map((other) => `co${one}${other}`)).join(' ');

  expect(await suggest([['Configuration', [], text]], 'co')).toEqual(['Configuration']);
});

test('at most five headings of a page, and 200 in all, are suggested', async () => {
  const headings = Array.from({ length: 9 }, (_, index) => `Otter ${index}`);
  const names = Array.from({ length: 60 }, (_, index) => `Page ${index}`);

  const suggestions = await suggest(
    names.map((name) => [name, headings]),
    'otter',
  );

  expect(suggestions).toHaveLength(200);
  for (const ofPage of Map.groupBy(suggestions, (each) => each.split(' > ')[0]).values())
    expect(ofPage.length).toBeLessThanOrEqual(5);
});

test('finds an exact title among many titles that contain its words', async () => {
  const others = Array.from({ length: 3000 }, (_, index): [string] => [`Install guide ${index}`]);

  expect((await suggest([...others, ['Install']], 'insta'))[0]).toBe('Install');
});
