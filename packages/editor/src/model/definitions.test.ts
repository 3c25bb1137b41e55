import { expect, test } from 'vitest';
import { openPage } from './page.ts';

const join = (count: number, format: (index: number) => string, separator: string): string =>
  Array.from({ length: count }, (_, index) => format(index)).join(separator);

/** Creates a text with sections, footnotes and link definitions, of which each section uses one. */
const createText = (size: number): string =>
  [
    join(size, (index) => `## Section ${index}\n\nSee [page ${index}][p${index}][^${index}].`, '\n\n'),
    join(2 * size, (index) => `[p${index}]: page-${index}.md`, '\n'),
    join(size, (index) => `[^${index}]: Note ${index}`, '\n\n'),
  ].join('\n\n');

/** Returns the time that opening a text takes, without the interruptions by other processes. */
function measure(markdown: string): number {
  const times = [1, 2, 3].map(() => {
    const start = performance.now();
    openPage(markdown);
    return performance.now() - start;
  });
  return Math.min(...times);
}

test('opening a text with eight times as many sections and definitions takes less than 24 times as long', () => {
  const [small, large] = [createText(25), createText(200)];
  expect(measure(large)).toBeLessThan(24 * measure(small));
});

test.each([
  ['[a]\n\n[a]: b\n"Title"\n', 'paragraph'],
  ['[a](not an address)\n\n[a]: b\n', 'paragraph'],
  ['> See [a\n> link].\n\n[a link]: b\n', 'blockquote'],
  ['The key is [key].\n\n```js\n[key]: 1\n```\n', 'paragraph'],
  ['See [a].\n\n- [a]: b\n', 'paragraph'],
  ['See[^a].\n\n[^a]: Also [b].\n\n[b]: c\n', 'paragraph'],
])('a block that refers to a definition is rich text: %j', (markdown, type) => {
  expect(openPage(markdown).doc.firstChild?.type.name).toBe(type);
});
