import { history, undo } from 'prosemirror-history';
import { EditorState } from 'prosemirror-state';
import { describe, expect, test } from 'vitest';
import { openPage, writePage } from './page.ts';
import { reopenPage } from './reopen-page.ts';
import { schema } from './schema.ts';
import {
  addTitleHeading,
  findTitleHeading,
  getHiddenHeading,
  hideTitleHeading,
  removeFirstBlock,
} from './title-heading.ts';

/** Opens a page as the editor does, and writes it with another title. */
function rename(markdown: string, title: string, next: string): { shown: string[]; written: string } {
  const page = openPage(markdown);
  const heading = findTitleHeading(page.doc, title);
  const shown = heading === undefined ? page.doc : removeFirstBlock(page.doc);
  return {
    shown: shown.children.map((node) => node.textContent),
    written: writePage(page, addTitleHeading(shown, heading, next)),
  };
}

describe('a first heading that repeats the title', () => {
  test.each([
    ['# Guide\n\nText\n', '# Manual\n\nText\n'],
    ['Guide\n===\nText\n', 'Manual\n====\nText\n'],
    ['---\nicon: gear\n---\n\n\n##  Guide  ##\n\n\n* Text\n', undefined],
    ['# Guide {#start}\n\nText\n', '# Manual {#start}\n\nText\n'],
    ['# :rocket: Guide\n\nText\n', '# Manual\n\nText\n'],
    ['# **guide**!\r\n\r\nText\r\n', '# Manual\r\n\r\nText\r\n'],
  ])('is not shown, keeps its bytes, and follows the title: %j', (markdown, renamed) => {
    const { shown, written } = rename(markdown, 'Guide', 'Guide');
    expect(shown).toEqual(['Text']);
    expect(written).toBe(markdown);
    if (renamed !== undefined) expect(rename(markdown, 'Guide', 'Manual').written).toBe(renamed);
  });

  test('can be the only block', () => {
    expect(rename('# Guide', 'Guide', 'Guide')).toEqual({ shown: [''], written: '# Guide' });
    expect(rename('\n# Guide\n\n', 'Guide', 'Guide').written).toBe('\n# Guide\n\n');
    expect(rename('# Guide\n', 'Guide', 'The [new] *one*').written).toBe('# The \\[new\\] \\*one\\*\n');
  });

  test('keeps the blank lines below it when the block below it is changed', () => {
    const page = openPage('# Guide\nText\n\n- a\n');
    const shown = removeFirstBlock(page.doc);
    const changed = shown.copy(
      shown.content.replaceChild(0, schema.node('paragraph', shown.child(0).attrs, [schema.text('New')])),
    );
    const heading = findTitleHeading(page.doc, 'Guide');
    expect(writePage(page, addTitleHeading(changed, heading, 'Guide'))).toBe('# Guide\nNew\n\n- a\n');
  });
});

test.each(['Text\n\n# Guide\n', '# Guides\n', '# Guide {{ name }}\n', '# Guide ![a](b.png)\n', ''])(
  'shows all blocks of %j',
  (markdown) => {
    expect(findTitleHeading(openPage(markdown).doc, 'Guide')).toBeUndefined();
  },
);

test('shows a heading after another person changed it, and hides one that repeats the title', () => {
  const page = openPage('# Guide\n\nOne\n\nTwo\n');
  let state = EditorState.create({ doc: removeFirstBlock(page.doc) });
  const replace = (opened: typeof page, markdown: string) => {
    const { tr } = state;
    const next = reopenPage(opened, markdown, tr, { title: 'Guide' });
    state = state.apply(tr);
    const heading = findTitleHeading(next.doc, 'Guide');
    expect(writePage(next, addTitleHeading(state.doc, heading, 'Guide'))).toBe(markdown);
    return next;
  };
  const listTexts = () => state.doc.children.map((node) => node.textContent);

  const other = replace(page, '# Other\n\nOne\n\nTwo\n');
  expect(listTexts()).toEqual(['Other', 'One', 'Two']);
  const repeated = replace(other, '# Guide\n\nOne\n\nTwo more\n');
  expect(listTexts()).toEqual(['One', 'Two more']);
  replace(repeated, '# Guide\n');
  expect(listTexts()).toEqual(['']);
});

test.each([
  ['# Guide\n\nOne\n', '# Other\n\nOne\n'],
  ['# Other\n\nOne\n', '# Guide\n\nOne\n'],
  ['# Guide\n\nOne\n', 'Two\n'],
])('undo restores %j after it was changed to %j', (markdown, changed) => {
  const title = 'Guide';
  const page = openPage(markdown);
  let state = EditorState.create({ doc: hideTitleHeading(page.doc, title), plugins: [history()] });
  const write = () => writePage(next, addTitleHeading(state.doc, getHiddenHeading(state.doc), title));
  const { tr } = state;
  const next = reopenPage(page, changed, tr, { title });
  state = state.apply(tr);
  expect(write()).toBe(changed);

  undo(state, (reverted) => {
    state = state.apply(reverted);
  });
  expect(write()).toBe(markdown);
});
