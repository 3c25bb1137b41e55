import { type Block, getResult, parseTree, publishTree } from '@octavo/markdown';
import { diffBlocks } from '@octavo/merge';
import type { PageNode } from '@octavo/reader/drawing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../../test/support/random.ts';
import { arrangeBlocks, groupBlocks } from './arrange-blocks.ts';

const compare = (former: Block[], current: Block[]) =>
  getResult(diffBlocks(former, current, { blocks: 100, words: 1000 })).blocks;

const arrange = (before: string, after: string) => {
  const [former, current] = [parseTree(before).nodes, parseTree(after).nodes];
  return arrangeBlocks(former as PageNode[], current as PageNode[], compare(former, current));
};
const getText = ({ leaves = [], nodes = [] }: PageNode): string =>
  [...leaves.map(({ text }) => text), ...nodes.map(getText)].join('');
const show = (before: string, after: string) =>
  arrange(before, after).map(
    ({ kind, ...block }) => `${kind}: ${getText(block.after ?? block.before ?? { object: 'block' })}`,
  );

test('distinguishes changed, added, removed and moved blocks', () => {
  const before = '# Guide\n\nMove me.\n\nThen run it.\n\nStay.\n\nInstall the tool first.\n\n- Gone\n';
  const after = '# Guide\n\nThen run it.\n\nStay.\n\nInstall version 2 of the tool first.\n\nNew here.\n\nMove me.\n';

  expect(show(before, after)).toEqual([
    'unchanged: Guide',
    'moved-away: Move me.',
    'unchanged: Then run it.',
    'unchanged: Stay.',
    'changed: Install version 2 of the tool first.',
    'removed: Gone',
    'added: New here.',
    'moved-here: Move me.',
  ]);
});

test('shows all blocks of a new page as added', () => {
  expect(show('', 'One.\n\nTwo.\n')).toEqual(['added: One.', 'added: Two.']);
});

/** Arranges the drawn nodes of two versions. A block can be drawn as several nodes, or as none. */
function arrangeDrawn(before: string, after: string, titles?: { before: string; after: string }) {
  const [former, current] = [parseTree(before), parseTree(after)];
  const draw = (tree: typeof former, title: string | undefined) =>
    publishTree(tree, { includes: () => undefined, title }).nodes as object[] as PageNode[];
  return arrangeBlocks(
    draw(former, titles?.before),
    draw(current, titles?.after),
    compare(former.nodes, current.nodes),
    titles,
  );
}

const listDrawn = (...versions: Parameters<typeof arrangeDrawn>) =>
  arrangeDrawn(...versions).map(({ kind, before, after }) => `${kind}: ${(after ?? before)?.type}`);

const embed = '{% embed url="https://example.com/a" %}\nCaption\n{% endembed %}';
const file = '{% file src="a.pdf" %}\nCaption of a file\n{% endfile %}';

test('shows all nodes of blocks that are drawn as several', () => {
  expect(listDrawn('', `One.\n\n${embed}\n\nTwo.\n\n${file}\n\nThree.\n`)).toEqual([
    ...['added: paragraph', 'added: embed', 'added: paragraph', 'added: paragraph'],
    ...['added: content-ref', 'added: paragraph', 'added: paragraph'],
  ]);
  expect(listDrawn(`One.\n\n${embed}\n\nTwo.\n`, 'One.\n\nTwo.\n')).toEqual([
    ...['unchanged: paragraph', 'removed: embed', 'removed: paragraph', 'unchanged: paragraph'],
  ]);
  expect(listDrawn(`One.\n\n${embed}\n\nTwo.\n`, `One.\n\n${embed.replace('/a', '/b')}\n\nTwo.\n`)).toEqual([
    ...['unchanged: paragraph', 'changed: embed', 'unchanged: paragraph', 'unchanged: paragraph'],
  ]);
});

const picture = '<figure><img src="a.png" alt="b"><figcaption><p>c</p></figcaption></figure>';

describe('a page whose title changed', () => {
  const createPage = (heading: string) => `# ${heading}\n\nText.\n\n${picture}\n\n- Item\n\n${picture}\n`;
  const unchanged = ['paragraph', 'images', 'list-unordered', 'images'].map((type) => `unchanged: ${type}`);

  test('has no changed block except a heading that is no longer the title', () => {
    expect(listDrawn(createPage('Old'), createPage('Old'), { before: 'Old', after: 'New' })).toEqual([
      'unchanged: heading-1',
      ...unchanged,
    ]);
    expect(listDrawn(createPage('New'), createPage('New'), { before: 'Old', after: 'new!' })).toEqual(unchanged);
    expect(listDrawn(createPage('Old'), createPage('New'), { before: 'Old', after: 'New' })).toEqual(unchanged);
    expect(listDrawn(createPage('Old'), createPage('New'), { before: 'Old', after: 'Old' })).toEqual([
      'changed: heading-1',
      ...unchanged,
    ]);
  });

  test('has a changed heading even if it became the title', () => {
    expect(listDrawn(createPage('Old'), createPage('New'), { before: 'New', after: 'New' })).toEqual([
      'changed: heading-1',
      ...unchanged,
    ]);
  });

  test('has the added block before its heading', () => {
    const added = `New.\n\n${createPage('Old')}`;
    expect(listDrawn(createPage('Old'), added, { before: 'Old', after: 'Old' })).toEqual([
      ...['added: paragraph', 'unchanged: heading-1'],
      ...unchanged,
    ]);
  });
});

test('shows equal blocks as unchanged after one of them is removed', () => {
  expect(listDrawn(`${picture}\n\nOne.\n\n${picture}\n`, `One.\n\n${picture}\n`)).toEqual([
    ...['removed: images', 'unchanged: paragraph', 'unchanged: images'],
  ]);
});

test('contains each node of both versions, the later ones in order', () => {
  const blocks = ['one', 'two words', '# Title', embed, embed.replace('/a', '/b'), file, '<div>\n\nx\n\n</div>'];
  const text = fc.array(fc.constantFrom(...blocks), { maxLength: 8 });
  holds(
    fc.property(text, text, (old, next) => {
      const [before = '', after = ''] = [old, next].map((each) => each.join('\n\n'));
      const arranged = arrangeDrawn(before, after);
      const listKeys = (source: string) =>
        publishTree(parseTree(source), { includes: () => undefined }).nodes.map(({ key }) => key);
      expect(arranged.flatMap((block) => block.after?.key ?? [])).toEqual(listKeys(after));
      expect(new Set(arranged.flatMap((block) => block.before?.key ?? []))).toEqual(new Set(listKeys(before)));
    }),
  );
});

test('contains each block of both versions once, the later ones in order', () => {
  const text = fc.array(fc.constantFrom('one', 'two words', '# Title', '- item', 'one more word'), { maxLength: 8 });
  holds(
    fc.property(text, text, (old, next) => {
      const [before = '', after = ''] = [old, next].map((blocks) => blocks.join('\n\n'));
      const blocks = arrange(before, after);
      const listShown = (side: 'before' | 'after') => blocks.flatMap((block) => block[side]?.key ?? []);
      const listKeys = (text: string) => parseTree(text).nodes.map(({ key }) => key);
      expect(listShown('before').sort()).toEqual(listKeys(before).sort());
      expect(listShown('after')).toEqual(listKeys(after));
    }),
  );
});

test('hides unchanged blocks that are not beside a change', () => {
  const sections = groupBlocks(arrange('A a.\n\nB b.\n\nC c.\n\nD d.\n', 'A a.\n\nB b.\n\nC c.\n\nD d e.\n'));

  expect(sections.map((section) => ('hidden' in section ? section.hidden.length : section.blocks.length))).toEqual([
    2, 2,
  ]);
});
