import { beforeAll, expect, test } from 'vitest';
import { createDrawingSite } from './drawn-page.ts';

let site: Awaited<ReturnType<typeof createDrawingSite>>;

beforeAll(async () => {
  site = await createDrawingSite();
});

const getTable = (head: string, cells: string, more = '') =>
  `<table${more}><thead><tr>${head}</tr></thead><tbody><tr>${cells}</tr></tbody></table>\n`;

test('a markdown table has headers, alignment and marks, and can be scrolled by keyboard', async () => {
  const page = await site.draw('| A | B | |\n| :-- | --: | --- |\n| x `y` | 1<br>2 | z |\n');

  expect(page.all('th').map(({ text, attributes }) => [text, attributes.scope])).toEqual([
    ...[
      ['A', 'col'],
      ['B', 'col'],
    ],
  ]);
  expect(page.one('div.table').attributes).toMatchObject({ role: 'group', tabindex: '0', 'aria-label': 'A, B' });
  expect(page.all('td').at(-2)?.classes).toEqual(['to-end']);
  expect(
    page
      .all('td')
      .at(-3)
      ?.inside.map(({ tag }) => tag),
  ).toEqual(['code']);
});

test.each([
  ['', ['table']],
  [' data-full-width="true"', ['table', 'full']],
])('only a table with the attribute%j has the full width', async (attribute, classes) => {
  const page = await site.draw(getTable('<th>A</th>', '<td>x</td>', attribute));

  expect(page.one('div.table').classes).toEqual(classes);
});

test.each([
  ['checkbox', 'true', (text: string) => expect(text).toBe(''), 'Done'],
  ['rating', '3', (text: string) => expect(text).toBe('★★★☆☆'), '3/5'],
])('a column of type %s has accessible values', async (type, value, look, label) => {
  const page = await site.draw(getTable(`<th data-type="${type}">A</th>`, `<td>${value}</td>`));
  const [sign] = page.all('span').filter(({ attributes }) => attributes.role === 'img');

  look(sign?.text ?? '-');
  expect(sign?.attributes['aria-label']).toBe(label);
});

test.each([
  ['number', '12', 'td.to-end', ['12']],
  ['select', 'a, b', 'span.tag', ['a', 'b']],
  ['users', 'Ann, Bob', 'span.tag', ['Ann', 'Bob']],
  ['content-ref', '<a href="https://a.example/x">x</a>', 'a.referred', [' a.example/x']],
])('renders a column of type %s', async (type, cell, element, texts) => {
  const page = await site.draw(getTable(`<th data-type="${type}">A</th>`, `<td>${cell}</td>`));

  expect(page.all(element).map(({ text }) => text)).toEqual(texts);
});

test('files and images in columns are resolved in the space', async () => {
  const page = await site.draw(
    getTable(
      '<th data-type="files">A</th><th data-type="image">B</th>',
      `<td><a href="${site.data}">d</a></td><td><a href="${site.picture}">p</a></td>`,
    ),
  );

  expect(page.one('a.referred').text).toBe(' data.csv');
  expect(page.all('img').length).toBe(1);
});

test('a card is one link, even if its title contains another link', async () => {
  const page = await site.draw(
    getTable(
      '<th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th><th data-hidden data-card-cover data-type="image"></th>',
      `<td><a href="https://b.example"><b>Title</b></a></td><td>About</td><td><a href="https://a.example">a</a></td><td><a href="${site.picture}">p</a></td>`,
      ' data-view="cards"',
    ),
  );
  const { inside } = page.one('ul.cards');

  expect(inside.filter(({ tag }) => tag === 'a').map(({ text, attributes }) => [text, attributes.href])).toEqual([
    ['Title', 'https://a.example'],
  ]);
  expect(inside.filter(({ tag }) => tag === 'img').map(({ attributes }) => attributes.alt)).toEqual(['']);
});
