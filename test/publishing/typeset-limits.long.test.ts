import { BookTooLarge } from '@octavo/typeset';
import { describe, expect, test } from 'vitest';
import { type BookInput, Stretches, typesetPages } from './printed.ts';

describe('a page of 32 KB yields to the event loop', () => {
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
  const slower = { timeout: 300_000 };

  /**
   * Returns the longest time without a yield in the best of up to three runs. Repeats the run only on a slow machine.
   */
  async function getLongest(document: Omit<BookInput, 'stretches'>): Promise<{ longest: number; turns: number }> {
    let best = { longest: Number.POSITIVE_INFINITY, turns: 0 };
    for (let run = 0; run < 3 && best.longest >= longestMs; run += 1) {
      const stretches = new Stretches();
      await typesetPages({ ...document, stretches }).catch((error: unknown) => {
        if (!(error instanceof BookTooLarge)) throw error;
      });
      const longest = stretches.end();
      if (longest < best.longest) best = { longest, turns: stretches.turns };
    }
    return best;
  }

  /**
   * Checks that the time between yields does not grow with the text, by comparing it with the time for an eighth of the
   * text.
   */
  async function expectLinearYields(givenOf: (share: number) => Omit<BookInput, 'stretches'>): Promise<void> {
    const whole = await getLongest(givenOf(1));
    expect(whole.turns).toBeGreaterThan(10);
    if (whole.longest < longestMs) return;
    const { longest } = await getLongest(givenOf(1 / 8));
    expect(whole.longest).toBeLessThan(Math.max(longestMs, 4 * longest));
  }

  test.each(Object.entries(long))('%s', slower, async (_name, unit) => {
    const start = unit.startsWith('|') ? '| a | b |\n|---|---|\n' : '';
    await expectLinearYields((share) => ({
      pages: [{ markdown: start + unit.repeat(Math.ceil((share * 2 ** 15) / unit.length)) }],
    }));
  });

  test('even if it is included in another page', slower, async () => {
    await expectLinearYields((share) => {
      const contents = new Map([['c', { markdown: '>\n- \n'.repeat(share * 2_000), findTarget: () => undefined }]]);
      const evaluation = { scope: {}, findTarget: () => 'c', contents };
      return { pages: [{ markdown: '- {% include "c.md" %}\n', evaluation }] };
    });
  });

  test('yields in proportion to the amount of content', async () => {
    const countYields = async (words: number) =>
      (await typesetPages({ pages: [{ markdown: 'word '.repeat(words) }] })).turns;

    expect((await countYields(100_000)) - (await countYields(10_000))).toBeGreaterThan(45);
  });
});

describe('rejects a book that is too large for one PDF', () => {
  test.each([
    ['10,000 sheets', Array.from({ length: 10_001 }, () => ({ markdown: '' }))],
    ['33,554,432 characters of text', Array.from({ length: 33 }, () => ({ markdown: ' '.repeat(2 ** 20) }))],
  ])('with more than %s', async (most, pages) => {
    await expect(typesetPages({ pages })).rejects.toThrow(new BookTooLarge(`The PDF would have more than ${most}.`));
  });
});
