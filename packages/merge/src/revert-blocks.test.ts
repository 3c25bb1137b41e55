import { parseTree } from '@octavo/markdown';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { revertBlocks } from './conflict-markers.ts';

const getKeys = (markdown: string, ...indexes: number[]) =>
  indexes.map((index) => parseTree(markdown).nodes[index]?.key ?? '');

const before = '# Title\n\nOne.\n\nTwo.\n\nThree.\n';

test('restores a changed block, and keeps the other changes', () => {
  const now = '# Title\n\nOne!\n\nTwo.\n\nThree!\n';

  expect(revertBlocks(now, before, getKeys(now, 1)).markdown).toBe('# Title\n\nOne.\n\nTwo.\n\nThree!\n');
  expect(revertBlocks(now, before, getKeys(before, 3)).markdown).toBe('# Title\n\nOne!\n\nTwo.\n\nThree.\n');
});

test('removes an added block, and restores a deleted one in its position', () => {
  const now = '# Title\n\nTwo.\n\nThree.\n\nFour.\n';

  expect(revertBlocks(now, before, getKeys(now, 3)).markdown).toBe('# Title\n\nTwo.\n\nThree.\n');
  expect(revertBlocks(now, before, getKeys(before, 1)).markdown).toBe('# Title\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n');
});

test('reports an unknown key and changes nothing', () => {
  expect(revertBlocks(before, '# Title\n', ['nothing'])).toEqual({ markdown: before, unknown: ['nothing'] });
});

const text = fc.array(fc.constantFrom('One.', 'Two.', '# Head', '> quoted', '* item', '```\ncode\n```'), {
  maxLength: 8,
});

test('reverting the blocks of both texts restores the former text', () => {
  holds(
    fc.property(text, text, (former, present) => {
      const [was, is] = [former, present].map((blocks) => blocks.map((block) => `${block}\n`).join('\n'));
      const keys = [was, is].flatMap((each = '') => parseTree(each).nodes.map(({ key = '' }) => key));

      const reverted = revertBlocks(is ?? '', was ?? '', keys).markdown;

      expect(removeKeys(reverted)).toEqual(removeKeys(was ?? ''));
    }),
  );
});

const removeKeys = (markdown: string) => parseTree(markdown).nodes.map(({ type, nodes }) => ({ type, nodes }));
