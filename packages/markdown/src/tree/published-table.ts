import type { Json } from '@octavo/expression';
import { type Block, getTextAt, type Inline, isBlock, type TextNode, type TreeData } from './document-tree.ts';
import { pickFlags } from './published-data.ts';
import type { PublishedNode } from './published-nodes.ts';
import { addKey, getPlainText, publishFileReference, publishReference } from './published-nodes.ts';

type Content = (nodes: Block['nodes']) => Json[];
type Column = { id: string; type: string; head: Block | undefined };

/** A table in the official format: columns, records, and a fragment for each text cell. */
export function publishTable(table: Block, contentOf: Content): PublishedNode {
  const rows = table.nodes.filter(isBlock);
  const header = rows.find(({ data }) => data.header === true);
  const titles = (header?.nodes ?? []).filter(isBlock);
  const width = rows.reduce((most, { nodes }) => Math.max(most, nodes.length), 0);
  const columns = Array.from({ length: width }, (_, index): Column => {
    const head = titles[index];
    return { id: `c${index}`, type: getType(head), head };
  });
  const records = rows.filter((row) => row !== header).map(({ nodes }) => nodes.filter(isBlock));
  const values = records.map((cells, index) => getRecord(cells, index, columns));
  const visibleColumns = columns.filter(({ head }) => getAttribute(head?.data, 'data-hidden') === undefined);
  return addKey(table, {
    object: 'block',
    type: 'table',
    isVoid: true,
    data: {
      view: { ...getView(table.data, columns, titles.length === 0), columns: visibleColumns.map(({ id }) => id) },
      definition: Object.fromEntries(
        columns.map((column, index) => [
          column.id,
          getDefinition(column, {
            contentOf,
            textAlignment: getAlignmentStyle(table.data, index),
            records: values,
          }),
        ]),
      ),
      records: Object.fromEntries(values.map((record, index) => [`r${index}`, record])),
      ...pickFlags(getAttributes(table.data), 'fullWidth'),
    },
    fragments: records.flatMap((cells, record) =>
      cells.flatMap((cell, column) =>
        columns[column]?.type === 'text' ? [getCell(getName(record, column), contentOf(cell.nodes))] : [],
      ),
    ),
  });
}

const TYPES = new Set(['content-ref', 'files', 'image', 'checkbox', 'number', 'rating', 'select', 'users']);

const getType = (head: Block | undefined): string => {
  const type = getAttribute(head?.data, 'data-type') ?? 'text';
  return TYPES.has(type) ? type : 'text';
};

const getAlignmentStyle = ({ align }: TreeData, index: number): string => {
  const side = Array.isArray(align) ? align[index] : undefined;
  return side === 'center' || side === 'right' ? side : 'left';
};

/** Maximum number of options of a column. */
const maxOptions = 200;

/** Returns the distinct values of a column's cells. */
function getOptions(id: string, records: PublishedNode[]): { isMultiple: boolean; options: Json[] } {
  const selectedValues = records
    .map(({ values }) => (values as PublishedNode)[id])
    .filter((value) => Array.isArray(value));
  const options = [...new Set(selectedValues.flat().map(String))].slice(0, maxOptions);
  return {
    isMultiple: selectedValues.some(({ length }) => length > 1),
    options: options.map((value) => ({ value, label: value, color: 'default' })),
  };
}

type TableDefinition = { contentOf: Content; textAlignment: string; records: PublishedNode[] };

function getDefinition(
  { id, type, head }: Column,
  { contentOf, textAlignment, records }: TableDefinition,
): PublishedNode {
  const title = head === undefined ? '' : getPlainText(contentOf(head.nodes)).replace(/\n/g, ' ');
  const multiple = getAttribute(head?.data, 'data-multiple') !== undefined;
  const base = { id, title, type };
  if (type === 'text') return { ...base, textAlignment };
  if (type === 'rating') return { ...base, max: Number(getAttribute(head?.data, 'data-max')) || 5 };
  if (type === 'users') return { ...base, multiple };
  if (type !== 'select') return base;
  const { isMultiple, options } = getOptions(id, records);
  return { ...base, multiple: multiple || isMultiple, options };
}

const getCell = (name: string, nodes: Json[]): PublishedNode => ({
  object: 'fragment',
  fragment: name,
  nodes,
});

const getName = (record: number, column: number): string => `r${record}c${column}`;

const getRecord = (cells: Block[], record: number, columns: Column[]): PublishedNode => ({
  orderIndex: String(record).padStart(6, '0'),
  values: Object.fromEntries(
    cells.flatMap((cell, column) => {
      const { id, type } = columns[column] ?? { id: '', type: 'text' };
      const value = type === 'text' ? getName(record, column) : readValue(type, cell);
      return value === undefined ? [] : [[id, value]];
    }),
  ),
});

/** Converts a cell to the type of its column; undefined if it has no such value. */
function readValue(type: string, cell: Block): Json | undefined {
  const refs = findReferences(cell.nodes);
  const text = getPlainText(cell.nodes).trim();
  if (type === 'content-ref') return refs[0] && publishReference(refs[0]);
  if (type === 'image') return refs[0] && { ref: publishFileReference(refs[0]) };
  if (type === 'files') {
    const files = refs.flatMap((ref) => getTextAt(ref, 'file') ?? []);
    return files.length > 0 || refs.length === 0 ? files : publishFileReference(refs[0]);
  }
  if (type === 'checkbox') return /^(?:true|x|✓|✅)$/i.test(text);
  if (type === 'number' || type === 'rating')
    return text === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);
  return text === '' ? [] : text.split(',').map((each) => each.trim());
}

/** Returns the targets of the links and images in a cell. */
function findReferences(nodes: (Block | Inline | TextNode)[]): TreeData[] {
  const references = nodes.flatMap((node): TreeData[] => {
    if (node.object === 'text') return [];
    const ownReference = node.data.ref;
    return typeof ownReference === 'object' && ownReference !== null && !Array.isArray(ownReference)
      ? [ownReference]
      : findReferences(node.nodes);
  });
  return references;
}

function getView(data: TreeData, columns: Column[], hideHeader: boolean): PublishedNode {
  if (getTextAt(data, 'view') !== 'cards') return { type: 'grid', hideHeader };
  const cardSize = getAttribute(data, 'data-card-size') === 'large' ? 'large' : 'medium';
  const getViewOption = (attribute: string, key: string): PublishedNode => {
    const column = columns.find(({ head }) => getAttribute(head?.data, attribute) !== undefined);
    return column === undefined ? {} : { [key]: column.id };
  };
  return {
    type: 'cards',
    cardSize,
    hideColumnTitle: true,
    ...getViewOption('data-card-target', 'targetDefinition'),
    ...getViewOption('data-card-cover', 'coverDefinition'),
    ...getViewOption('data-card-cover-dark', 'coverDefinitionDark'),
  };
}

const getAttributes = ({ attributes }: TreeData): TreeData => ({
  fullWidth: getTextAt(attributes, 'data-full-width') ?? null,
});

const getAttribute = (data: TreeData | undefined, name: string): string | undefined =>
  getTextAt(data, 'attributes', name);
