import { beforeAll, expect, test } from 'vitest';
import { makePage, searchSpace } from '../support/content.ts';
import { until } from '../support/own-platform.ts';
import type { TestSpace } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

let space: TestSpace;
beforeAll(async () => {
  space = await platform().makeSpace();
  await makePage(space, 'A page', 'rust and memory');
  await until(async () => (await searchSpace(space, 'memory')).items[0]);
});

const search = (words: string) =>
  platform().request(`/v1/spaces/${space.id}/search?query=${encodeURIComponent(words)}`, { token: space.token });

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
  'search_index',
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
])('32: a query of %j is answered, never with a fault of the server', async (query) => {
  const answer = await search(query);

  expect(answer.status).toBe(200);
  const { items } = (await answer.json()) as { items: { title: string }[] };
  expect(items.every(({ title }) => title === 'A page')).toBe(true);
});

test('32: random mixtures of syntax are answered', async () => {
  let seed = 42;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const parts = [...operators, ...words, ' '];
  const queries = Array.from({ length: 150 }, () =>
    Array.from({ length: 1 + next(24) }, () => parts[next(parts.length)] ?? '').join(next(2) === 0 ? ' ' : ''),
  );

  for (const query of queries) expect([query, (await search(query)).status]).toEqual([query, 200]);
});

test('32: an empty query finds nothing, one that is missing or longer than 512 characters is refused', async () => {
  const { request } = platform();

  expect(await searchSpace(space, '')).toEqual({ count: 0, items: [] });
  expect((await search('x'.repeat(513))).status).toBe(400);
  expect((await request(`/v1/spaces/${space.id}/search`, space)).status).toBe(400);
  expect((await request(`/v1/spaces/${space.id}/search?query=a&query=b`, space)).status).toBe(400);
  for (const raw of ['%', '%ff%fe', '%zz', '%ed%a0%80', '+', '%2B', '%00'])
    expect([200, 400]).toContain((await request(`/v1/spaces/${space.id}/search?query=${raw}`, space)).status);
});

test('32: the syntax of the index is text to look for', async () => {
  const titles = async (query: string) => (await searchSpace(space, query)).items.map(({ title }) => title);

  expect(await titles('rust OR nothing')).toEqual([]);
  expect(await titles('rust NOT memory')).toEqual([]);
  expect(await titles('"memory rust"')).toEqual(['A page']);
  expect(await titles('rust* AND')).toEqual(['A page']);
});
