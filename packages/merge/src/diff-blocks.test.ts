import { getResult, parseTree } from '@octavo/markdown';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { diffBlocks } from './diff-blocks.ts';

const join = (...blocks: string[]) => `${blocks.join('\n\n')}\n`;
const compareUpTo = (before: string, after: string, limits: Parameters<typeof diffBlocks>[2]) =>
  getResult(diffBlocks(parseTree(before).nodes, parseTree(after).nodes, limits));
const compare = (before: string, after: string, maxLength = 1000) =>
  compareUpTo(before, after, { blocks: 1000, words: maxLength }).blocks;
const listKeys = (markdown: string) => parseTree(markdown).nodes.map(({ key = '' }) => key);

describe('the block differences of two texts', () => {
  test('are empty for equal texts', () => {
    expect(compare(join('# Title', 'One', 'Two'), join('# Title', 'One', 'Two'))).toEqual([]);
  });

  test('identify added and removed blocks by their keys and the start of their texts', () => {
    const [before, after] = [join('One'), join('One', 'Something new')];
    const [, key] = listKeys(after);
    expect(compare(before, after)).toEqual([
      { change: 'added', type: 'paragraph', after: key, preview: 'Something new' },
    ]);
    expect(compare(after, before)).toEqual([
      { change: 'removed', type: 'paragraph', before: key, preview: 'Something new' },
    ]);
  });

  test('show the changed words of a block', () => {
    const [before, after] = [join('Intro', 'Run the installer.'), join('Intro', 'Run our installer.')];
    expect(compare(before, after)).toEqual([
      {
        ...{ change: 'changed', type: 'paragraph', before: listKeys(before)[1], after: listKeys(after)[1] },
        words: [
          { text: 'Run ' },
          { text: 'the', change: 'removed' },
          { text: 'our', change: 'added' },
          { text: ' installer.' },
        ],
      },
    ]);
  });

  test('include moved blocks at their current position', () => {
    const differences = compare(
      join('First of all', 'One', 'Two', 'Three'),
      join('One', 'Two', 'Three', 'First of all'),
    );
    expect(differences).toMatchObject([{ change: 'moved', type: 'paragraph', preview: 'First of all' }]);
  });

  test('list a removed block before the blocks that replace it, and after the changed block that precedes it', () => {
    const summarize = (before: string, after: string) =>
      compare(before, after).map(({ change, type }) => `${change} ${type}`);
    expect(summarize(join('Start', 'Different words', 'End'), join('Start', '# A', '- b', 'End'))).toEqual([
      'removed paragraph',
      'added heading-1',
      'added list-unordered',
    ]);
    expect(summarize(join('Install the tool first.', '# Gone'), join('Install this tool first.', '- new'))).toEqual([
      'changed paragraph',
      'removed heading-1',
      'added list-unordered',
    ]);
  });

  test('treat a block that moves into another one as removed', () => {
    const [before, after] = [join('Start', 'Wrap this text.', 'End'), join('Start', '> Wrap this text.', 'End')];
    const list = (one: string, other: string) => compare(one, other).map(({ change, type }) => [change, type]);
    expect(list(before, after)).toEqual([
      ['removed', 'paragraph'],
      ['added', 'blockquote'],
    ]);
    expect(list(after, before)).toEqual([
      ['removed', 'blockquote'],
      ['added', 'paragraph'],
    ]);
  });

  test('compare the words of lists', () => {
    const [list] = compare(join('- one\n- two'), join('- one\n- three'));
    expect(list?.words).toContainEqual({ text: 'three', change: 'added' });
    expect(list?.words).toContainEqual({ text: 'two', change: 'removed' });
  });

  test('leave out words beyond the limits', () => {
    const long = 'word '.repeat(5_000);
    expect(compare(join(`${long} one`), join(`${long} two`), 1_000_000)[0]).not.toHaveProperty('words');
    const [before, after] = [join('One two three', '# A', 'Six seven eight'), join('One two four', '# A', 'Six seven')];
    expect(compare(before, after, 20).map(({ words }) => words !== undefined)).toEqual([true, false]);
  });

  test('are truncated beyond the maximum number of blocks', () => {
    const [before, after] = [join('One'), join('One', 'Two', 'Three')];
    expect(compareUpTo(before, after, { blocks: 2, words: 0 })).not.toHaveProperty('truncated');
    expect(compareUpTo(before, after, { blocks: 1, words: 0 })).toMatchObject({
      blocks: [{ preview: 'Two' }],
      truncated: true,
    });
  });

  test('compare no words after the limit is reached', () => {
    const createText = (sign: string) =>
      join(...Array.from({ length: 20 }, (_, block) => `${block} ${`same ${sign} word `.repeat(1000)}`));
    const sumEstimates = (words: number) => {
      const steps = diffBlocks(parseTree(createText('a')).nodes, parseTree(createText('b')).nodes, {
        blocks: 1000,
        words,
      });
      let sum = 0;
      for (let step = steps.next(); !step.done; step = steps.next()) sum += step.value ?? 0;
      return sum;
    };
    expect(sumEstimates(1)).toBeLessThan(sumEstimates(1_000_000) / 4);
  });

  test('name each differing block of both texts once, and the current ones in their order', () => {
    const text = fc.array(fc.constantFrom('one', 'two words', '# Title', '- item', '> one', 'one more word'), {
      maxLength: 8,
    });
    holds(
      fc.property(text, text, (old, next) => {
        const [before, after] = [join(...old), join(...next)];
        const differences = compare(before, after);
        const listSideKeys = (side: 'before' | 'after') => differences.flatMap((each) => each[side] ?? []);
        const createUnchangedPart = (side: 'before' | 'after', text: string) =>
          listKeys(text).filter((key) => !listSideKeys(side).includes(key));
        const getContentKey = (key: string) => key.split('-')[0];
        expect(createUnchangedPart('before', before).map(getContentKey)).toEqual(
          createUnchangedPart('after', after).map(getContentKey),
        );
        expect(listKeys(after).filter((key) => listSideKeys('after').includes(key))).toEqual(listSideKeys('after'));
        expect(new Set(listSideKeys('before')).size).toBe(listSideKeys('before').length);
      }),
    );
  });
});
