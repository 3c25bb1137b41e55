import { nodesOf, plainText, type ShownNode } from '../document.ts';
import type { ColumnDefinition, TableOfPage } from './table-data.ts';

const fewestRows = 12;
const narrowestCharacters = 8;
/** So many characters are sure to stand beside each other in the column of the text. */
const widestCharacters = 64;

const narrowTypes = new Set(['text', 'number', 'checkbox']);
const plainInlines = new Set(['link', 'emoji']);

const isPlain = (node: ShownNode): boolean =>
  (node.object !== 'inline' || plainInlines.has(node.type ?? '')) && nodesOf(node).every(isPlain);

const longestWord = (text: string): number =>
  text.split(/\s+/).reduce((longest, { length }) => Math.max(longest, length), 0);

/** How many characters a column needs at least; infinitely many where more than words stand in it. */
function leastCharacters({ id, type, title = '' }: ColumnDefinition, { records, texts }: TableOfPage): number {
  if (!narrowTypes.has(type)) return Number.POSITIVE_INFINITY;
  const lengths = records.map(({ values }) => {
    if (type !== 'text') return String(values[id] ?? '').length;
    const nodes = texts.get(String(values[id])) ?? [];
    return nodes.every(isPlain) ? longestWord(plainText(nodes)) : Number.POSITIVE_INFINITY;
  });
  return lengths.reduce((most, length) => Math.max(most, length), Math.max(narrowestCharacters, longestWord(title)));
}

/** Whether a table is long, and surely no wider than the text: its head can stay in sight, since it need not scroll in itself. */
export function keepsHead(table: TableOfPage): boolean {
  const { records, columns, view } = table;
  if (records.length < fewestRows || view.hideHeader === true || view.columnWidths !== undefined) return false;
  return columns.reduce((sum, column) => sum + leastCharacters(column, table), 0) <= widestCharacters;
}
