import { EditorState, NodeSelection, TextSelection } from 'prosemirror-state';
import { describe, expect, test } from 'vitest';
import { mapTargets, openPage, writeBlocks, writePage } from '../model/page.ts';
import { getSelectedBlocks, replaceByReusable } from './reusable-content.ts';

const markdown = 'One\n\n* two\n* [three](../b.md)\n\n![](a.png)\n\nFour [x]\n\n[x]: c.md\n';

/** Opens a text with a selection from a block up to another one. */
function open(first: number, last: number) {
  const page = openPage(markdown);
  const starts = page.doc.children.map((_, index) =>
    page.doc.children.slice(0, index).reduce((sum, { nodeSize }) => sum + nodeSize, 0),
  );
  const [from = 0, to = 0] = [starts[first], starts[last]];
  const { doc } = page;
  const selection =
    first === last
      ? NodeSelection.create(doc, from)
      : TextSelection.between(doc.resolve(from + 1), doc.resolve(to + (doc.child(last).nodeSize ?? 0) - 1));
  return { page, state: EditorState.create({ doc, selection }) };
}

describe('reusable content from blocks', () => {
  test('has the text of the selected blocks, with links that do not depend on the page', () => {
    const { page, state } = open(1, 2);
    const blocks = getSelectedBlocks(state);

    expect(blocks.map(({ type }) => type.name)).toEqual(['list_unordered', 'paragraph']);
    const stable = blocks.map((block) => mapTargets(block, (target) => `/pages/${target}`));
    expect(writeBlocks(page, blocks)).toBe('* two\n* [three](../b.md)\n\n![](a.png)\n');
    expect(writeBlocks(page, stable)).toBe('* two\n* [three](/pages/../b.md)\n\n![](/pages/a.png)\n');
  });

  test('contains the definitions that the blocks refer to', () => {
    const { page, state } = open(3, 3);
    expect(writeBlocks(page, getSelectedBlocks(state))).toBe('Four [x]\n\n[x]: c.md\n');
  });

  test('contains no other blocks of the page', () => {
    const write = (text: string, count = 1) => {
      const page = openPage(text);
      return writeBlocks(page, page.doc.children.slice(0, count));
    };
    const others = '```\n[a]: b\n```\n\nimport in a sentence\n\n- item\n- [b]: b.md\n';
    expect(write(`One [text](a) [b](c.md)\n\n${others}`)).toBe('One [text](a) [b](c.md)\n');
    expect(write(`One [B]\n\n${others}`)).toBe('One [B]\n\n[b]: b.md\n');
    expect(write('One [x]\n\n[x]: a.md\n\n[y]: b.md\n')).toBe('One [x]\n\n[x]: a.md\n');
    expect(write('One [x]\n\n[x]: a.md\n\nTwo\n', 2)).toBe('One [x]\n\n[x]: a.md\n');
    expect(write('One[^1]\n\n[^1]: See [y]\n\n[^2]: Other\n\n[y]: b.md\n')).toBe(
      'One[^1]\n\n[^1]: See [y]\n\n[y]: b.md\n',
    );
    const imports = `import A from "/c.mdx"\nimport { Note, Hint } from "/a.mdx"\n\nimport Other from "/b.mdx"\n`;
    expect(write(`<Note />\n\n${imports}`)).toBe(
      '<Note />\n\nimport A from "/c.mdx"\nimport { Note, Hint } from "/a.mdx"\n',
    );
  });

  test('replaces the blocks, and changes no others', () => {
    const { page, state } = open(1, 2);
    const tr = replaceByReusable(state, getSelectedBlocks(state), '/reusable-contents/rc_a');
    expect(writePage(page, state.apply(tr).doc)).toBe(
      'One\n\n{% include "/reusable-contents/rc_a" %}\n\nFour [x]\n\n[x]: c.md\n',
    );
  });

  test('is inserted after blocks that another person has changed meanwhile', () => {
    const { page, state } = open(0, 0);
    const blocks = getSelectedBlocks(state);
    const changed = state.apply(state.tr.insertText('Zero ', 1));
    expect(writePage(page, changed.apply(replaceByReusable(changed, blocks, '/reusable-contents/rc_a')).doc)).toBe(
      markdown.replace('One', 'Zero One\n\n{% include "/reusable-contents/rc_a" %}'),
    );
  });
});
