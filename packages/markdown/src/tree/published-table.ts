import type { Json } from '@octavo/expression';
import type { Block, TreeData } from './document-tree.ts';
import { isBlock, textAt } from './document-tree.ts';

type Published = { [key: string]: Json };
type Inlines = (nodes: Block['nodes']) => Json[];

/** A table in the form in which renderers of the API family take one: columns, records, and a fragment for each cell. */
export function publishedTable(table: Block, inlines: Inlines): Published {
  const rows = table.nodes.filter(isBlock);
  const header = rows.find(({ data }) => data.header === true);
  const records = rows.filter((row) => row !== header);
  const width = Math.max(0, ...rows.map(({ nodes }) => nodes.length));
  const columns = Array.from({ length: width }, (_, index) => `c${index}`);
  const titles = (header?.nodes ?? []).filter(isBlock);
  const { align } = table.data;
  const definition = columns.map((id, index) => {
    const side = Array.isArray(align) ? align[index] : undefined;
    const textAlignment = side === 'center' || side === 'right' ? side : 'left';
    return [id, { id, title: flatText(titles[index]), type: 'text', textAlignment }] as const;
  });
  const cells = records.map((row) => row.nodes.filter(isBlock));
  const isShown = (_: string, index: number) => attributeOf(titles[index]?.data, 'data-hidden') === undefined;
  return {
    object: 'block',
    type: 'table',
    ...(table.key === undefined ? {} : { key: table.key }),
    isVoid: true,
    data: {
      view: viewOf(table.data, columns.filter(isShown), { hideHeader: titles.length === 0 }),
      definition: Object.fromEntries(definition),
      records: Object.fromEntries(cells.map((row, index) => [`r${index}`, recordOf(row, index)])),
    },
    fragments: cells.flatMap((row, record) =>
      row.map((cell, column) => ({
        object: 'fragment',
        fragment: nameOf(record, column),
        nodes: [{ object: 'block', type: 'paragraph', isVoid: false, data: {}, nodes: inlines(cell.nodes) }],
      })),
    ),
  };
}

const nameOf = (record: number, column: number): string => `r${record}c${column}`;

const recordOf = (row: Block[], record: number): Published => ({
  orderIndex: String(record).padStart(6, '0'),
  values: Object.fromEntries(row.map((_, column) => [`c${column}`, nameOf(record, column)])),
});

function viewOf(data: TreeData, columns: string[], { hideHeader }: { hideHeader: boolean }): Published {
  if (textAt(data, 'view') !== 'cards') return { type: 'grid', columns, hideHeader };
  const cardSize = attributeOf(data, 'data-card-size') === 'large' ? 'large' : 'medium';
  return { type: 'cards', cardSize, columns, hideColumnTitle: true };
}

const attributeOf = (data: TreeData | undefined, name: string): string | undefined => textAt(data, 'attributes', name);

const flatText = (node: Block['nodes'][number] | undefined): string => {
  if (node === undefined) return '';
  if (node.object === 'text') return node.leaves.map(({ text }) => text).join('');
  return node.nodes.map(flatText).join('');
};
