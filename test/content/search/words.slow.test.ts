import { beforeAll, expect, test } from 'vitest';
import { makePage, searchSpace } from '../../support/content.ts';
import { until } from '../../support/own-platform.ts';
import type { TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { readIndexedPages } from './stored-index.ts';

/** All control characters. */
const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((each) =>
  /\p{Cc}/u.test(each),
);
/** Line ends and white space in Markdown never reach the index. */
const inText = controls.filter((each) => !/\s/.test(each));

let space: TestSpace;
let page: string;
beforeAll(async () => {
  space = await platform().makeSpace();
  const body = inText.map((each, index) => `before${index}x${each}after${index}x`).join('\n\n');
  page = await makePage(space, 'Controls', `walrus penguin\n\n${body}\n\n## Head${inText[0]}ing\n\nlast`);
  await until(async () => (await searchSpace(space, 'walrus')).items[0]);
});

const searchIds = async (words: string) => (await searchSpace(space, words)).items.map(({ id }) => id);

test('a control character in a query separates words like a space', async () => {
  for (const each of controls) {
    const words = `${each}walrus${each}${each}penguin${each}`;
    expect([words, await searchIds(words)]).toEqual([words, [page]]);
    expect([each, await searchIds(`nothing${each}pengu`)]).toEqual([each, [page]]);
    expect([each, await searchIds(`pengu${each}nothing`)]).toEqual([each, []]);
  }
});

test('a query of control characters alone finds nothing', async () => {
  for (const each of controls) expect([each, await searchSpace(space, each)]).toEqual([each, { count: 0, items: [] }]);
  expect(await searchIds(controls.join(''))).toEqual([]);
});

test('finds the words on both sides of a control character', async () => {
  for (const index of inText.keys()) {
    const words = `before${index}x after${index}x`;
    expect([words, await searchIds(words)]).toEqual([words, [page]]);
  }
  expect(await searchIds('last')).toEqual([page]);
});

test('control characters are neither indexed nor returned', async () => {
  const [{ title = '', sections = [] } = {}] = readIndexedPages(platform(), space.organization);
  expect(sections).toHaveLength(2);
  for (const { heading, text } of sections) expect(`${title}${heading}${text}`).not.toMatch(/\p{Cc}/u);
  expect(JSON.stringify(await searchSpace(space, 'after1x'))).not.toMatch(/\\u00[01]|\\u007f|[\u0080-\u009f]/);
});
