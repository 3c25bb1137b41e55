import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { makePage, searchSpace } from '../support/content.ts';
import { until } from '../support/own-platform.ts';
import type { TestSpace } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { drawValues } from '../support/random.ts';

let space: TestSpace;
/** The search paths of a space and of an organization. */
let paths: string[] = [];
beforeAll(async () => {
  space = await platform().makeSpace();
  paths = [`/v1/spaces/${space.id}/search`, `/v1/orgs/${space.organization}/search`];
  await makePage(space, 'A page', 'rust and memory');
  await until(async () => (await searchSpace(space, 'memory')).items[0]);
});

const searchRaw = (query: string) => Promise.all(paths.map((path) => platform().request(`${path}${query}`, space)));

const search = (words: string) => searchRaw(`?query=${encodeURIComponent(words)}`);

/** Returns the titles of the pages that the searches found. An organization's search groups pages by space. */
async function readTitles(responses: Response[]): Promise<string[]> {
  const bodies = (await Promise.all(responses.map((response) => response.json()))) as { items: SearchedSpace[] }[];
  return bodies.flatMap(({ items }) => items.flatMap(({ title, pages }) => pages?.map((page) => page.title) ?? title));
}
interface SearchedSpace {
  title: string;
  pages?: { title: string }[];
}

const getStatuses = (responses: Response[]) => responses.map(({ status }) => status);

const operators = [
  '&',
  '|',
  '!',
  '(',
  ')',
  ':',
  '*',
  '"',
  "'",
  '\\',
  '%',
  '^',
  '-',
  '+',
  '{',
  '}',
  '[',
  ']',
  ',',
  ';',
  '~',
  '`',
  '$',
  '#',
  '.',
  '\u0000',
];
const words = [
  'AND',
  'OR',
  'NOT',
  'NEAR',
  'NEAR(',
  'NEAR/2',
  'title',
  'scope',
  'body:',
  'rust',
  'search_segments',
  '\u0301',
  '\u200b',
  '日',
  '\u{1f600}',
  '\ue000',
  '\uffff',
];

test.each([
  ...operators,
  ...operators.map((each) => each.repeat(64)),
  ...operators.flatMap((each) => [`${each}rust`, `rust${each}`, `rust ${each} memory`]),
  ...words,
  ...words.map((each) => `rust ${each} memory`),
  ...words.map((each) => `${each}*`),
  'NEAR("rust" "memory", 2)',
  'title : rust',
  '{title body} : rust',
  'scope : "" OR rust',
  '" OR scope : "x',
  '"; DROP TABLE spaces; --',
  'rust*mem*',
  '^rust',
  ' ',
  '\t\n',
  operators.join(' '),
  'x'.repeat(512),
  '"'.repeat(512),
  '('.repeat(512),
  'a '.repeat(256),
  '日'.repeat(512),
  '\u{1f600}'.repeat(256),
  '\u0301'.repeat(512),
])('a query of %j never causes a server error', async (query) => {
  const responses = await search(query);

  expect(getStatuses(responses)).toEqual([200, 200]);
  const titles = await readTitles(responses);
  expect(titles.every((title) => title === 'A page')).toBe(true);
  expect([0, 2]).toContain(titles.length);
});

test('handles random combinations of syntax', async () => {
  const parts = fc.array(fc.constantFrom(...operators, ...words, ' '), { minLength: 1, maxLength: 24 });
  const mixture = fc.tuple(parts, fc.constantFrom(' ', '')).map(([chosen, between]) => chosen.join(between));
  const queries = drawValues(mixture, 150);

  for (const query of queries) expect([query, getStatuses(await search(query))]).toEqual([query, [200, 200]]);
});

test('an empty query finds nothing, and a missing query or one of more than 512 characters is rejected', async () => {
  for (const response of await search('')) expect(await response.json()).toEqual({ count: 0, items: [] });
  for (const wrong of [`?query=${'x'.repeat(513)}`, '', '?query=a&query=b']) {
    expect([wrong, getStatuses(await searchRaw(wrong))]).toEqual([wrong, [400, 400]]);
  }
  for (const raw of ['%', '%ff%fe', '%zz', '%ed%a0%80', '+', '%2B', '%00'])
    for (const status of getStatuses(await searchRaw(`?query=${raw}`))) expect([200, 400]).toContain(status);
});

test('treats the syntax of the index as search text', async () => {
  const searchTitles = async (query: string) => readTitles(await search(query));

  for (const each of ['NOT rust', 'rust NOT memory', '-rust', 'rust -memory', '"memory rust"', 'rust AND nothing'])
    expect([each, await searchTitles(each)]).toEqual([each, ['A page', 'A page']]);
  for (const each of ['text:nothing', 'nothing OR', 'NOT nothing', '*', 'm*'])
    expect([each, await searchTitles(each)]).toEqual([each, []]);
});
