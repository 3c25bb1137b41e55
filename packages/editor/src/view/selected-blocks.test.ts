import { GapCursor } from 'prosemirror-gapcursor';
import type { Node, ResolvedPos } from 'prosemirror-model';
import { AllSelection, type Command, EditorState, NodeSelection, TextSelection } from 'prosemirror-state';
import { CellSelection } from 'prosemirror-tables';
import type { EditorView } from 'prosemirror-view';
import { describe, expect, test } from 'vitest';
import { openPage, writePage } from '../model/page.ts';
import { columnLabels } from './columns.ts';
import { blockChoices, findPossibleBlocks, moveBelowField, moveBlock } from './commands.ts';
import { keyPlugins } from './keys.ts';

/** Opens a text, with the first node of a type selected or the cursor after a word. */
function open(markdown: string, { node, after }: { node?: string; after?: string }) {
  const page = openPage(markdown);
  let state = EditorState.create({ doc: page.doc, plugins: [...keyPlugins, columnLabels] });
  let found: number | undefined;
  page.doc.descendants((each: Node, position) => {
    const offset = after === undefined ? -1 : (each.text?.indexOf(after) ?? -1);
    if (found === undefined && each.type.name === node) found = position;
    if (found === undefined && after !== undefined && offset >= 0) found = position + offset + after.length;
  });
  const { tr, doc } = state;
  const at = found ?? 1;
  state = state.apply(
    tr.setSelection(after === undefined ? NodeSelection.create(doc, at) : TextSelection.create(doc, at)),
  );
  /** A view with only the members that the handlers of keys and typed text use. */
  const view = {
    get state() {
      return state;
    },
    dispatch(transaction: typeof tr) {
      state = state.apply(transaction);
    },
    endOfTextblock: () => true,
  } as unknown as EditorView;
  return {
    position: at,
    view,
    write: () => writePage(page, state.doc),
    run: (command: Command) => command(state, view.dispatch),
    press: (key: string) => {
      const event = {
        key,
        keyCode: 0,
        ctrlKey: false,
        altKey: false,
        metaKey: false,
        shiftKey: false,
      } as KeyboardEvent;
      return keyPlugins.some((plugin) => plugin.props.handleKeyDown?.call(plugin, view, event) === true);
    },
    /** Types a text as the browser does: a plugin handles it, or it replaces the selection. */
    type: (text: string) => {
      const { from, to } = state.selection;
      const insert = () => state.tr.insertText(text);
      const isHandled = keyPlugins.some((plugin) =>
        plugin.props.handleTextInput?.call(plugin, view, from, to, text, insert),
      );
      if (!isHandled) view.dispatch(insert());
    },
  };
}

const figure = '<figure><img src="a.png" alt="b"><figcaption><p>c</p></figcaption></figure>\n';

describe('a selected image', () => {
  test.each([
    ['image', figure, `${figure}\nnew\n`],
    ['images', `${figure}\nend\n`, `${figure}\nnew\n\nend\n`],
    ['inline_image', '![a](b.png)\n\nend\n', '![a](b.png)\n\nnew\n\nend\n'],
    ['divider', '---\n\nend\n', '---\n\nnew\n\nend\n'],
  ])('of the type %s stays when the user types or presses Enter', (node, markdown, expected) => {
    const typed = open(markdown, { node });
    typed.type('new');
    expect(typed.write()).toBe(expected);

    const entered = open(markdown, { node });
    expect(entered.press('Enter')).toBe(true);
    entered.type('new');
    expect(entered.write()).toBe(expected);
  });

  test('in a text stays before what is typed', () => {
    const { type, write } = open('a ![b](c.png) d\n', { node: 'inline_image' });
    type('new');
    expect(write()).toBe('a ![b](c.png)new d\n');
  });

  test('is deleted with its figure', () => {
    const { press, write } = open(`a\n\n${figure}\nb\n`, { node: 'image' });
    expect(press('Delete')).toBe(true);
    expect(write()).toBe('a\n\nb\n');
  });
});

describe('Enter', () => {
  test.each(['embed url="https://a.example"', 'file src="a.pdf"'])('leaves the caption of %s', (tag) => {
    const markdown = `{% ${tag} %}\nwords\n{% end${tag.split(' ')[0]} %}\n`;
    const { press, type, write } = open(markdown, { after: 'words' });
    expect(press('Enter')).toBe(true);
    type('new');
    expect(write()).toBe(`${markdown}\nnew\n`);
  });

  test.each([
    ['image', figure, `${figure}\nnew\n`],
    ['image', `${figure}\nend\n`, `${figure}\nnewend\n`],
    ['inline_image', '![a](b.png) c\n\nend\n', '![a](b.png) c\n\nnewend\n'],
    ['embed', '{% embed url="https://a.example" %}\n', '{% embed url="https://a.example" %}\n\nnew\n'],
    ['code_block', '```js\na\n```\n\nb\n', '```js\nnewa\n```\n\nb\n'],
  ])('in a field of the type %s moves to the next text', (node, markdown, expected) => {
    const { view, position, type, write } = open(markdown, { node });
    view.dispatch(moveBelowField(view.state.tr, position));
    type('new');
    expect(write()).toBe(expected);
  });
});

describe('a table', () => {
  const table = '| a | b |\n|---|---|\n| c | d |\n';

  test('has no gap between its cells', () => {
    const { view } = open(table, { after: 'c' });
    const { doc } = view.state;
    const { valid } = GapCursor as unknown as { valid: ($position: ResolvedPos) => boolean };
    const positions = Array.from({ length: doc.content.size + 1 }, (_, position) => position);
    expect(positions.filter((position) => valid(doc.resolve(position)))).toEqual([0, doc.content.size]);
  });

  test('lets the arrow down move to the cell below, and from the last row to the text below', () => {
    const { press, type, write } = open(table, { after: 'b' });
    expect(press('ArrowDown')).toBe(true);
    type('1');
    expect(press('ArrowDown')).toBe(true);
    type('2');
    expect(write()).toBe(`${table.replace('| d', '| 1d')}\n2\n`);
  });

  test('has cells in which only a button can be inserted', () => {
    expect(findPossibleBlocks(open(table, { after: 'c' }).view.state).map(({ label }) => label)).toEqual(['Button']);
    const { view } = open('words\n', { after: 'words' });
    const isPossible = ({ label }: { label: string }) => !['Image', 'Turn into reusable content'].includes(label);
    expect(findPossibleBlocks(view.state)).toEqual(blockChoices.filter(isPossible));
  });
});

describe('a new block', () => {
  test.each(['Reusable content', 'Page link', 'Divider'])('%s does not select the block below it', (label) => {
    const { run, view } = open('One\n\n---\n', { after: 'One' });
    expect(run(blockChoices.find((choice) => choice.label === label)?.run ?? (() => false))).toBe(true);
    const { selection } = view.state;
    expect(selection instanceof NodeSelection && selection.$from.index(0)).toBe(1);
    run((state, dispatch) => {
      dispatch?.(moveBelowField(state.tr, state.selection.from));
      return true;
    });
    expect(view.state.selection).toBeInstanceOf(TextSelection);
    expect(view.state.selection.$from.index(0)).toBe(2);
  });

  test.each([
    ['Embed', '{% embed url="" %}'],
    ['Cards', '<td>new</td>'],
    ['Diagram', '```mermaid\nnew\n```'],
  ])('%s contains no text that the user would have to delete', (label, expected) => {
    const { run, type, write } = open('', { after: '' });
    expect(run(blockChoices.find((choice) => choice.label === label)?.run ?? (() => false))).toBe(true);
    type('new');
    expect(write()).toContain(expected);
    expect(write()).not.toContain('Title');
  });

  test('with cards shows hints in their empty cells, and the arrow down moves through them', () => {
    const { run, press, type, write, view } = open('', { after: '' });
    run(blockChoices.find(({ label }) => label === 'Cards')?.run ?? (() => false));
    const listHints = () =>
      (columnLabels.getState(view.state)?.find() ?? [])
        .map((each) => (each as unknown as { type: { attrs: Record<string, string> } }).type.attrs['data-placeholder'])
        .filter((hint) => hint !== undefined);
    expect(listHints().slice(-4)).toEqual(['Title', 'Text', 'Title', 'Text']);
    for (const text of ['a', 'b', 'c', 'd']) {
      type(text);
      expect(press('ArrowDown')).toBe(true);
    }
    expect(listHints().slice(-1)).toEqual(['Text']);
    expect(write()).toContain('<tr><td>a</td><td>b</td><td>c</td></tr><tr><td>d</td>');
  });
});

describe('moving blocks', () => {
  const select = (opened: ReturnType<typeof open>, first: string, last: string): void => {
    const { view } = opened;
    const find = (text: string): number => {
      let found = 0;
      view.state.doc.descendants((node, position) => {
        if (node.text === text) found = position;
      });
      return found;
    };
    view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, find(first), find(last) + 1)));
  };

  test('moves all selected blocks, which stay selected', () => {
    const opened = open('one\n\n- two\n- three\n\nfour\n\nfive\n', { after: 'one' });
    select(opened, 'two', 'four');
    expect(opened.run(moveBlock(1))).toBe(true);
    expect(opened.write()).toBe('one\n\nfive\n\n- two\n- three\n\nfour\n');
    expect(opened.run(moveBlock(1))).toBe(false);
    expect(opened.run(moveBlock(-1)) && opened.run(moveBlock(-1))).toBe(true);
    expect(opened.write()).toBe('- two\n- three\n\nfour\n\none\n\nfive\n');
    expect(opened.run(moveBlock(-1))).toBe(false);
    opened.type('new ');
    expect(opened.write()).toBe('- new our\n\none\n\nfive\n');
  });

  test('does nothing if the whole text, or the gap at its end, is selected', () => {
    const { view, run, write } = open('one\n\n---\n', { after: 'one' });
    const { doc } = view.state;
    for (const selection of [new AllSelection(doc), new GapCursor(doc.resolve(doc.content.size))])
      for (const direction of [-1, 1] as const) {
        view.dispatch(view.state.tr.setSelection(selection));
        expect(run(moveBlock(direction))).toBe(false);
      }
    expect(write()).toBe('one\n\n---\n');
  });

  test('keeps selected cells of a table', () => {
    const { view, run, write } = open('| a | b |\n|---|---|\n| c | d |\n\none\n', { after: 'a' });
    view.dispatch(view.state.tr.setSelection(CellSelection.create(view.state.doc, 2, 2) as unknown as TextSelection));
    expect(run(moveBlock(1))).toBe(true);
    expect(view.state.selection).toBeInstanceOf(CellSelection);
    expect(write()).toBe('one\n\n| a | b |\n|---|---|\n| c | d |\n');
  });
});
