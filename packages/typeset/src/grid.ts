import { PAD } from './columns.ts';
import { colors, fill, stroke } from './ink.ts';
import { heightOfLine, type Line } from './line.ts';
import { preparedFor, type Setting } from './setting.ts';
import { plainOf, spansOf } from './spans.ts';
import type { SetTable, SetTableRow } from './table-cells.ts';

/** Of the size of the letters. */
const LEADING = 1.48;

interface Grid {
  widths: number[];
  aligns: string[];
  leading: number;
}

/** Sets a table row by row, its header again at the head of each sheet. */
export async function setGrid(
  setting: Setting,
  { rows, isHeaderShown, aligns }: SetTable,
  widths: number[],
): Promise<void> {
  const { flow } = setting;
  const grid = { widths, aligns, leading: setting.style.size * LEADING };
  const header = rows[0]?.isHeader ? rows[0] : undefined;
  const isShown = isHeaderShown && header?.cells.some(({ nodes }) => plainOf(nodes).trim() !== '') === true;
  const head = isShown && header !== undefined ? await cellLines(setting, header, grid) : undefined;
  for (const [index, row] of rows.entries()) {
    if (row === header && !isShown) continue;
    const cells = row === header && head !== undefined ? head : await cellLines(setting, row, grid);
    if (index === 0 && rows.length > 1) flow.need(heightOf(cells, grid) + grid.leading + 2 * PAD);
    await setRow(setting, { cells, head: row === header ? undefined : head, isHead: row === header }, grid);
    await flow.paper.flush();
  }
}

const heightOf = (cells: Line[][], { leading }: Grid): number =>
  Math.max(leading, ...cells.map((lines) => heightOfLines(lines, leading))) + 2 * PAD;

const heightOfLines = (lines: Line[], leading: number): number =>
  lines.reduce((sum, line) => sum + heightOfLine(line, leading), 0);

interface SetRow {
  cells: Line[][];
  head: Line[][] | undefined;
  isHead: boolean;
}

async function setRow(setting: Setting, { cells, head, isHead }: SetRow, grid: Grid): Promise<void> {
  const { flow } = setting;
  const headHeight = head === undefined ? 0 : heightOf(head, grid);
  const repeated = head !== undefined && headHeight < (flow.bottom - flow.top) / 3 ? head : undefined;
  const newSheet = () => {
    flow.newSheet();
    if (repeated !== undefined) drawRow(setting, repeated, { grid, isHead: true });
  };
  let rest = cells;
  while (rest.some((lines) => lines.length > 0) || rest === cells) {
    const height = heightOf(rest, grid);
    const fitsNext = height <= flow.bottom - flow.top - (repeated === undefined ? 0 : headHeight);
    const least = Math.max(
      4 * grid.leading,
      heightOf(
        rest.map((lines) => lines.slice(0, 1)),
        grid,
      ),
    );
    if (height > flow.room && (fitsNext || flow.room < least) && !flow.isAtTop) newSheet();
    const counts = rest.map((lines) => fittingLines(lines, flow.room - 2 * PAD, grid.leading));
    drawRow(
      setting,
      rest.map((lines, column) => lines.slice(0, counts[column])),
      { grid, isHead },
    );
    rest = rest.map((lines, column) => lines.slice(counts[column]));
    if (rest.every((lines) => lines.length === 0)) return;
    newSheet();
    await flow.paper.flush();
  }
}

/** How many lines fit into a height, one at least. */
function fittingLines(lines: Line[], height: number, leading: number): number {
  let [count, left] = [0, height + 0.01];
  for (const line of lines) {
    left -= heightOfLine(line, leading);
    if (left < 0 && count > 0) break;
    count += 1;
  }
  return count;
}

function drawRow({ flow }: Setting, cells: Line[][], { grid, isHead }: { grid: Grid; isHead: boolean }): void {
  const height = heightOf(cells, grid);
  const [top, start] = [flow.y, flow.left];
  const width = grid.widths.reduce((sum, each) => sum + each, 0);
  if (isHead) flow.paper.mark(fill(colors.head, { x: start, y: top, width, height }));
  let x = start;
  cells.forEach((lines, column) => {
    const own = grid.widths[column] ?? 0;
    const align = grid.aligns[column];
    flow.y = top + PAD;
    for (const line of lines) {
      const free = own - 2 * PAD - Math.min(line.width, own - 2 * PAD);
      const shift = align === 'right' || (!align && line.isFromRight) ? free : align === 'center' ? free / 2 : 0;
      flow.line(line, grid.leading, x + PAD + shift);
    }
    x += own;
  });
  flow.y = top;
  flow.take(height);
  flow.paper.mark(
    stroke(colors.faint, isHead ? 1 : 0.6, [
      [start, flow.y],
      [start + width, flow.y],
    ]),
  );
}

async function cellLines(setting: Setting, { cells, isHeader }: SetTableRow, { widths }: Grid): Promise<Line[][]> {
  const style = isHeader ? { ...setting.style, bold: true } : setting.style;
  const result: Line[][] = [];
  for (const [column, width] of widths.entries()) {
    const spans = spansOf(setting, cells[column]?.nodes ?? [], style);
    result.push(await setting.flow.compose(await preparedFor(setting, spans), width - 2 * PAD));
  }
  return result;
}
