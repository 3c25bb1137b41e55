import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { setSourceLink } from './source-link.ts';

/** Sets a link at a selection, which is between bars or at a single bar. */
function write(marked: string, url: string, title?: string): string {
  const doc = marked.replaceAll('|', '');
  const anchor = marked.indexOf('|');
  const head = Math.max(anchor, marked.lastIndexOf('|') - 1);
  const state = EditorState.create({ doc, selection: { anchor, head } });
  return state.update(setSourceLink(state, { url, title })).state.doc.toString();
}

test('makes the selected text a link', () => {
  expect(write('See |this|', 'a.md', 'A')).toBe('See [this](a.md)');
});

test('inserts the title of a page or an address', () => {
  expect(write('See |', '/pages/pg_a', 'Read [this]')).toBe('See [Read \\[this\\]](/pages/pg_a)');
  expect(write('See |', 'a b.md')).toBe('See [a b.md](<a b.md>)');
});

test('changes the address of the link at the cursor', () => {
  const title = ' "T"';
  expect(write(`![p](p.png) [o|ne](a.md${title}) [two](b.md)`, 'c.md', 'C')).toBe(
    `![p](p.png) [one](c.md${title}) [two](b.md)`,
  );
});
