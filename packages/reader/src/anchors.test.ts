import { expect, test } from 'vitest';
import { collectHeadings } from './anchors.ts';
import type { PageNode } from './document.ts';
import type { PageView } from './view.ts';

const createHeading = (level: number, text: string, id?: string): PageNode => ({
  object: 'block',
  type: `heading-${level}`,
  ...(id === undefined ? {} : { meta: { id } }),
  nodes: [{ object: 'text', leaves: [{ object: 'leaf', text, marks: [] }] }],
});
const read = (...nodes: PageNode[]) =>
  collectHeadings({
    page: { title: 'Data Types', document: { object: 'document', data: {}, nodes } },
  } as unknown as PageView);

test('finds the title and headings by their slugs and by the IDs that GitHub generates', () => {
  const [first, second, named] = [
    createHeading(2, 'What’s the -> operator', 'whats-the-operator'),
    createHeading(2, 'Data types', 'data-types-2'),
    createHeading(3, 'Named', 'own'),
  ];
  const { title, aliases } = read(first, second, named);

  expect(title).toEqual(['data-types']);
  expect(aliases.get(first)).toEqual(['what-s-the-operator', 'whats-the---operator']);
  expect(aliases.get(second)).toEqual(['data-types-1', 'data-types_1']);
  expect(aliases.get(named)).toEqual(['named']);
});

test('returns the IDs of other generators and of other blocks, each once', () => {
  const [first, second] = [createHeading(2, '1. Math & TeX', '1-math-tex'), createHeading(2, 'Setup', 'setup')];
  const paragraph: PageNode = { object: 'block', type: 'paragraph', meta: { aliases: ['a', 'setup', 'a'] } };
  const list: PageNode = { object: 'block', type: 'list-unordered', nodes: [paragraph] };
  const { aliases } = read(first, list, second);

  expect(aliases.get(first)).toEqual(['1-math--tex', 'id-1.-math-and-tex', 'id-1.-math-and-te-x', '_1-math-tex']);
  expect(aliases.get(paragraph)).toEqual(['a']);
});

test('a heading in a quote does not take an ID from a heading of the document', () => {
  const [within, own] = [createHeading(4, 'Setup'), createHeading(2, 'Setup', 'setup')];
  const { title, aliases } = read({ object: 'block', type: 'blockquote', nodes: [within] }, own);

  expect([title, aliases.get(own), aliases.get(within)]).toEqual([
    ['data-types'],
    [],
    ['setup-2', 'setup-1', 'setup_1'],
  ]);
});

test.each([
  [[1, 2], 2],
  [[2, 3], 1],
])('headings of the levels %j start at h%i, without skipping a level', (levels, first) => {
  expect(read(...levels.map((level) => createHeading(level, 'X'))).first).toBe(first);
});

test('each additional ID of a heading links to it, unless another heading has this ID', () => {
  const first = { ...createHeading(2, 'First', 'one'), data: { aliases: ['two', 'second', 'first'] } };
  const [second, third] = [
    createHeading(2, 'Second', 'second'),
    { ...createHeading(2, 'Third', 'third'), data: { aliases: ['two'] } },
  ];
  const { aliases } = read(first, second, third);

  expect(aliases.get(first)).toEqual(['two', 'first']);
  expect([aliases.get(second), aliases.get(third)]).toEqual([[], []]);
});
