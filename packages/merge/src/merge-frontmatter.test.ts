import { expect, test } from 'vitest';
import { selectSide } from './conflict-markers.ts';
import { mergeText } from './merge-text.ts';

const createPage = (entries: string[], body = 'text\n') => ['---', ...entries, '---', body].join('\n');
const merge = (base: string[], main: string[], incoming: string[]) =>
  mergeText({ base: createPage(base), main: createPage(main), incoming: createPage(incoming) });

test('merges by fields: adjacent fields do not conflict', () => {
  expect(merge(['title: A', 'icon: x'], ['title: B', 'icon: x'], ['title: A', 'icon: y'])).toEqual({
    text: createPage(['title: B', 'icon: y']),
    conflicts: 0,
  });
  expect(merge(['title: A'], ['title: A', 'icon: x'], ['title: A', 'hidden: true']).text).toBe(
    createPage(['title: A', 'hidden: true', 'icon: x']),
  );
  expect(
    merge(['title: A', 'icon: x', 'hidden: true'], ['icon: x', 'hidden: true'], ['title: A', 'icon: x']).text,
  ).toBe(createPage(['icon: x']));
});

test('keeps nested values and the comments above them', () => {
  const createLayout = (cover: boolean) => ['# how it looks', 'layout:', `  cover: ${cover}`, '  title: true'];
  const merged = merge(
    ['title: A', ...createLayout(true)],
    ['title: A', ...createLayout(false)],
    ['title: B', ...createLayout(true)],
  );

  expect(merged).toEqual({ text: createPage(['title: B', ...createLayout(false)]), conflicts: 0 });
});

test('merges with the maximum number of comments', () => {
  const comments = '#\n'.repeat(31_000).trimEnd();
  const merged = merge(['a: 1', comments, 'b: 1'], ['a: 2', comments, 'b: 1'], ['a: 1', comments, 'b: 2']);

  expect(merged).toEqual({ text: createPage(['a: 2', comments, 'b: 2']), conflicts: 0 });
});

test('merges in any order of the fields', () => {
  expect(merge(['title: A', 'icon: x'], ['icon: x', 'title: A'], ['title: A', 'icon: y'])).toEqual({
    text: createPage(['icon: y', 'title: A']),
    conflicts: 0,
  });
});

test('merges if the base had no frontmatter', () => {
  const texts = { base: 'text\n', main: createPage(['title: A']), incoming: createPage(['icon: x']) };

  expect(mergeText(texts)).toEqual({ text: createPage(['icon: x', 'title: A']), conflicts: 0 });
});

test('a field set to different values on both sides is a conflict of its line', () => {
  const { text, conflicts } = merge(['title: A', 'icon: x'], ['title: B', 'icon: x'], ['title: C', 'icon: y']);

  expect(conflicts).toBe(1);
  expect(selectSide(text, 7, 'incoming')).toBe(createPage(['title: C', 'icon: y']));
  expect(selectSide(text, 7, 'main')).toBe(createPage(['title: B', 'icon: y']));
});

test.each<[string, string[], string[], string[]]>([
  ['a flow mapping', ['{title: A, icon: x}'], ['{title: B, icon: x}'], ['{title: A, icon: y}']],
  ['a duplicate key', ['title: A', 'title: B'], ['title: C', 'title: B'], ['title: A', 'title: D']],
  ['an anchor that the other side removes', ['a: &x 1', 'b: 2'], ['b: 2'], ['a: &x 1', 'b: *x']],
  ['a value that is not a mapping', ['- a', '- b'], ['- A', '- b'], ['- a', '- B']],
])('%s merges by lines, and loses no change', (_what, base, main, incoming) => {
  expect(merge(base, main, incoming).conflicts).toBe(1);
});

test('merges the bodies separately', () => {
  const texts = {
    base: createPage(['title: A'], 'one\ntwo\nthree\n'),
    main: createPage(['title: A', 'icon: x'], 'ONE\ntwo\nthree\n'),
    incoming: createPage(['title: B'], 'one\ntwo\nTHREE\n'),
  };

  expect(mergeText(texts)).toEqual({ text: createPage(['title: B', 'icon: x'], 'ONE\ntwo\nTHREE\n'), conflicts: 0 });
});

test('merges TOML by fields, and its tables as a whole', () => {
  const createToml = (entries: string[]) => ['+++', ...entries, '+++', 'text\n'].join('\n');
  const createTable = (value: number) => ['[params]', `x = ${value}`, 'y = 1'];
  const texts = {
    base: createToml(['title = "A"', 'weight = 1', ...createTable(1)]),
    main: createToml(['title = "B"', 'weight = 1', ...createTable(1)]),
    incoming: createToml(['title = "A"', 'weight = 2', ...createTable(2)]),
  };

  expect(mergeText(texts)).toEqual({
    text: createToml(['title = "B"', 'weight = 2', ...createTable(2)]),
    conflicts: 0,
  });
});

test('merges invalid YAML by lines, and does not mix YAML and TOML', () => {
  expect(merge(['title: A: b', 'icon: x'], ['title: C: d', 'icon: x'], ['title: A: b', 'icon: y'])).toEqual({
    text: createPage(['title: C: d', 'icon: y']),
    conflicts: 0,
  });
  const texts = { base: createPage(['a: 1']), main: createPage(['a: 2']), incoming: '+++\na = 1\n+++\ntext\n' };
  expect(mergeText(texts).conflicts).toBeGreaterThan(0);
});
