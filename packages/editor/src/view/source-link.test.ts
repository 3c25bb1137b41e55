import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { setSourceLink } from './source-link.ts';

/** Sets a link. Two bars in `marked` enclose the selection, and a single bar is the cursor. */
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

test.each([
  ['[W|](https://e.example/A_(b))', '[W](c.md)'],
  ['[![a|](i.png)](b.md)', '[![a](i.png)](c.md)'],
  ['[a [b|]](b.md)', '[a [b]](c.md)'],
  ["[x|](b.md 'T')", "[x](c.md 'T')"],
])('changes the address in %s', (markdown, changed) => expect(write(markdown, 'c.md')).toBe(changed));

test('a link after an exclamation mark is not an image', () => {
  expect(write('Hello!|', 'a.md', 'A')).toBe('Hello\\![A](a.md)');
});

test('makes a selection of several lines with CRLF a link', () => {
  const state = EditorState.create({
    doc: 'one\r\ntwo',
    selection: { anchor: 0, head: 7 },
    extensions: EditorState.lineSeparator.of('\r\n'),
  });
  const changed = state.update(setSourceLink(state, { url: 'a.md', title: undefined })).state;
  expect(changed.sliceDoc()).toBe('[one\r\ntwo](a.md)');
});

test('changes the address of the link at the cursor', () => {
  const title = ' "T"';
  expect(write(`![p](p.png) [o|ne](a.md${title}) [two](b.md)`, 'c.md', 'C')).toBe(
    `![p](p.png) [one](c.md${title}) [two](b.md)`,
  );
});
