import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildIndex, searchIndex } from '../../../test/support/memory-search.ts';
import { holdsAsync } from '../../../test/support/random.ts';
import type { PageToIndex } from './build.ts';
import { parseQuery } from './query.ts';
import { createSnippet, WordMatcher } from './snippet.ts';
import { maxEntryWords, readEntry, Synonyms } from './synonyms.ts';

const groups = [
  ['k8s', 'kubernetes'],
  ['login', 'sign in', 'log in'],
  ['2fa', 'two factor authentication', 'MFA'],
  ['登录', '身份验证'],
];

const getAlternatives = (text: string, all = groups) =>
  parseQuery(text, new Synonyms(all.map((group) => group.map(readEntry)))).alternatives.map(({ words, terms }) => [
    words.join(' '),
    ...terms,
  ]);

describe('parseQuery', () => {
  test.each([
    ['k8s', [['kubernetes', 0]]],
    ['K8s', [['kubernetes', 0, 1]]],
    ['install KUBERNETES now', [['k8s', 1]]],
    [
      'logins',
      [
        ['sign in', 0],
        ['log in', 0],
      ],
    ],
    [
      'how to sign in here',
      [
        ['login', 0],
        ['log in', 0],
      ],
    ],
    [
      'signing-in',
      [
        ['login', 0],
        ['log in', 0],
      ],
    ],
    [
      'enable two-factor authentication',
      [
        ['2fa', 1, 2, 3],
        ['mfa', 1, 2, 3],
      ],
    ],
    ['登录', [['身份 份验 验证', 0]]],
    ['sign on', []],
    ['in sign', []],
    ['two factor', []],
    ['', []],
  ])('finds the synonyms in %j', (text, alternatives) => {
    expect(getAlternatives(text)).toEqual(alternatives);
  });

  test('prefers the longest entry in the query', () => {
    const all = [
      ['sign', 'symbol'],
      ['sign in', 'login'],
    ];

    expect(getAlternatives('sign in sign', all)).toEqual([
      ['login', 0],
      ['symbol', 0],
    ]);
  });

  test('finds an entry whose word is written as several words in the query', () => {
    expect(getAlternatives('log in', [['login', 'sign in']])).toEqual([['sign in', 0]]);
  });

  test('keeps at most 18 words including those of the query, and the first synonyms of each entry', () => {
    const create = (name: string) => Array.from({ length: 10 }, (_, index) => `${name} number ${name}${index}`);
    const all = ['a', 'b', 'c'].map((name) => [`${name}x`, ...create(name)]);

    expect(getAlternatives('ax bx cx', all).map(([words]) => words)).toEqual([
      ...['a number a0', 'b number b0', 'c number c0'],
      ...['a number a1', 'b number b1'],
    ]);
  });
});

test.each([
  ['HashMap', ['hashmap']],
  ['Sign-In', ['sign', 'in']],
  ['C++', ['c']],
  ['?!', []],
  ['サインイン', ['サイ', 'イン', 'ンイ', 'イン']],
])('reads the words of %j', (text, words) => {
  expect(readEntry(text).words).toEqual(words);
  expect(words.length).toBeLessThanOrEqual(maxEntryWords);
});

const createPages = (texts: string[], rest: Partial<PageToIndex['sections'][0]> = {}): PageToIndex[] =>
  texts.map((text, index) => ({
    ...{ space: 's', page: String(index), key: '', title: '', conditions: [] },
    sections: [{ heading: '', text, conditions: [], ...rest }],
  }));

async function find(texts: string[], query: string, synonyms = groups) {
  const result = await searchIndex(buildIndex([{ pages: createPages(texts) }]), query, { synonyms });
  return { ...result, pages: result.hits.map(({ page }) => Number(page)) };
}

describe('search', () => {
  test('finds synonyms in both directions, after the typed word', async () => {
    const texts = ['a kubernetes cluster', 'another k8s cluster', 'nothing'];

    expect((await find(texts, 'k8s ')).pages).toEqual([1, 0]);
    expect((await find(texts, 'kubernetes ')).pages).toEqual([0, 1]);
    expect((await find(texts, 'K8s ')).pages).toEqual([1, 0]);
    expect((await find(texts, 'k8s ', [])).pages).toEqual([1]);
  });

  test('finds a phrase only where its words follow each other', async () => {
    const texts = [
      'First sign in, then open the page',
      'They signed in yesterday',
      'Draw a sign on the wall, and nothing else, before you go back into the house or stay in',
      'There is a login form',
      'Please log in',
      'In the log',
    ];

    expect((await find(texts, 'login ')).pages.toSorted()).toEqual([0, 1, 3, 4]);
    expect((await find(texts, 'login ')).pages[0]).toBe(3);
    expect((await find(texts, 'login ', [])).pages).toEqual([3, 4]);
    expect((await find(texts, 'sign in ')).pages).toEqual(expect.arrayContaining([0, 1, 2, 3, 4]));
  });

  test('finds no phrase of words that are far apart at the end of a long section', async () => {
    const filler = Array.from({ length: 520 }, (_, number) => `w${number}`).join(' ');
    const texts = [`${filler} sign ${filler} in`, `${filler} sign in`, 'sign in'];

    expect((await find(texts, 'login ')).pages).toEqual([2]);
  });

  test('finds a phrase after frequent uses of its words, but ranks it lower', async () => {
    const often = 'in a house in a garden in a town in a land, '.repeat(2);
    const texts = [`${often} sign in`, 'you sign in '];

    expect((await find(texts, 'login ')).pages).toEqual([1, 0]);
  });

  test('finds a phrase in a title or heading', async () => {
    const pages = createPages(['', '', ''], {});
    for (const [index, title] of ['Sign in', 'The sign of a page', 'Sign in to the long page'].entries())
      Object.assign(pages[index] as PageToIndex, { title });
    const heading = createPages(['text'], { heading: 'Log in' }).map((page) => ({ ...page, page: 'heading' }));
    const text = createPages(['you log in'], {}).map((page) => ({ ...page, page: 'text' }));

    const { hits } = await searchIndex(buildIndex([{ pages: [...pages, ...heading, ...text] }]), 'login ', {
      synonyms: groups,
    });

    expect(hits.map(({ page }) => page)).toEqual(['0', '2', 'heading', 'text']);
  });

  test('a word that replaces a phrase of several terms counts as all of these terms', async () => {
    const texts = ['Set up 2FA for all', 'two apples', 'authentication factor of two', 'two factor authentication'];

    const { pages } = await find(texts, 'two factor authentication ');

    expect(pages).toHaveLength(4);
    expect(pages.indexOf(0)).toBeLessThan(pages.indexOf(1));
    expect(pages[0]).toBe(3);
  });

  test('counts a title that is a synonym as an exact title', async () => {
    const pages = createPages(['two factor authentication and two factor authentication', '', 'mfa 2fa']);
    (pages[1] as PageToIndex).title = 'MFA';

    for (const query of ['two factor authentication ', '2fa ']) {
      const { hits } = await searchIndex(buildIndex([{ pages }]), query, { synonyms: groups });
      expect(hits[0]?.page).toBe('1');
    }
  });

  test('finds phrases in scripts without spaces', async () => {
    const texts = ['我们使用身份验证来', '验证身份', '登录页面'];

    expect((await find(texts, '登录')).pages.toSorted()).toEqual([0, 2]);
    expect((await find(texts, '身份验证')).pages).toContain(2);
  });

  test('highlights synonyms', async () => {
    const texts = ['He signed in, and a Login was the log-in of the sign'];
    const { words } = await find(texts, 'login ');
    const { text, matches } = createSnippet(texts[0] as string, new WordMatcher(words));

    expect(matches.map(([start, end]) => text.slice(start, end))).toEqual(['signed in', 'Login', 'log-in']);
  });

  test('corrects neither an entry nor a word whose synonym occurs in the index', async () => {
    expect(await find(['kubernetes'], 'k8s ')).toMatchObject({ correction: undefined, pages: [0] });
    expect(await find(['kubernotes'], 'kubernetes ')).toMatchObject({ correction: undefined, pages: [] });
    expect(await find(['kubernetes'], 'kuberntes ')).toMatchObject({ correction: 'kubernetes ', pages: [0] });
  });

  test('finds the synonyms of the word to which a misspelt word is corrected', async () => {
    expect(await find(['k8s', 'other'], 'kuberntes ')).toMatchObject({ correction: 'kubernetes ', pages: [0] });
    expect(await find(['kubernetes', 'k8s', 'other'], 'kuberntes ')).toMatchObject({
      ...{ correction: 'kubernetes ', pages: [0, 1] },
    });
    expect(await find(['He signs in here', 'in a sign'], 'lgoin ')).toMatchObject({
      ...{ correction: 'login ', pages: [0] },
    });
    expect(await find(['k8s'], 'kuberneets other ')).toMatchObject({ correction: 'kubernetes other ', pages: [0] });
    expect(await find(['other'], 'kuberntes ')).toMatchObject({ correction: undefined, pages: [] });
    expect(await find(['k8s kuberntes', 'k8s'], 'kuberntes ')).toMatchObject({ correction: undefined, pages: [0] });
  });

  test('a rare word with a frequent synonym does not count as rare', async () => {
    const texts = ['k8s', 'unusual', ...Array.from({ length: 30 }, () => 'kubernetes')];

    expect((await find(texts, 'unusual k8s ')).pages[0]).toBe(1);
    expect((await find(texts, 'unusual kubernetes ')).pages[0]).toBe(1);
  });
});

test('finds every section that has the words of a phrase in order, and other sections only if the order is unknown', async () => {
  const words = fc.array(fc.constantFrom('sign', 'in', 'signing', 'x', 'y', 'z'), { maxLength: 14 });
  await holdsAsync(
    fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 6 }), async (texts) => {
      const { pages } = await find(
        texts.map((text) => text.join(' ')),
        'login ',
        [['login', 'sign in']],
      );

      for (const [page, text] of texts.entries()) {
        const first = text.flatMap((word, index) => (word.startsWith('sign') ? [index] : []));
        const second = text.flatMap((word, index) => (word === 'in' ? [index] : []));
        const distances = first.flatMap((one) => second.map((other) => other - one));
        if (distances.includes(1)) expect(pages).toContain(page);
        const isComplete = first.length < 3 && second.length < 3;
        const mayFollow = distances.some((distance) => (isComplete ? distance >= -1 && distance <= 3 : true));
        if (!mayFollow) expect(pages).not.toContain(page);
      }
    }),
    { numRuns: 500 },
  );
});

describe('a word that is written as two words', () => {
  test.each([
    ['hashmap', 'A hash map here'],
    ['login ', 'Please log in'],
    ['signup ', 'Sign up today'],
    ['changerequest', 'Open a change request'],
  ])('%j finds %j, and highlights the words', async (query, text) => {
    const { pages, words } = await find(
      ['unrelated', text, 'hash of a long and sorted map, log of what is in'],
      query,
      [],
    );

    expect(pages).toEqual([1]);
    expect(createSnippet(text, new WordMatcher(words)).matches).toHaveLength(1);
  });

  test('counts as an exact title', async () => {
    const pages = ['Hash map guide', 'Hash map', 'Maps'].map((title, number) => ({
      ...{ space: 's', page: String(number), key: '', title, conditions: [] },
      sections: [{ heading: '', text: number === 0 ? 'hash map hash map' : '', conditions: [] }],
    }));

    expect((await searchIndex(buildIndex([{ pages }]), 'hashmap')).hits.map(({ page }) => page)).toEqual(['1', '0']);
  });
});

test('hidden text does not change results with synonyms', async () => {
  const text = fc
    .array(fc.constantFrom('k8s', 'kubernetes', 'login', 'sign', 'in', 'log', 'signed', 'other'), { maxLength: 12 })
    .map((words) => words.join(' '));
  const drawn = fc.record({
    visible: fc.array(text, { minLength: 1, maxLength: 5 }),
    hidden: fc.array(text, { maxLength: 5 }),
    query: fc.constantFrom('k8s', 'login ', 'sign in', 'log in other', 'kubernetes login'),
  });
  await holdsAsync(
    fc.asyncProperty(drawn, async ({ visible, hidden, query }) => {
      const pages = createPages(visible);
      const secret = createPages(hidden, { conditions: ['secret'] }).map((page) => ({
        ...page,
        page: `h${page.page}`,
      }));
      const areMet = (conditions: string[]) => conditions.length === 0;

      const alone = await searchIndex(buildIndex([{ pages }]), query, { areMet, synonyms: groups });
      const beside = await searchIndex(buildIndex([{ pages: [...pages, ...secret] }]), query, {
        areMet,
        synonyms: groups,
      });

      expect(beside).toEqual(alone);
    }),
    { numRuns: 300 },
  );
});
