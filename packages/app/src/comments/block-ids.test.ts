import { describe, expect, test } from 'vitest';
import { identifyBlocks } from './block-ids.ts';

/** Returns the positions in the former version of the blocks that kept their ids. */
function findKept(formerKeys: string[], keys: string[]): (number | undefined)[] {
  const former = identifyBlocks([], formerKeys);
  const current = identifyBlocks(former, keys);
  expect(new Set(current.map(({ id }) => id)).size).toBe(keys.length);
  return current.map(({ id }) => {
    const index = former.findIndex((each) => each.id === id);
    return index === -1 ? undefined : index;
  });
}

describe('the ids of blocks', () => {
  test.each<[string, string[], string[], (number | undefined)[]]>([
    ['stay the same for the same blocks', ['a', 'b'], ['a', 'b'], [0, 1]],
    ['stay the same for an edited block', ['a', 'b', 'c'], ['a', 'x', 'c'], [0, 1, 2]],
    ['stay the same for edited blocks side by side', ['a', 'b', 'c'], ['x', 'y', 'c'], [0, 1, 2]],
    ['follow a moved block', ['a', 'b', 'c'], ['c', 'a', 'b'], [2, 0, 1]],
    ['are new for an inserted block', ['a', 'b'], ['a', 'x', 'b'], [0, undefined, 1]],
    ['do not move from a removed block to another one', ['a', 'b', 'c'], ['a', 'c'], [0, 2]],
    ['are new if it is unknown which block was edited', ['a', 'b'], ['a', 'x', 'y'], [0, undefined, undefined]],
    ['differ for blocks with the same key', ['a', '', ''], ['a', '', '', ''], [0, 1, 2, undefined]],
  ])('%s', (_name, former, keys, expected) => {
    expect(findKept(former, keys)).toEqual(expected);
  });

  test('are not given to another block when the text of a block returns', () => {
    const first = identifyBlocks([], ['a']);
    const edited = identifyBlocks(first, ['b']);
    const copied = identifyBlocks(edited, ['b', 'a']);
    expect(copied[0]?.id).toBe(first[0]?.id);
    expect(copied[1]?.id).not.toBe(first[0]?.id);
  });
});
