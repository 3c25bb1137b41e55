import { EditorState, NodeSelection, TextSelection } from 'prosemirror-state';
import { describe, expect, test } from 'vitest';
import { openPage, writePage } from '../model/page.ts';
import { setLink } from './link-form.ts';

/** Sets a link at the end of a text, or at a selection. */
function write(markdown: string, target: Partial<Parameters<typeof setLink>[1]>, selection?: [number, number]): string {
  const page = openPage(markdown);
  const end = page.doc.content.size - 1;
  const [from, to] = selection ?? [end, end];
  const state = EditorState.create({ doc: page.doc, selection: TextSelection.create(page.doc, from, to) });
  const link = { url: '/pages/pg_a', title: undefined, kind: 'primary', text: '', ...target };
  return writePage(page, state.apply(setLink(state, link)).doc);
}

const button = (text: string): string => `See <a href="/pages/pg_a" class="button primary">${text}</a>\n`;

describe('a new button', () => {
  test.each([
    [{}, 'Button'],
    [{ title: 'Install' }, 'Install'],
    [{ title: 'Install', text: 'Start now' }, 'Start now'],
  ])('to %j has the label %s', (target, label) => {
    expect(write('See x\n', target, [5, 6])).toBe('See <a href="/pages/pg_a" class="button primary">x</a>\n');
    expect(write('See -\n', target)).toBe(`See -${button(label).slice(4)}`);
  });
});

test('a new link has the title of its page or its address as text', () => {
  expect(write('See -\n', { kind: 'link' })).toBe('See -[/pages/pg_a](/pages/pg_a)\n');
  expect(write('See -\n', { kind: 'link', title: 'Install' })).toBe('See -[Install](/pages/pg_a)\n');
});

test.each(['a ![x](x.png) b', 'a :smile: b', '---'])('a selected node in %j stays when it gets a link', (markdown) => {
  const page = openPage(`${markdown}\n`);
  let at = 0;
  page.doc.descendants((node, position) => {
    if (node.isLeaf && !node.isText) at = position;
  });
  const state = EditorState.create({ doc: page.doc, selection: NodeSelection.create(page.doc, at) });
  const { type } = state.selection.$from.nodeAfter ?? {};
  const changed = state.apply(setLink(state, { url: 'b.md', title: 'B', kind: 'link', text: '' })).doc;
  expect(changed.nodeAt(at)?.type).toBe(type);
});

test('a button whose label was left empty gets the title of its new page', () => {
  const page = { url: '/pages/pg_b', title: 'Install' };
  expect(write(button('Button'), page, [6, 6])).toBe(button('Install').replace('pg_a', 'pg_b'));
  expect(write(button('Start'), page, [6, 6])).toBe(button('Start').replace('pg_a', 'pg_b'));
});

test('a button that shows its address gets a label', () => {
  const shown = button('/pages/pg_a');
  expect(write(shown, { url: '/pages/pg_b' }, [6, 6])).toBe(button('Button').replace('pg_a', 'pg_b'));
});
