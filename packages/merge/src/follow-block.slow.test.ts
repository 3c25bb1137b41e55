import { type Block, getResult, isBlock, parseTree } from '@octavo/markdown';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds, isOfAll } from '../../../test/support/random.ts';
import { createFollower } from './follow-block.ts';

const followBlocks = (before: string | undefined, after: string, keys: string[]) =>
  getResult(createFollower(parseTree(after).nodes)(before === undefined ? undefined : parseTree(before).nodes, keys));

const followBlock = (before: string, after: string, key: string) => followBlocks(before, after, [key]).get(key);

function listBlocks(nodes: Block['nodes']): Block[] {
  return nodes.filter(isBlock).flatMap((node) => [node, ...listBlocks(node.nodes)]);
}

/** Returns the key of the innermost block that contains this text. */
const readKey = (markdown: string, text: string, nth = 0): string =>
  listBlocks(parseTree(markdown).nodes)
    .filter((node) => !node.nodes.some(isBlock) && JSON.stringify(node.nodes).includes(text))
    .at(nth)?.key ?? '';

const follow = (before: string, after: string, text: string, nth = 0) =>
  followBlock(before, after, readKey(before, text, nth))?.preview;

const page =
  '# Title\n\nThe first text.\n\nThe second text.\n\n* one\n* two\n* three\n\n| a | b |\n| --- | --- |\n| c | d |\n';

describe('an unchanged block', () => {
  test.each([
    ['in the same text', page],
    ['with blocks added before it', `Before.\n\n${page}`],
    ['with another block edited', page.replace('first', 'changed')],
    ['with another block deleted', page.replace('The first text.\n\n', '')],
    ['moved', page.replace('The second text.\n\n', '').concat('\nThe second text.\n')],
    ['put into a list', page.replace('The second text.\n\n', '').replace('* two', '* two\n\n  The second text.')],
  ])('%s', (_name, after) => {
    expect(follow(page, after, 'second')).toBe('The second text.');
  });
});

describe('a block edited in place', () => {
  test.each([
    ['a paragraph', 'second', page.replace('The second text.', 'The 2nd text!'), 'The 2nd text!'],
    ['a paragraph of which no word is kept', 'second', page.replace('The second text.', 'Else'), 'Else'],
    ['a heading', 'Title', page.replace('# Title', '## Titles'), 'Titles'],
    ['an item of a list', 'two', page.replace('* two', '* 2'), '2'],
    ['an item after one that was added', 'two', page.replace('* two', '* zero\n* two and more'), 'two and more'],
    ['a cell of a table', '"d"', page.replace('| d |', '| D |'), 'D'],
    [
      'a paragraph after a deleted one',
      'second',
      page.replace(/The first.*\n\nThe second/, 'A second'),
      'A second text.',
    ],
  ])('%s', (_name, text, after, preview) => {
    expect(follow(page, after, text)).toBe(preview);
  });
});

describe('a deleted block', () => {
  test.each([
    ['a paragraph', 'second', page.replace('The second text.\n\n', '')],
    ['an item', 'two', page.replace('* two\n', '')],
    ['the item of a list', 'two', page.replace(/(\* .*\n)+\n/, '')],
    ['all', 'second', ''],
    ['a paragraph that code replaced', 'second', page.replace('The second text.', '```\nlet a;\n```')],
  ])('%s', (_name, text, after) => {
    expect(follow(page, after, text)).toBeUndefined();
  });

  test('does not find a block that is in neither text', () => {
    expect(followBlock(page, page, 'nothing')).toBeUndefined();
    expect(followBlock(page, `${page}\nmore\n`, 'nothing')).toBeUndefined();
  });
});

describe('repeated equal blocks', () => {
  const repeated = 'same\n\nA.\n\nsame\n\nB.\n\nsame\n';
  const keys = [0, 1, 2].map((nth) => readKey(repeated, 'same', nth));

  test('follows each of them separately', () => {
    const after = 'same\n\nA.\n\nchanged same\n\nB.\n\nsame\n';
    const foundBlocks = followBlocks(repeated, after, keys);
    expect(keys.map((key) => foundBlocks.get(key)?.preview)).toEqual(['same', 'changed same', 'same']);
    expect(foundBlocks.get(keys[2] ?? '')?.key).toBe(keys[1]);
  });

  test('reports the first of several equal blocks as deleted, even if another block now has its key', () => {
    const foundBlocks = followBlocks(repeated, 'A.\n\nsame\n\nB.\n\nsame\n', keys);
    expect(keys.map((key) => foundBlocks.get(key)?.key)).toEqual([undefined, keys[0], keys[1]]);
  });
});

test('follows a block by its key only if the previous document text is unknown', () => {
  const key = readKey(page, 'second');
  expect(followBlocks(undefined, `${page}\nmore\n`, [key, 'nothing'])).toEqual(
    new Map([[key, { key, preview: 'The second text.' }]]),
  );
});

const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'same', 'x', 'y', 'z', '**bold**', '`code`');
const words = fc.array(word, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(' '));
const block = fc.oneof(
  words,
  words.map((text) => `## ${text}`),
  fc.array(words, { minLength: 1, maxLength: 3 }).map((items) => items.map((item) => `* ${item}`).join('\n')),
  words.map((text) => `> ${text}`),
);
const blocks = fc.array(block, { maxLength: 8 });
const join = (...parts: string[]): string => `${parts.join('\n\n')}\n`;
const unlike = 'a text that no other block has';

describe('random blocks', () => {
  test('finds a block after edits of all others', () => {
    holds(
      fc.property(blocks, blocks, blocks, blocks, (above, below, newAbove, newBelow) => {
        const before = join(...above, unlike, ...below);
        const foundBlock = followBlock(before, join(...newAbove, unlike, ...newBelow), readKey(before, unlike));
        expect(foundBlock?.preview).toBe(unlike);
      }),
    );
  });

  test('returns the key that an edited block has in the new text', () => {
    holds(
      fc.property(blocks, blocks, words, (above, below, added) => {
        const before = join(...above, unlike, ...below);
        const after = join(...above, `${unlike}, indeed ${added}`, ...below);
        const foundBlock = followBlock(before, after, readKey(before, unlike));
        expect(foundBlock?.preview).toMatch(/^a text that no other block has, indeed/);
        expect(listBlocks(parseTree(after).nodes).map(({ key }) => key)).toContain(foundBlock?.key);
      }),
    );
  });

  test('does not find a deleted block', () => {
    holds(
      fc.property(blocks, blocks, (above, below) => {
        const before = join(...above, unlike, ...below);
        expect(followBlock(before, join(...above, ...below), readKey(before, unlike))).toBeUndefined();
      }),
    );
  });

  test('is deterministic, and never maps two blocks to one', () => {
    holds(
      fc.property(blocks, blocks, (one, other) => {
        const [before, after] = [join(...one), join(...other)];
        const keys = listBlocks(parseTree(before).nodes).map(({ key = '' }) => key);
        const foundBlocks = followBlocks(before, after, keys);
        expect(followBlocks(before, after, keys.toReversed())).toEqual(foundBlocks);
        const successors = [...foundBlocks.values()].map(({ key }) => key);
        expect(new Set(successors).size).toBe(successors.length);
      }),
    );
  });
});

describe('block preview', () => {
  const getFirstPreview = (markdown: string) =>
    followBlock('', markdown, parseTree(markdown).nodes[0]?.key ?? '')?.preview;

  test.each([
    ['text without its marks', '**Bold** _text_ and `code`\nof [a link](b.md)', 'Bold text and code of a link'],
    ['a list', '* one\n* two', 'one two'],
    ['an image', '<figure><img src="a.png" alt="A picture"><figcaption></figcaption></figure>', 'A picture'],
    ['math', '$$\nx^2\n$$', 'x^2'],
    ['a mention', 'for @usr_abc and :smile:', 'for @usr_abc and :smile:'],
    ['a long text', 'a'.repeat(201), `${'a'.repeat(199)}…`],
    ['a long text with a surrogate pair at the end', `${'a'.repeat(198)}😀bc`, `${'a'.repeat(198)}…`],
    ['200 characters', 'a'.repeat(200), 'a'.repeat(200)],
  ])('%s', (_name, markdown, text) => {
    expect(getFirstPreview(markdown)).toBe(text);
  });
});

/** Pairs of texts before and after an edit, of about 25 kB at scale 1. Tests use smaller scales. */
const hostile: Record<string, (scale: number) => [before: string, after: string]> = {
  'nothing in common': (n) => [createNumberedBlocks('a', n * 2000), createNumberedBlocks('b', n * 2000)],
  'half of the text in common': (n) => [
    createNumberedBlocks('a', n * 2000),
    createNumberedBlocks('a', n * 4000).replace(/a\d*[02468]\n\n/g, ''),
  ],
  reversed: (n) => [
    createNumberedBlocks('a', n * 2000),
    createNumberedBlocks('a', n * 2000)
      .split('\n\n')
      .reverse()
      .join('\n\n'),
  ],
  'equal blocks': (n) => ['a\n\n'.repeat(n * 3000), `b\n\n${'a\n\n'.repeat(n * 2900)}`],
  'a list': (n) => [createList('a', n * 1500), createList('b', n * 1500)],
  'a nested list': (n) => ['- '.repeat(n * 5000), '* '.repeat(n * 5000)],
  'similar blocks': (n) => [createEqualBlocks('x', n * 100), createEqualBlocks('y', n * 100)],
  'one word': (n) => ['a'.repeat(n * 25_000), 'b'.repeat(n * 25_000)],
};
const createNumberedBlocks = (sign: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${sign}${index}\n\n`).join('');
const createList = (sign: string, count: number) =>
  Array.from({ length: count }, (_, index) => `* ${sign}${index}\n`).join('');
const createEqualBlocks = (sign: string, count: number) =>
  Array.from({ length: count }, (_, index) => `many words of ${sign} are alike in ${index}\n\n`).join('');

function measureProcessorTime([before, after]: [string, string]): number {
  const keys = listBlocks(parseTree(before).nodes).map(({ key = '' }) => key);
  const start = process.threadCpuUsage();
  followBlocks(before, after, keys);
  const { user, system } = process.threadCpuUsage(start);
  return user + system;
}

const scale = isOfAll ? 1 / 4 : 1 / 8;

describe('hostile texts take linear time', () => {
  test.each(Object.entries(hostile))('%s', (_name, texts) => {
    const [small, large] = [texts(scale), texts(8 * scale)];
    measureProcessorTime(small);
    const most = Math.min(measureProcessorTime(small), measureProcessorTime(small)) * 40 + 500_000 * scale;
    // A measurement may include garbage collection, so it is repeated if it is too high.
    expect(Array.from({ length: 5 }).some(() => measureProcessorTime(large) < most)).toBe(true);
  });

  test('a text too large for a tree is one block', () => {
    const before = 'a\n\n'.repeat(40_000);
    const [key = ''] = parseTree(before).nodes.map((node) => node.key);
    expect(followBlock(before, `b\n\n${before}`, key)?.preview).toMatch(/^b a a .*…$/);
  });
});
