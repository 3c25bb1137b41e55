import type { TreeData } from '@octavo/markdown/editing';
import type { Node } from 'prosemirror-model';
import { type EditorState, Plugin, PluginKey } from 'prosemirror-state';
import { Decoration, DecorationSet } from 'prosemirror-view';

/** Labels for the columns of cards, by the attribute of the column. */
const columnNames: Record<string, string> = {
  'data-card-target': 'Link',
  'data-card-cover': 'Image',
  'data-card-cover-dark': 'Image, dark',
};

/** Returns the name of a column that is not text; an empty string for all others. */
function nameColumn(header: Node): string {
  const attributes = ((header.attrs.data as TreeData).attributes ?? {}) as Record<string, unknown>;
  const name = Object.keys(columnNames).find((each) => each in attributes);
  if (name !== undefined) return columnNames[name] ?? '';
  const type = attributes['data-type'];
  return typeof type === 'string' && type !== 'text' ? type : '';
}

/** Hints in the first columns of cards while they are empty. */
const cardHints = ['Title', 'Text'];

/**
 * Labels the cells that contain no text, such as links, and the empty cells of cards, so that a writer knows their
 * purpose.
 */
function labelCells(table: Node, start: number): Decoration[] {
  const names: string[] = [];
  table.firstChild?.forEach((header) => {
    names.push(nameColumn(header));
  });
  const hints = (table.attrs.data as TreeData).view === 'cards' ? cardHints : [];
  if (hints.length === 0 && names.every((name) => name === '')) return [];
  const labels: Decoration[] = [];
  table.forEach((row, rowOffset) => {
    row.forEach((cell, offset, index) => {
      const from = start + 1 + rowOffset + 1 + offset;
      const to = from + cell.nodeSize;
      const hint = cell.childCount === 0 ? hints[index] : undefined;
      if (names[index]) labels.push(Decoration.node(from, to, { 'data-column': names[index] }));
      else if (hint !== undefined)
        labels.push(Decoration.node(from, to, { class: 'editor-placeholder', 'data-placeholder': hint }));
    });
  });
  return labels;
}

function labelTables(doc: Node): DecorationSet {
  const labels: Decoration[] = [];
  doc.descendants((node, position) => {
    if (node.type.name === 'table') labels.push(...labelCells(node, position));
    return node.type.name !== 'table' && !node.isTextblock;
  });
  return DecorationSet.create(doc, labels);
}

const key = new PluginKey<DecorationSet>('columns');

/** Shows what the columns of cards and of tables with types contain. */
export const columnLabels = new Plugin<DecorationSet>({
  key,
  state: {
    init: (_config, { doc }: EditorState) => labelTables(doc),
    apply: (tr, former) => (tr.docChanged ? labelTables(tr.doc) : former),
  },
  props: { decorations: (state) => key.getState(state) },
});
