import type { Block } from '@octavo/markdown';
import { setCards } from './cards.ts';
import { leastWidth, measured, shareIn, type Wish, widthsIn } from './columns.ts';
import { setGrid } from './grid.ts';
import { setRecords } from './records.ts';
import type { Setting } from './setting.ts';
import { textIn } from './spans.ts';
import { attributeOf, isHidden, type SetTable } from './table-cells.ts';

/** Of the letters in a table: as they are, and the smallest that can be read. */
const SIZE = 8.8;
const LEAST_SIZE = 6.4;
const LEAST_SHARE = LEAST_SIZE / SIZE;
const ROWS_LOOKED_AT = 1000;

const isBlock = (node: Block['nodes'][number]): node is Block => node.object === 'block';

/**
 * Sets a table: as cards, or as a grid without its hidden columns. A grid that is too wide gets smaller letters, then a
 * sheet that lies on its side; one with more columns than fit on that is a list.
 */
export async function setTable(setting: Setting, table: Block): Promise<void> {
  const { flow } = setting;
  const shape = await shapeOf(setting, table);
  flow.lay(shape.isWide);
  if (shape.type === 'cards') return setCards(setting, table, shape.table);
  const small = { ...setting, style: { ...setting.style, size: SIZE } };
  if (shape.type === 'records') return setRecords(small, shape.table);
  const share = Math.max(LEAST_SHARE, shareIn(shape.wish, flow.width));
  const style = { ...small.style, size: SIZE * share };
  await setGrid({ ...small, style }, shape.table, widthsIn(shape.wish, { width: flow.width, share }));
}

/** Whether a table takes a sheet that lies on its side. */
export const isWide = async (setting: Setting, table: Block): Promise<boolean> =>
  (await shapeOf(setting, table)).isWide;

type Shape =
  | { type: 'cards'; table: SetTable; isWide: false }
  | { type: 'records'; table: SetTable; isWide: false }
  | { type: 'grid'; table: SetTable; isWide: boolean; wish: Wish };

async function shapeOf(setting: Setting, block: Block): Promise<Shape> {
  const read = readTable(block);
  if (textIn(block.data, 'view') === 'cards') return { type: 'cards', table: read, isWide: false };
  const table = withoutHidden(read);
  const count = Math.max(0, ...table.rows.slice(0, ROWS_LOOKED_AT).map(({ cells }) => cells.length));
  const { upright, turned } = setting.flow.widths;
  if (count === 0 || count * leastWidth(LEAST_SIZE) > turned) return { type: 'records', table, isWide: false };
  const wish = await measured({ ...setting, style: { ...setting.style, size: SIZE } }, table.rows, count);
  return { type: 'grid', table, wish, isWide: turned > upright && shareIn(wish, upright) < LEAST_SHARE };
}

function readTable({ data, nodes }: Block): SetTable {
  const rows = nodes
    .filter(isBlock)
    .map((row) => ({ cells: row.nodes.filter(isBlock), isHeader: row.data.header === true }));
  const titles = rows[0]?.isHeader ? rows[0].cells : [];
  const given = Array.isArray(data.align) ? data.align.map(String) : [];
  const aligns = given.length > 0 ? given : titles.map((title) => attributeOf(title, 'align') ?? '');
  return { rows, titles, isHeaderShown: attributeOf({ data }, 'data-header-hidden') === undefined, aligns };
}

function withoutHidden({ rows, titles, aligns, isHeaderShown }: SetTable): SetTable {
  const shown = (_: unknown, column: number) => !isHidden(titles[column]);
  return {
    rows: rows.map(({ cells, isHeader }) => ({ cells: cells.filter(shown), isHeader })),
    titles: titles.filter(shown),
    isHeaderShown,
    aligns: aligns.filter(shown),
  };
}
