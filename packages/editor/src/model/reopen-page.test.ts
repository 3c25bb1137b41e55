import { history, undo } from 'prosemirror-history';
import { EditorState, TextSelection } from 'prosemirror-state';
import { describe, expect, test } from 'vitest';
import { openPage, writePage } from './page.ts';
import { reopenPage } from './reopen-page.ts';
import { schema } from './schema.ts';

/** Opens a text, edits it, and replaces it by another version. */
function reopen(before: string, after: string, editFirst?: (state: EditorState) => EditorState) {
  const page = openPage(before);
  const opened = EditorState.create({ doc: page.doc });
  const state = editFirst?.(opened) ?? opened;
  const { tr } = state;
  return { page: reopenPage(page, after, tr), tr, state: state.apply(tr) };
}

/** Places the cursor after a text. */
function select(state: EditorState, text: string): EditorState {
  let position = 0;
  state.doc.descendants((node, start) => {
    const index = node.text?.indexOf(text) ?? -1;
    if (index >= 0) position = start + index + text.length;
  });
  return state.apply(state.tr.setSelection(TextSelection.create(state.doc, position)));
}

const getTextBeforeCursor = ({ selection: { $head } }: EditorState): string =>
  $head.parent.textBetween(0, $head.parentOffset);

describe('a version by others', () => {
  test.each([
    ['blocks before and after it', 'one\n\ntwo here\n\nthree\n', 'new\n\neins\n\ntwo here\n\ndrei\n\nfour\n', 'two'],
    ['another line of it', 'one\n\ntwo\nhere\n', 'one\n\ntwo\nthere\n', 'tw'],
    ['another item of its list', '- one\n- two\n', '- eins\n- two\n- three\n', 'tw'],
    [
      'other items of a nested list',
      '- one\n  - two\n  - three\n- four\n',
      '- one\n  - zwei\n  - three\n  - x\n- vier\n',
      'thr',
    ],
    [
      'another cell of its table',
      '| a | b |\n| - | - |\n| c | two |\n',
      '| a | b |\n| - | - |\n| d | two |\n| e | f |\n',
      'tw',
    ],
    ['a type', 'one\n\ntwo\n\nthree\n', 'one\n\ntwo\n\n## three\n', 'tw'],
    ['nothing', '* one\n\n\ntwo\n', '* one\n\n\ntwo\n', 'tw'],
  ])('keeps the cursor in its block if it changes %s', (_name, before, after, text) => {
    const { page, state } = reopen(before, after, (opened) => select(opened, text));
    expect(getTextBeforeCursor(state)).toBe(text);
    expect(writePage(page, state.doc)).toBe(after);
  });

  test('replaces only the blocks that differ', () => {
    const { tr } = reopen('one\n\ntwo\n\nthree\n\nfour\n', 'one\n\nzwei\n\nthree\n\n# Four\n');
    expect(tr.steps).toHaveLength(2);
  });

  test('keeps the space that was typed before the next word', () => {
    const { page, state } = reopen('one\n\n- two\n', 'eins\n\n- two\n', (opened) => {
      const selected = select(opened, 'two');
      return selected.apply(selected.tr.insertText(' '));
    });
    expect(writePage(page, state.doc)).toBe('eins\n\n- two\n');
    expect(writePage(page, state.apply(state.tr.insertText('words')).doc)).toBe('eins\n\n- two words\n');
  });

  test('keeps an empty paragraph with the cursor', () => {
    const { page, state } = reopen('one\n\ntwo\n', 'one\n\nzwei\n', (opened) => {
      const inserted = opened.apply(opened.tr.insert(opened.doc.child(0).nodeSize, schema.node('paragraph')));
      const position = opened.doc.child(0).nodeSize + 1;
      return inserted.apply(inserted.tr.setSelection(TextSelection.create(inserted.doc, position)));
    });
    expect(state.doc.childCount).toBe(3);
    expect(state.selection.$head.parent.content.size).toBe(0);
    expect(writePage(page, state.doc)).toBe('one\n\nzwei\n');
  });

  test.each([
    ['', 'one\n'],
    ['one\n', ''],
    ['one\n\ntwo\n', 'two\n\none\n'],
    ['a\n\na\n\na\n', 'a\n\na\n'],
    ['one\n', '---\ntitle: A\n---\n\n\n\none  \n\n\n***\nlast'],
  ])('becomes the text of the editor: %j to %j', (before, after) => {
    const { page, state } = reopen(before, after);
    expect(writePage(page, state.doc)).toBe(after);
  });

  test('keeps the bytes of all blocks that are not edited afterwards', () => {
    const after = '* one\n\n\n\ntwo *a* _b_\n***\nnew\n\n\n\nthree\n';
    const { page, state } = reopen('* one\n\n\ntwo *a* _b_\n\nthree\n', after);
    const { tr } = state;
    const edited = state.apply(tr.insertText('s', tr.doc.content.size - 1));
    expect(writePage(page, edited.doc)).toBe(after.replace('three', 'threes'));
  });

  test('can arrive repeatedly while the text is edited', () => {
    let page = openPage('one\n\ntwo\n\nthree\n');
    let state = EditorState.create({ doc: page.doc });
    for (let round = 1; round <= 3; round += 1) {
      state = state.apply(state.tr.insertText(`${round}`, 1));
      const merged = writePage(page, state.doc).replace(/\n\nthree.*/, `\n\nthree ${round}`);
      const { tr } = state;
      page = reopenPage(page, merged, tr);
      state = state.apply(tr);
      expect(writePage(page, state.doc)).toBe(merged);
    }
    expect(writePage(page, state.doc)).toBe('321one\n\ntwo\n\nthree 3\n');
  });

  test('does not increase the number of blocks in memory, and undo still finds a deleted block', () => {
    const others = Array.from({ length: 20 }, (_, index) => `* block __${index}__`).join('\n\n***\n');
    const write = (round: number): string => `#  First #\n\n${others}\n\nround ${round}\n`;
    let page = openPage(write(0));
    let state = EditorState.create({ doc: page.doc, plugins: [history()] });
    const { size } = page.blocks;
    // The user deletes a block, repeats another one, and writes a new one.
    const [first, second] = [page.doc.child(0), page.doc.child(1)];
    const typed = schema.node('paragraph', null, [schema.text('typed')]);
    state = state.apply(state.tr.replaceWith(0, first.nodeSize + second.nodeSize, [typed, second, second]));
    for (let round = 1; round <= 30; round += 1) {
      const merge = state.tr.setMeta('addToHistory', false);
      const merged = writePage(page, state.doc).replace(/round \d+/, `round ${round}`);
      page = reopenPage(page, merged, merge, { isUndoable: false });
      state = state.apply(merge);
      expect(writePage(page, state.doc)).toBe(merged);
    }
    expect(page.blocks.size).toBeLessThan(size + 5);
    undo(state, (reverted) => {
      state = state.apply(reverted);
    });
    expect(writePage(page, state.doc)).toMatch(/^# {2}First #\n\n\* block __0__\n.*round 30\n$/s);
  });
});

test('a block that was edited before is not written again after each change', () => {
  const page = openPage('one *a*\n\ntwo *a*\n\nthree *a*\n');
  let checks = 0;
  const findDefinitions = (): string[] => {
    checks += 1;
    return [];
  };
  const counted = { ...page, findDefinitions };
  let state = EditorState.create({ doc: page.doc });
  const writeAfterInsert = (position: number): number => {
    const before = checks;
    state = state.apply(state.tr.insertText('x', position));
    expect(writePage(counted, state.doc)).toContain('*a*');
    return checks - before;
  };
  expect([writeAfterInsert(1), writeAfterInsert(9), writeAfterInsert(9), writeAfterInsert(2)]).toEqual([1, 1, 1, 1]);
});
