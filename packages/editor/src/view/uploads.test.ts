import { history, undo } from 'prosemirror-history';
import type { Node } from 'prosemirror-model';
import { EditorState, NodeSelection, Plugin, type Transaction } from 'prosemirror-state';
import { describe, expect, test } from 'vitest';
import { openPage, readNodes, writePage } from '../model/page.ts';
import { anchorBlock } from './anchors.ts';
import { moveBlock } from './commands.ts';
import {
  addTextUpload,
  applyToUploads,
  type BlockUpload,
  changeUploads,
  createUploadId,
  drawUploads,
  finishUpload,
  getBlockUpload,
  hasRunningUploads,
  insertRestored,
  insertUploaded,
  setUploaded,
  type UploadEntry,
  uploadKey,
} from './uploads.ts';

const element = {} as HTMLElement;

/** Creates an editor state for a page, with the plugin that tracks uploads. */
function open(markdown: string) {
  const page = openPage(markdown);
  const uploads = new Plugin<UploadEntry[]>({
    key: uploadKey,
    state: { init: () => [], apply: applyToUploads },
  });
  let state = EditorState.create({ doc: page.doc, plugins: [uploads, history()] });
  const find = (matches: (node: Node) => boolean): number => {
    let found = -1;
    state.doc.descendants((node, position) => {
      if (found < 0 && matches(node)) found = position;
    });
    return found;
  };
  const editor = {
    get state() {
      return state;
    },
    apply(tr: Transaction | undefined) {
      for (let next = tr; next !== undefined; next = insertRestored(state)) state = state.apply(next);
      return tr !== undefined;
    },
    find: (type: string) => find((node) => node.type.name === type),
    select: (position: number) => editor.apply(state.tr.setSelection(NodeSelection.create(state.doc, position))),
    move: (direction: -1 | 1) => moveBlock(direction)(state, editor.apply),
    write: () => writePage(page, state.doc),
  };
  return editor;
}

/** Starts an upload for the first file block, which is selected. */
function startForBlock(markdown: string) {
  const editor = open(markdown);
  const id = createUploadId();
  const position = editor.find('file');
  const block = { element, isRunning: true };
  const node = editor.state.doc.nodeAt(position) as Node;
  editor.apply(changeUploads(editor.state.tr, { add: { id, batch: id, anchor: anchorBlock(node, position), block } }));
  editor.select(position);
  const finish = () => editor.apply(finishUpload(editor.state, id, (state) => setUploaded(state, id, 'new.pdf')));
  return { editor, finish, id };
}

const file = (source: string, caption = '') =>
  caption === '' ? `{% file src="${source}" %}` : `{% file src="${source}" %}\n${caption}\n{% endfile %}`;

/** Returns the upload that the file block at a position shows. */
const getShown = ({ state }: ReturnType<typeof open>, position: number): BlockUpload | undefined =>
  getBlockUpload(drawUploads(state).find(position, position + 1));

describe('an upload for a file block', () => {
  const markdown = `One\n\n${file('a.pdf', 'Terms')}\n\n${file('b.pdf')}\n\nTwo\n`;
  const [first, second] = [file('new.pdf', 'Terms'), file('b.pdf')];

  test('sets the address of the block', () => {
    const { editor, finish } = startForBlock(markdown);
    expect(getShown(editor, editor.find('file'))).toMatchObject({ isRunning: true });
    expect(hasRunningUploads(editor.state)).toBe(true);

    expect(finish()).toBe(true);
    expect(editor.write()).toBe(`One\n\n${first}\n\n${second}\n\nTwo\n`);
    expect(getShown(editor, editor.find('file'))).toBeUndefined();
    expect(hasRunningUploads(editor.state)).toBe(false);
  });

  test('follows the block when it is moved by keyboard', () => {
    const { editor, finish } = startForBlock(markdown);
    editor.move(1);
    expect(getShown(editor, editor.state.selection.from)).toMatchObject({ isRunning: true });
    editor.move(1);
    finish();
    expect(editor.write()).toBe(`One\n\n${second}\n\nTwo\n\n${first}\n`);
  });

  test('follows the block when other blocks are moved over it', () => {
    const { editor, finish } = startForBlock(markdown);
    editor.select(0);
    editor.move(1);
    finish();
    expect(editor.write()).toBe(`${first}\n\nOne\n\n${second}\n\nTwo\n`);
  });

  test('follows the block when it is dragged', () => {
    const { editor, finish } = startForBlock(markdown);
    const { selection, tr } = editor.state;
    const { content } = selection.content();
    tr.deleteSelection();
    editor.apply(tr.insert(tr.doc.content.size, content));
    finish();
    expect(editor.write()).toBe(`One\n\n${second}\n\nTwo\n\n${first}\n`);
  });

  test('follows the block when it is cut and pasted', () => {
    const { editor, finish } = startForBlock(markdown);
    editor.apply(editor.state.tr.deleteSelection().setMeta('uiEvent', 'cut'));
    expect(hasRunningUploads(editor.state)).toBe(false);
    editor.apply(editor.state.tr.insert(0, readNodes(file('a.pdf', 'Terms'))).setMeta('uiEvent', 'paste'));
    finish();
    expect(editor.write()).toBe(`${first}\n\nOne\n\n${second}\n\nTwo\n`);
  });

  test('follows the block when its caption is changed and it is moved', () => {
    const { editor, finish } = startForBlock(markdown);
    editor.apply(editor.state.tr.insertText('New ', editor.find('file') + 2));
    editor.apply(editor.state.tr.insertText('Zero ', 1));
    editor.select(editor.find('file'));
    editor.move(-1);
    finish();
    expect(editor.write()).toBe(`${file('new.pdf', 'New Terms')}\n\nZero One\n\n${second}\n\nTwo\n`);
  });

  test('sets the address of a deleted block when the user restores it', () => {
    const { editor, finish } = startForBlock(markdown);
    editor.apply(editor.state.tr.deleteSelection());
    finish();
    expect(editor.write()).toBe(`One\n\n${second}\n\nTwo\n`);
    undo(editor.state, editor.apply);
    expect(editor.write()).toBe(`One\n\n${first}\n\n${second}\n\nTwo\n`);
    expect(getShown(editor, editor.find('file'))).toBeUndefined();
    expect(hasRunningUploads(editor.state)).toBe(false);
  });

  test('sets the address of a block that was cut when it is pasted', () => {
    const { editor, finish } = startForBlock(markdown);
    editor.apply(editor.state.tr.deleteSelection().setMeta('uiEvent', 'cut'));
    finish();
    editor.apply(editor.state.tr.insert(0, readNodes(file('a.pdf', 'Terms'))).setMeta('uiEvent', 'paste'));
    expect(editor.write()).toBe(`${first}\n\nOne\n\n${second}\n\nTwo\n`);
    expect(hasRunningUploads(editor.state)).toBe(false);
  });

  test('shows an error until the next upload', () => {
    const { editor, id } = startForBlock(markdown);
    editor.apply(changeUploads(editor.state.tr, { upload: id, hasFailed: true }));
    expect(getShown(editor, editor.find('file'))).toMatchObject({ isRunning: false });
    expect(hasRunningUploads(editor.state)).toBe(false);
  });
});

/** Starts uploads at the end of the first paragraph. Returns functions that end them. */
function startInText(markdown: string, names: string[]) {
  const editor = open(markdown);
  const batch = createUploadId();
  const end = (editor.state.doc.firstChild?.nodeSize ?? 0) - 1;
  const uploads = names.map((name) => {
    const id = createUploadId();
    editor.apply(addTextUpload(editor.state, end, { id, batch, element }));
    const type = name.endsWith('.png') ? 'image/png' : 'application/pdf';
    const insert = (state: EditorState) => insertUploaded(state, id, { name, type, target: name });
    return () => editor.apply(finishUpload(editor.state, id, insert));
  });
  return { editor, uploads };
}

const orders = [
  [0, 1, 2],
  [2, 1, 0],
  [1, 2, 0],
  [1, 0, 2],
];

describe('several uploaded files', () => {
  test.each(orders)('are inserted in their order if they end in the order %i, %i, %i', (...order) => {
    const { editor, uploads } = startInText('One\n\nTwo\n', ['a.pdf', 'b.pdf', 'c.pdf']);
    for (const index of order) uploads[index]?.();
    const files = ['a.pdf', 'b.pdf', 'c.pdf'].map((name) => file(name)).join('\n\n');
    expect(editor.write()).toBe(`One\n\n${files}\n\nTwo\n`);
    expect(uploadKey.getState(editor.state)).toEqual([]);
  });

  test.each(orders)('are images in their order if they end in the order %i, %i, %i', (...order) => {
    const { editor, uploads } = startInText('One\n\nTwo\n', ['a.png', 'b.png', 'c.png']);
    for (const index of order) uploads[index]?.();
    expect(editor.write()).toBe('One![a](a.png)![b](b.png)![c](c.png)\n\nTwo\n');
  });

  test.each([
    ['```js\nlet a = 1;\nlet b = 2;\n```', 'code_block'],
    ['$$\na\nb\n$$', 'math'],
    ['<script>\na\n</script>', 'source'],
  ])('are inserted in their order below %j', (code, type) => {
    const { editor, uploads } = startInText(`${code}\n\nTwo\n`, ['a.png', 'b.pdf', 'c.png']);
    expect(editor.state.doc.firstChild?.type.name).toBe(type);
    for (const index of [1, 2, 0]) uploads[index]?.();
    expect(editor.write()).toBe(`${code}\n\n![a](a.png)\n\n${file('b.pdf')}\n\n![c](c.png)\n\nTwo\n`);
    expect(uploadKey.getState(editor.state)).toEqual([]);
  });

  test('are inserted below code in another block', () => {
    const editor = open('{% hint style="info" %}\n```\na\n```\n{% endhint %}\n');
    const id = createUploadId();
    editor.apply(addTextUpload(editor.state, editor.find('code_block') + 1, { id, batch: id, element }));
    const image = { name: 'b.png', type: 'image/png', target: 'b.png' };
    editor.apply(finishUpload(editor.state, id, (state) => insertUploaded(state, id, image)));
    expect(editor.write()).toBe('{% hint style="info" %}\n```\na\n```\n\n![b](b.png)\n{% endhint %}\n');
  });

  test('are inserted at the paragraph that was moved meanwhile', () => {
    const { editor, uploads } = startInText('One\n\nTwo\n', ['a.png', 'b.pdf']);
    editor.select(0);
    editor.move(1);
    for (const finish of uploads) finish();
    expect(editor.write()).toBe(`Two\n\nOne![a](a.png)\n\n${file('b.pdf')}\n`);
  });

  test('are inserted in a deleted paragraph when the user restores it', () => {
    const { editor, uploads } = startInText('One\n\nTwo\n', ['a.png', 'b.pdf']);
    editor.apply(editor.state.tr.delete(0, 5));
    for (const finish of uploads) finish();
    expect(editor.write()).toBe('Two\n');
    undo(editor.state, editor.apply);
    expect(editor.write()).toBe(`One![a](a.png)\n\n${file('b.pdf')}\n\nTwo\n`);
    expect(hasRunningUploads(editor.state)).toBe(false);
  });
});
