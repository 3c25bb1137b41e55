import { expect, test } from 'vitest';
import { selectSide } from './conflict-markers.ts';
import { mergeText } from './merge-text.ts';

const page = (entries: string[], body = 'text\n') => ['---', ...entries, '---', body].join('\n');
const merge = (base: string[], main: string[], incoming: string[]) =>
  mergeText({ base: page(base), main: page(main), incoming: page(incoming) });

test('merges by fields: adjacent fields do not conflict', () => {
  expect(merge(['title: A', 'icon: x'], ['title: B', 'icon: x'], ['title: A', 'icon: y'])).toEqual({
    text: page(['title: B', 'icon: y']),
    conflicts: 0,
  });
  expect(merge(['title: A'], ['title: A', 'icon: x'], ['title: A', 'hidden: true']).text).toBe(
    page(['title: A', 'hidden: true', 'icon: x']),
  );
  expect(
    merge(['title: A', 'icon: x', 'hidden: true'], ['icon: x', 'hidden: true'], ['title: A', 'icon: x']).text,
  ).toBe(page(['icon: x']));
});

test('keeps nested values and the comments above them', () => {
  const layout = (cover: boolean) => ['# how it looks', 'layout:', `  cover: ${cover}`, '  title: true'];
  const merged = merge(['title: A', ...layout(true)], ['title: A', ...layout(false)], ['title: B', ...layout(true)]);

  expect(merged).toEqual({ text: page(['title: B', ...layout(false)]), conflicts: 0 });
});

test('merges with the maximum number of comments', () => {
  const comments = '#\n'.repeat(31_000).trimEnd();
  const merged = merge(['a: 1', comments, 'b: 1'], ['a: 2', comments, 'b: 1'], ['a: 1', comments, 'b: 2']);

  expect(merged).toEqual({ text: page(['a: 2', comments, 'b: 2']), conflicts: 0 });
});

test('merges in any order of the fields', () => {
  expect(merge(['title: A', 'icon: x'], ['icon: x', 'title: A'], ['title: A', 'icon: y'])).toEqual({
    text: page(['icon: y', 'title: A']),
    conflicts: 0,
  });
});

test('merges if the base had no frontmatter', () => {
  const texts = { base: 'text\n', main: page(['title: A']), incoming: page(['icon: x']) };

  expect(mergeText(texts)).toEqual({ text: page(['icon: x', 'title: A']), conflicts: 0 });
});

test('a field set on both sides is a conflict of its line', () => {
  const { text, conflicts } = merge(['title: A', 'icon: x'], ['title: B', 'icon: x'], ['title: C', 'icon: y']);

  expect(conflicts).toBe(1);
  expect(selectSide(text, 7, 'incoming')).toBe(page(['title: C', 'icon: y']));
  expect(selectSide(text, 7, 'main')).toBe(page(['title: B', 'icon: y']));
});

test.each<[string, string[], string[], string[]]>([
  ['a flow mapping', ['{title: A, icon: x}'], ['{title: B, icon: x}'], ['{title: A, icon: y}']],
  ['a key given twice', ['title: A', 'title: B'], ['title: C', 'title: B'], ['title: A', 'title: D']],
  ['an anchor that the other side takes away', ['a: &x 1', 'b: 2'], ['b: 2'], ['a: &x 1', 'b: *x']],
  ['no mapping', ['- a', '- b'], ['- A', '- b'], ['- a', '- B']],
])('%s merges by lines, and loses no change', (_what, base, main, incoming) => {
  expect(merge(base, main, incoming).conflicts).toBe(1);
});

test('merges the bodies separately', () => {
  const texts = {
    base: page(['title: A'], 'one\ntwo\nthree\n'),
    main: page(['title: A', 'icon: x'], 'ONE\ntwo\nthree\n'),
    incoming: page(['title: B'], 'one\ntwo\nTHREE\n'),
  };

  expect(mergeText(texts)).toEqual({ text: page(['title: B', 'icon: x'], 'ONE\ntwo\nTHREE\n'), conflicts: 0 });
});

test('merges TOML by fields, and its tables as a whole', () => {
  const toml = (entries: string[]) => ['+++', ...entries, '+++', 'text\n'].join('\n');
  const table = (value: number) => ['[params]', `x = ${value}`, 'y = 1'];
  const texts = {
    base: toml(['title = "A"', 'weight = 1', ...table(1)]),
    main: toml(['title = "B"', 'weight = 1', ...table(1)]),
    incoming: toml(['title = "A"', 'weight = 2', ...table(2)]),
  };

  expect(mergeText(texts)).toEqual({ text: toml(['title = "B"', 'weight = 2', ...table(2)]), conflicts: 0 });
});

test('merges invalid YAML by lines, and does not mix YAML and TOML', () => {
  expect(merge(['title: A: b', 'icon: x'], ['title: C: d', 'icon: x'], ['title: A: b', 'icon: y'])).toEqual({
    text: page(['title: C: d', 'icon: y']),
    conflicts: 0,
  });
  const texts = { base: page(['a: 1']), main: page(['a: 2']), incoming: '+++\na = 1\n+++\ntext\n' };
  expect(mergeText(texts).conflicts).toBeGreaterThan(0);
});
