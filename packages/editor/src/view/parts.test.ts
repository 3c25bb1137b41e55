import { EditorState, TextSelection } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { describe, expect, test } from 'vitest';
import { openPage, writePage } from '../model/page.ts';
import { blockChoices } from './commands.ts';
import { keyPlugins } from './keys.ts';
import { addPart } from './parts.ts';

/** Opens an empty text, and inserts a block. The cursor is in its first part. */
function insert(label: string) {
  const page = openPage('');
  let state = EditorState.create({ doc: page.doc, plugins: keyPlugins });
  const dispatch = (tr: typeof state.tr): void => {
    state = state.apply(tr);
  };
  const view = {
    get state() {
      return state;
    },
    dispatch,
  } as unknown as EditorView;
  blockChoices.find((choice) => choice.label === label)?.run(state, dispatch);
  return {
    enter() {
      const event = { key: 'Enter', keyCode: 13 } as KeyboardEvent;
      state.plugins.some((plugin) => plugin.props.handleKeyDown?.call(plugin, view, event));
    },
    type: (text: string) => dispatch(state.tr.insertText(text)),
    add: () => dispatch(addPart(state.tr, 0)),
    moveTo: (position: number) => dispatch(state.tr.setSelection(TextSelection.create(state.doc, position))),
    getBlocks: () => state.doc.children.map(({ type, childCount }) => `${type.name} ${childCount}`),
    getCursor: () => state.selection.from,
    write: () => writePage(page, state.doc),
  };
}

const labels = ['Tabs', 'Steps', 'Columns'] as const;
const names = { Tabs: 'tabs', Steps: 'stepper', Columns: 'columns' };

test('Enter in the empty title of a step moves to its text', () => {
  const { enter, type, getBlocks, write } = insert('Steps');
  enter();
  type('first');
  expect(getBlocks()[0]).toBe('stepper 2');
  expect(write()).toMatch(/\{% step %\}[^%]*first[^%]*\{% endstep %\}/);
});

describe.each(labels)('%s', (label) => {
  const block = names[label];

  test('stay one block when Enter leaves their first part', () => {
    const { type, enter, getBlocks, write } = insert(label);
    for (const text of ['one', 'two', '']) {
      type(text);
      enter();
    }
    type('below');
    expect(getBlocks()).toEqual([`${block} 2`, 'paragraph 1']);
    expect(write().endsWith('below\n')).toBe(true);
  });

  test('get another part, which has the cursor', () => {
    const { add, type, getBlocks, write } = insert(label);
    add();
    type('third');
    expect(getBlocks()).toEqual([`${block} 3`, 'paragraph 0']);
    const last = {
      Tabs: '{% tab title="Tab 3" %}\nthird\n{% endtab %}\n{% endtabs %}\n',
      Steps: '{% step %}\n### third\n{% endstep %}\n{% endstepper %}\n',
      Columns: '{% column %}\nthird\n{% endcolumn %}\n{% endcolumns %}\n',
    };
    expect(write().endsWith(last[label])).toBe(true);
  });
});

test('Enter in an empty paragraph in the middle of a tab adds another one', () => {
  const { type, enter, moveTo, getCursor, getBlocks, write } = insert('Tabs');
  type('one');
  enter();
  type('last');
  moveTo(getCursor() - 'last'.length - 2);
  for (const text of ['', '', 'more']) {
    enter();
    type(text);
  }
  expect(getBlocks()).toEqual(['tabs 2', 'paragraph 0']);
  expect(write()).toContain('{% tab title="First tab" %}\none\n\nmore\n\nlast\n{% endtab %}');
});
