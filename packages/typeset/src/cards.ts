import type { Block } from '@octavo/markdown';
import { colors, drawFrame } from './ink.ts';
import { getLineHeight, type Line } from './line.ts';
import type { Box, LinkEnd } from './paper.ts';
import { drawPicture, type Picture } from './picture.ts';
import { prepareText, type Setting } from './setting.ts';
import { getPlainText, getSpans, getUrl } from './spans.ts';
import { getAttribute, isHidden, type TypesetTable, type TypesetTableRow, typesetRecords } from './table-cells.ts';

const SIZE = 8.8;
const LEADING = 13;
const PAD = 9;
const BETWEEN = 10;
/** The minimum width of a card and the maximum height of its cover, in points. */
const LEAST = 120;
const HIGHEST_COVER = 110;

interface Card {
  cover: { picture: Picture; width: number; height: number } | undefined;
  lines: Line[];
  target: LinkEnd | undefined;
  height: number;
}

/** Typesets the rows of a table as cards side by side. Each card is a link to its target. */
export async function typesetCards(setting: Setting, table: Block, readTable: TypesetTable): Promise<void> {
  const { flow } = setting;
  const most = getAttribute(table, 'data-card-size') === 'large' ? 2 : 3;
  const columnCount = Math.max(1, Math.min(most, Math.floor((flow.width + BETWEEN) / (LEAST + BETWEEN))));
  const width = (flow.width - (columnCount - 1) * BETWEEN) / columnCount;
  const rows = readTable.rows.filter(({ isHeader }) => !isHeader);
  for (let start = 0; start < rows.length; start += columnCount) {
    const cards: Card[] = [];
    for (const row of rows.slice(start, start + columnCount))
      cards.push(await getCard(setting, { row, table: readTable, width }));
    const height = Math.max(...cards.map((card) => card.height));
    if (height > flow.bottom - flow.top) {
      await typesetRecords(setting, {
        ...readTable,
        rows: rows.slice(start, start + columnCount).map((row) => removeHiddenColumns(row, readTable)),
      });
      continue;
    }
    flow.ensureRoom(height);
    for (const [index, card] of cards.entries())
      drawCard(setting, card, { x: flow.left + index * (width + BETWEEN), y: flow.y, width, height });
    flow.moveDown(height);
    if (start + columnCount < rows.length) flow.addSpace(BETWEEN);
    await flow.paper.flush();
  }
}

const removeHiddenColumns = ({ cells, isHeader }: TypesetTableRow, { titles }: TypesetTable): TypesetTableRow => ({
  cells: cells.filter((_, column) => !isHidden(titles[column])),
  isHeader,
});

interface CardContext {
  row: TypesetTableRow;
  table: TypesetTable;
  width: number;
}

async function getCard(setting: Setting, { row, table, width }: CardContext): Promise<Card> {
  const findColumn = (name: string) => {
    const column = table.titles.findIndex((title) => getAttribute(title, name) !== undefined);
    return column < 0 ? undefined : row.cells[column];
  };
  const address = getTarget(findColumn('data-card-target'));
  const cover = await getCover(setting, getTarget(findColumn('data-card-cover')), width);
  const style = { ...setting.style, size: SIZE };
  const lines: Line[] = [];
  for (const [column, cell] of row.cells.entries()) {
    const title = table.titles[column];
    if (isHidden(title) || (title !== undefined && getAttribute(title, 'data-card-cover') !== undefined)) continue;
    if (getPlainText(cell.nodes).trim() === '' && cell.nodes.every((node) => node.object === 'text')) continue;
    const spans = await prepareText(setting, getSpans(setting, cell.nodes, style));
    lines.push(...(await setting.flow.compose(spans, width - 2 * PAD)));
  }
  const text = lines.reduce((sum, line) => sum + getLineHeight(line, LEADING), 0);
  const height = (cover?.height ?? 0) + (lines.length > 0 || cover === undefined ? text + 2 * PAD : 0);
  return { cover, lines, height, target: address === undefined ? undefined : setting.findTarget(address) };
}

/** Returns the address of the first link of a cell. */
function getTarget(cell: Block | undefined): string | undefined {
  for (const node of cell?.nodes ?? [])
    if (node.object === 'inline' && getUrl(node.data) !== '') return getUrl(node.data);
  return undefined;
}

async function getCover(
  { pictures, page }: Setting,
  address: string | undefined,
  width: number,
): Promise<Card['cover'] | undefined> {
  const picture = address === undefined ? undefined : await pictures.getPicture(page, address);
  if (picture === undefined) return undefined;
  const factor = Math.min(width / picture.width, HIGHEST_COVER / picture.height);
  return { picture, width: picture.width * factor, height: picture.height * factor };
}

function drawCard({ flow }: Setting, { cover, lines, target }: Card, box: Box): void {
  const { x, y, width } = box;
  const top = flow.y;
  if (cover !== undefined)
    drawPicture(flow.paper, cover.picture, {
      x: x + (width - cover.width) / 2,
      y,
      width: cover.width,
      height: cover.height,
    });
  flow.paper.mark(drawFrame(colors.faint, box));
  flow.y = y + (cover?.height ?? 0) + PAD;
  for (const line of lines) flow.drawLine(line, LEADING, x + PAD);
  if (target !== undefined) flow.paper.link(box, target);
  flow.y = top;
}
