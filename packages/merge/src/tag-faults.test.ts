import { expect, test } from 'vitest';
import { selectSide } from './conflict-markers.ts';
import { mergeText } from './merge-text.ts';

const base = 'one\n\ntwo\n\nthree\n\nfour\n';
const wrapLines = (open: string, close: string, [from, to]: [number, number]) => {
  const lines = ['one', '', 'two', '', 'three', '', 'four', ''];
  return [...lines.slice(0, from), open, ...lines.slice(from, to), close, ...lines.slice(to)].join('\n');
};
const hint = ['{% hint style="info" %}', '{% endhint %}'] as const;
const tabs = ['{% tabs %}', '{% endtabs %}'] as const;

test('crossing tags cause a conflict of the whole change, whichever side added them', () => {
  const [main, incoming] = [wrapLines(...hint, [0, 5]), wrapLines(...tabs, [2, 7])];
  for (const texts of [
    { base, main, incoming },
    { base, main: incoming, incoming: main },
  ]) {
    const { text, conflicts, crossesTags } = mergeText(texts);
    expect({ conflicts, crossesTags }).toEqual({ conflicts: 1, crossesTags: true });
    expect(selectSide(text, 7, 'main')).toBe(texts.main);
    expect(selectSide(text, 7, 'incoming')).toBe(texts.incoming);
  }
});

test('nested tags merge', () => {
  const texts = { base, main: wrapLines(...hint, [0, 7]), incoming: wrapLines(...tabs, [2, 5]) };

  expect(mergeText(texts).conflicts).toBe(0);
});

test('reports a conflict if one side removes tags that the other closes', () => {
  const open = wrapLines(...hint, [0, 5]);
  const texts = { base: open, main: base, incoming: wrapLines(...hint, [0, 7]) };

  expect(mergeText(texts).conflicts).toBe(1);
  expect(selectSide(mergeText(texts).text, 7, 'main')).toBe(texts.main);
});

test('reports no conflict for tags that already cross within one side', () => {
  const crossed = `{% hint %}\n{% tabs %}\n{% endhint %}\n{% endtabs %}\n\n${base}`;

  expect(mergeText({ base, main: crossed, incoming: `${base}\nfive\n` }).conflicts).toBe(0);
  expect(mergeText({ base: crossed, main: `${crossed}five\n`, incoming: `zero\n${crossed}` }).conflicts).toBe(0);
});

test('tags in a code fence are text', () => {
  const createFence = (...lines: string[]) => ['```', ...lines, '```', ''].join('\n');
  const texts = {
    base: createFence('a', 'b', 'c', 'd', 'e'),
    main: createFence('{% hint %}', 'a', 'b', 'c', 'd', 'e'),
    incoming: createFence('a', 'b', 'c', 'd', '{% tabs %}', 'e'),
  };

  expect(mergeText(texts).conflicts).toBe(0);
});
