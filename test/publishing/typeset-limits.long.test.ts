import { BookTooLarge } from '@octavo/typeset';
import { describe, expect, test } from 'vitest';
import { printed, Stretches } from './printed.ts';

describe('a page of half a megabyte lets others have their turn', () => {
  const long: Record<string, string> = {
    'quotes and lists': '>\n- \n',
    paragraphs: 'a\n\n',
    'a list': '- one *two* [three](four.md)\n',
    'a quote': '> words of it\n',
    'a table': '| `x` | [y](z) |\n',
    'a line without spaces': 'x',
    'a line of words': 'some words ',
    'a line of brackets': '[',
    'a line of Chinese': '汉字简体中文',
    'lines of code': '    some code\n',
    'lines of HTML': '<b>it</b>\n',
    'tags that are not closed': '{% hint style="info" %}\n',
    'tags that are not opened': '{% endhint %}\n',
    dividers: '\n---\n',
    headings: '# a\n',
    definitions: '[a]: b\n',
  };
  const longestMs = 250;

  test.each(Object.entries(long))('%s', async (_name, unit) => {
    const start = unit.startsWith('|') ? '| a | b |\n|---|---|\n' : '';
    const markdown = start + unit.repeat(Math.ceil(2 ** 19 / unit.length));
    const stretches = new Stretches();
    await printed({ pages: [{ markdown }], stretches }).catch((error: unknown) => {
      if (!(error instanceof BookTooLarge)) throw error;
    });

    expect(stretches.end()).toBeLessThan(longestMs);
    expect(stretches.turns).toBeGreaterThan(20);
  });

  test('also where it is included', async () => {
    const contents = new Map([['c', { markdown: '>\n- \n'.repeat(15_000), targetOf: () => undefined }]]);
    const evaluation = { scope: {}, targetOf: () => 'c', contents };
    const stretches = new Stretches();
    await printed({ pages: [{ markdown: '- {% include "c.md" %}\n', evaluation }], stretches });

    expect(stretches.end()).toBeLessThan(longestMs);
    expect(stretches.turns).toBeGreaterThan(20);
  });

  test('turns come as often as there is more to set', async () => {
    const turnsOf = async (words: number) => (await printed({ pages: [{ markdown: 'word '.repeat(words) }] })).turns;

    expect((await turnsOf(100_000)) - (await turnsOf(10_000))).toBeGreaterThan(45);
  });
});

describe('a book that is too large for one PDF is refused', () => {
  test.each([
    ['10,000 sheets', Array.from({ length: 10_001 }, () => ({ markdown: '' }))],
    ['33,554,432 characters of text', Array.from({ length: 33 }, () => ({ markdown: ' '.repeat(2 ** 20) }))],
  ])('with more than %s', async (most, pages) => {
    await expect(printed({ pages })).rejects.toThrow(new BookTooLarge(`It would have more than ${most}.`));
  });
});
