import type { Block } from '@octavo/markdown';
import { typesetCards } from './cards.ts';
import { colors, drawStroke, fill } from './ink.ts';
import { getLineHeight, type Line, type Span } from './line.ts';
import { prepareText, type Setting } from './setting.ts';
import { getPlainText, getSpans, getText } from './spans.ts';
import { getAttribute, isHidden, type TypesetTable, type TypesetTableRow, typesetRecords } from './table-cells.ts';

/** The padding of a cell, in points, and limits of the text that is measured for the column widths. */
const PAD = 5;
const MEASURED_ROWS = 100;
const MEASURED_TEXT = 300;
const MEASURED_WORDS = 40;
const LONGEST_WORD = 40;
/** The minimum width of a column, relative to the font size. */
const LEAST = 3.9;

const getMinWidth = (size: number): number => size * LEAST;

/** The width of a column besides its text. */
const AROUND = 2 * PAD + 1;

/** The preferred and minimum widths of the columns: all text on one line, and the longest word. */
interface ColumnWishes {
  lineWidths: number[];
  words: number[];
}

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Measures the columns of the first rows. */
async function measureTable(setting: Setting, rows: TypesetTableRow[], count: number): Promise<ColumnWishes> {
  const { flow, style } = setting;
  const lineWidths = Array.from({ length: count }, () => getMinWidth(style.size) - AROUND);
  const words = [...lineWidths];
  for (const { cells, isHeader } of rows.slice(0, MEASURED_ROWS))
    for (const [column, { nodes }] of cells.slice(0, count).entries()) {
      const cellStyle = { ...style, bold: isHeader };
      const spans = await prepareText(setting, shortenSpans(getSpans(setting, nodes, cellStyle)));
      const lines = await flow.compose(spans, Number.POSITIVE_INFINITY);
      lineWidths[column] = Math.max(lineWidths[column] ?? 0, getWidest(lines));
      const word = Math.min(await measureWidestWord(setting, spans), flow.width / 2);
      words[column] = Math.max(words[column] ?? 0, word);
      await flow.paper.turns.countWork(2 * MEASURED_TEXT);
    }
  return { lineWidths, words };
}

const getWidest = (lines: Line[]): number => Math.max(0, ...lines.map(({ width }) => width));

/** Returns the width of the longest word. Images can shrink to the size of an icon. */
async function measureWidestWord({ flow }: Setting, spans: Span[]): Promise<number> {
  let widest = 0;
  for (const { text, style, picture } of spans)
    for (const word of picture === undefined ? text.split(/[ \u200B]+/).slice(0, MEASURED_WORDS) : []) {
      if (word === '' || word.length > LONGEST_WORD) continue;
      const [line] = await flow.compose([{ text: word, style }], Number.POSITIVE_INFINITY);
      widest = Math.max(widest, line?.width ?? 0);
    }
  return widest;
}

function shortenSpans(spans: Span[]): Span[] {
  let remaining = MEASURED_TEXT;
  return spans.flatMap((span) => {
    if (remaining <= 0) return [];
    const text = span.text.slice(0, remaining);
    remaining -= text.length;
    return [{ ...span, text }];
  });
}

/** Returns the scale at which all words fit unbroken, at most 1. */
const getShare = ({ words }: ColumnWishes, width: number): number =>
  Math.min(1, Math.max(0, width - words.length * AROUND) / sum(words));

/** Distributes the width by content, with no column narrower than its longest word if possible. */
function computeWidths(preferred: ColumnWishes, { width, share }: { width: number; share: number }): number[] {
  const [lineWidths, words] = [preferred.lineWidths, preferred.words].map((widths) =>
    widths.map((each) => each * share + AROUND),
  ) as [number[], number[]];
  if (sum(lineWidths) <= width)
    return sum(lineWidths) > width * 0.6 ? scaleNumbers(lineWidths, width / sum(lineWidths)) : lineWidths;
  if (sum(words) >= width) return scaleNumbers(words, width / sum(words));
  const spread = lineWidths.map((each, column) => Math.sqrt(Math.max(0, each - (words[column] ?? 0))));
  const factor = (width - sum(words)) / (sum(spread) || 1);
  return words.map((each, column) => each + (spread[column] ?? 0) * factor);
}

const scaleNumbers = (numbers: number[], factor: number): number[] => numbers.map((each) => each * factor);

/** The line height, relative to the font size. */
const LEADING = 1.48;

interface Grid {
  widths: number[];
  aligns: string[];
  leading: number;
}

/** Typesets a table row by row, repeating its header on each sheet. */
async function typesetGrid(
  setting: Setting,
  { rows, isHeaderShown, aligns }: TypesetTable,
  widths: number[],
): Promise<void> {
  const { flow } = setting;
  const grid = { widths, aligns, leading: setting.style.size * LEADING };
  const header = rows[0]?.isHeader ? rows[0] : undefined;
  const isShown = isHeaderShown && header?.cells.some(({ nodes }) => getPlainText(nodes).trim() !== '') === true;
  const head = isShown && header !== undefined ? await breakCellLines(setting, header, grid) : undefined;
  for (const [index, row] of rows.entries()) {
    if (row === header && !isShown) continue;
    const cells = row === header && head !== undefined ? head : await breakCellLines(setting, row, grid);
    if (index === 0 && rows.length > 1) flow.ensureRoom(getHeight(cells, grid) + grid.leading + 2 * PAD);
    await typesetRow(setting, { cells, head: row === header ? undefined : head, isHead: row === header }, grid);
    await flow.paper.flush();
  }
}

const getHeight = (cells: Line[][], { leading }: Grid): number =>
  Math.max(leading, ...cells.map((lines) => getLinesHeight(lines, leading))) + 2 * PAD;

const getLinesHeight = (lines: Line[], leading: number): number =>
  lines.reduce((sum, line) => sum + getLineHeight(line, leading), 0);

interface TypesetRow {
  cells: Line[][];
  head: Line[][] | undefined;
  isHead: boolean;
}

async function typesetRow(setting: Setting, { cells, head, isHead }: TypesetRow, grid: Grid): Promise<void> {
  const { flow } = setting;
  const headHeight = head === undefined ? 0 : getHeight(head, grid);
  const repeated = head !== undefined && headHeight < (flow.bottom - flow.top) / 3 ? head : undefined;
  const startSheet = () => {
    flow.startSheet();
    if (repeated !== undefined) drawRow(setting, repeated, { grid, isHead: true });
  };
  let rest = cells;
  while (rest.some((lines) => lines.length > 0) || rest === cells) {
    const height = getHeight(rest, grid);
    const fitsNext = height <= flow.bottom - flow.top - (repeated === undefined ? 0 : headHeight);
    const lineHeight = Math.max(
      4 * grid.leading,
      getHeight(
        rest.map((lines) => lines.slice(0, 1)),
        grid,
      ),
    );
    if (height > flow.room && (fitsNext || flow.room < lineHeight) && !flow.isAtTop) startSheet();
    const counts = rest.map((lines) => countFittingLines(lines, flow.room - 2 * PAD, grid.leading));
    drawRow(
      setting,
      rest.map((lines, column) => lines.slice(0, counts[column])),
      { grid, isHead },
    );
    rest = rest.map((lines, column) => lines.slice(counts[column]));
    if (rest.every((lines) => lines.length === 0)) return;
    startSheet();
    await flow.paper.flush();
  }
}

/** Returns how many lines fit, at least one. */
function countFittingLines(lines: Line[], height: number, leading: number): number {
  let [count, lineCount] = [0, height + 0.01];
  for (const line of lines) {
    lineCount -= getLineHeight(line, leading);
    if (lineCount < 0 && count > 0) break;
    count += 1;
  }
  return count;
}

function drawRow({ flow }: Setting, cells: Line[][], { grid, isHead }: { grid: Grid; isHead: boolean }): void {
  const height = getHeight(cells, grid);
  const [top, start] = [flow.y, flow.left];
  const width = grid.widths.reduce((sum, each) => sum + each, 0);
  if (isHead) flow.paper.mark(fill(colors.head, { x: start, y: top, width, height }));
  let x = start;
  cells.forEach((lines, column) => {
    const columnWidth = grid.widths[column] ?? 0;
    const align = grid.aligns[column];
    flow.y = top + PAD;
    for (const line of lines) {
      const freeWidth = columnWidth - 2 * PAD - Math.min(line.width, columnWidth - 2 * PAD);
      const shift =
        align === 'right' || (!align && line.isFromRight) ? freeWidth : align === 'center' ? freeWidth / 2 : 0;
      flow.drawLine(line, grid.leading, x + PAD + shift);
    }
    x += columnWidth;
  });
  flow.y = top;
  flow.moveDown(height);
  flow.paper.mark(
    drawStroke(colors.faint, isHead ? 1 : 0.6, [
      [start, flow.y],
      [start + width, flow.y],
    ]),
  );
}

async function breakCellLines(
  setting: Setting,
  { cells, isHeader }: TypesetTableRow,
  { widths }: Grid,
): Promise<Line[][]> {
  const style = isHeader ? { ...setting.style, bold: true } : setting.style;
  const result: Line[][] = [];
  for (const [column, width] of widths.entries()) {
    const spans = getSpans(setting, cells[column]?.nodes ?? [], style);
    result.push(await setting.flow.compose(await prepareText(setting, spans), width - 2 * PAD));
  }
  return result;
}

/**
 * Font sizes in a table: the regular size and the smallest readable size, with their ratio. Only the first
 * `ROWS_LOOKED_AT` rows determine the number of columns.
 */
const SIZE = 8.8;
const LEAST_SIZE = 6.4;
const LEAST_SHARE = LEAST_SIZE / SIZE;
const ROWS_LOOKED_AT = 1000;

const isBlock = (node: Block['nodes'][number]): node is Block => node.object === 'block';

/**
 * Typesets a table as cards, or as a grid without its hidden columns. A grid that is too wide gets a smaller font, then a
 * landscape sheet. If it has too many columns even for that, it becomes a list.
 */
export async function typesetTable(setting: Setting, table: Block): Promise<void> {
  const { flow } = setting;
  const shape = await getShape(setting, table);
  flow.useOrientation(shape.isWide);
  if (shape.type === 'cards') return typesetCards(setting, table, shape.table);
  const tableSetting = { ...setting, style: { ...setting.style, size: SIZE } };
  if (shape.type === 'records') return typesetRecords(tableSetting, shape.table);
  const share = Math.max(LEAST_SHARE, getShare(shape.preferred, flow.width));
  const style = { ...tableSetting.style, size: SIZE * share };
  await typesetGrid(
    { ...tableSetting, style },
    shape.table,
    computeWidths(shape.preferred, { width: flow.width, share }),
  );
}

/** Whether a table needs a landscape sheet. */
export const isWide = async (setting: Setting, table: Block): Promise<boolean> =>
  (await getShape(setting, table)).isWide;

type Shape =
  | { type: 'cards'; table: TypesetTable; isWide: false }
  | { type: 'records'; table: TypesetTable; isWide: false }
  | { type: 'grid'; table: TypesetTable; isWide: boolean; preferred: ColumnWishes };

async function getShape(setting: Setting, block: Block): Promise<Shape> {
  const setTable = readTable(block);
  if (getText(block.data, 'view') === 'cards') return { type: 'cards', table: setTable, isWide: false };
  const table = removeHidden(setTable);
  const count = Math.max(0, ...table.rows.slice(0, ROWS_LOOKED_AT).map(({ cells }) => cells.length));
  const { upright, turnedWidth } = setting.flow.widths;
  if (count === 0 || count * getMinWidth(LEAST_SIZE) > turnedWidth) return { type: 'records', table, isWide: false };
  const preferred = await measureTable({ ...setting, style: { ...setting.style, size: SIZE } }, table.rows, count);
  return {
    type: 'grid',
    table,
    preferred,
    isWide: turnedWidth > upright && getShare(preferred, upright) < LEAST_SHARE,
  };
}

function readTable({ data, nodes }: Block): TypesetTable {
  const rows = nodes
    .filter(isBlock)
    .map((row) => ({ cells: row.nodes.filter(isBlock), isHeader: row.data.header === true }));
  const titles = rows[0]?.isHeader ? rows[0].cells : [];
  const alignments = Array.isArray(data.align) ? data.align.map(String) : [];
  const aligns = alignments.length > 0 ? alignments : titles.map((title) => getAttribute(title, 'align') ?? '');
  return { rows, titles, isHeaderShown: getAttribute({ data }, 'data-header-hidden') === undefined, aligns };
}

function removeHidden({ rows, titles, aligns, isHeaderShown }: TypesetTable): TypesetTable {
  const isColumnVisible = (_: unknown, column: number) => !isHidden(titles[column]);
  return {
    rows: rows.map(({ cells, isHeader }) => ({ cells: cells.filter(isColumnVisible), isHeader })),
    titles: titles.filter(isColumnVisible),
    isHeaderShown,
    aligns: aligns.filter(isColumnVisible),
  };
}
