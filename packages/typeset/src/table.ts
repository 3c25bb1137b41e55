import type { Block } from '@octavo/markdown';
import { colors, fill, stroke } from './ink.ts';
import { type Line, prepared, type Span } from './lines.ts';
import { gap, paragraph, type Setting } from './setting.ts';
import { plainOf, spansOf } from './spans.ts';

const SIZE = 8.8;
const LEADING = 13;
const PAD = 5;
const LEAST = 34;
const MEASURED_ROWS = 100;
const MEASURED_TEXT = 300;

interface Row {
  cells: Block[];
  isHeader: boolean;
}

interface Grid {
  widths: number[];
  aligns: string[];
}

const isBlock = (node: Block['nodes'][number]): node is Block => node.object === 'block';

/** Sets a table row by row, its header again at the head of each sheet; one with too many columns as a list. */
export async function setTable(setting: Setting, { data, nodes }: Block): Promise<void> {
  const rows = nodes
    .filter(isBlock)
    .map((row) => ({ cells: row.nodes.filter(isBlock), isHeader: row.data.header === true }));
  const count = Math.max(0, ...rows.slice(0, 1000).map(({ cells }) => cells.length));
  if (count === 0) return;
  const small: Setting = { ...setting, style: { ...setting.style, size: SIZE } };
  if (count * LEAST > setting.flow.width) return setRecords(small, rows);
  const widths = await columnWidths(small, rows, count);
  const grid = { widths, aligns: Array.isArray(data.align) ? data.align.map(String) : [] };
  const header = rows[0]?.isHeader ? rows[0] : undefined;
  const isShown = header?.cells.some(({ nodes }) => plainOf(nodes).trim() !== '') === true;
  const head = isShown && header !== undefined ? await cellLines(small, header, grid) : undefined;
  for (const [index, row] of rows.entries()) {
    if (row === header && !isShown) continue;
    const cells = row === header && head !== undefined ? head : await cellLines(small, row, grid);
    if (index === 0 && rows.length > 1) setting.flow.need(heightOf(cells) + LEADING + 2 * PAD);
    await setRow(small, { cells, head: row === header ? undefined : head, isHead: row === header }, grid);
    await setting.flow.paper.flush();
  }
}

const heightOf = (cells: Line[][]): number => Math.max(1, ...cells.map((lines) => lines.length)) * LEADING + 2 * PAD;

interface SetRow {
  cells: Line[][];
  head: Line[][] | undefined;
  isHead: boolean;
}

async function setRow(setting: Setting, { cells, head, isHead }: SetRow, grid: Grid): Promise<void> {
  const { flow } = setting;
  let rest = cells;
  while (rest.some((lines) => lines.length > 0) || rest === cells) {
    const height = heightOf(rest);
    const isWhole = height <= flow.room;
    const repeated = head !== undefined && heightOf(head) < (flow.bottom - flow.top) / 3;
    const fitsNext = height <= flow.bottom - flow.top - (repeated ? heightOf(head) : 0);
    if (!isWhole && (fitsNext || flow.room < 4 * LEADING) && !flow.isAtTop) {
      flow.newSheet();
      if (repeated) drawRow(setting, head, { grid, isHead: true });
    }
    const fitting = Math.max(1, Math.floor((flow.room - 2 * PAD) / LEADING));
    drawRow(
      setting,
      rest.map((lines) => lines.slice(0, fitting)),
      { grid, isHead },
    );
    rest = rest.map((lines) => lines.slice(fitting));
    if (rest.every((lines) => lines.length === 0)) return;
    flow.newSheet();
    if (repeated) drawRow(setting, head, { grid, isHead: true });
    await flow.paper.flush();
  }
}

function drawRow({ flow }: Setting, cells: Line[][], { grid, isHead }: { grid: Grid; isHead: boolean }): void {
  const height = heightOf(cells);
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
      const shift = align === 'right' ? free : align === 'center' ? free / 2 : 0;
      flow.line(line, LEADING, x + PAD + shift);
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

async function cellLines(setting: Setting, { cells, isHeader }: Row, { widths }: Grid): Promise<Line[][]> {
  const style = isHeader ? { ...setting.style, bold: true } : setting.style;
  const result: Line[][] = [];
  for (const [column, width] of widths.entries()) {
    const spans = spansOf(setting, cells[column]?.nodes ?? [], style);
    result.push(await setting.flow.compose(await prepared(setting.flow.fonts, spans), width - 2 * PAD));
  }
  return result;
}

/** As wide as the contents are, as far as there is room; no column narrower than its longest word, if that can be. */
async function columnWidths(setting: Setting, rows: Row[], count: number): Promise<number[]> {
  const { flow } = setting;
  const whole = Array.from({ length: count }, () => LEAST);
  const words = Array.from({ length: count }, () => LEAST);
  for (const { cells, isHeader } of rows.slice(0, MEASURED_ROWS))
    for (const [column, { nodes }] of cells.slice(0, count).entries()) {
      const style = { ...setting.style, bold: isHeader };
      const spans = await prepared(flow.fonts, shortened(spansOf(setting, nodes, style)));
      const lines = await flow.compose(spans, Number.POSITIVE_INFINITY);
      const widest = Math.max(0, ...lines.map(({ width }) => width)) + 2 * PAD + 1;
      whole[column] = Math.max(whole[column] ?? 0, widest);
      const narrow = await flow.compose(spans, 1);
      const longest = Math.max(0, ...narrow.slice(0, 60).map(({ width }) => width));
      const word = Math.min(await wordWidth(setting, spans), flow.width / 2) || longest;
      words[column] = Math.max(words[column] ?? 0, word + 2 * PAD + 1);
      await flow.paper.turns.next(2 * MEASURED_TEXT);
    }
  return shared(whole, words, flow.width);
}

/** The width of the longest word. */
async function wordWidth({ flow }: Setting, spans: Span[]): Promise<number> {
  let widest = 0;
  for (const { text, style } of spans)
    for (const word of text.split(/[ \u200B]+/).slice(0, 40)) {
      if (word === '' || word.length > 40) continue;
      const [line] = await flow.compose([{ text: word, style }], Number.POSITIVE_INFINITY);
      widest = Math.max(widest, line?.width ?? 0);
    }
  return widest;
}

function shortened(spans: Span[]): Span[] {
  let left = MEASURED_TEXT;
  return spans.flatMap((span) => {
    if (left <= 0) return [];
    const text = span.text.slice(0, left);
    left -= text.length;
    return [{ ...span, text }];
  });
}

function shared(whole: number[], words: number[], width: number): number[] {
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
  if (sum(whole) <= width) return sum(whole) > width * 0.6 ? scaled(whole, width / sum(whole)) : whole;
  if (sum(words) >= width) return scaled(words, width / sum(words));
  const wish = whole.map((each, column) => Math.sqrt(Math.max(0, each - (words[column] ?? 0))));
  const factor = (width - sum(words)) / (sum(wish) || 1);
  return words.map((each, column) => each + (wish[column] ?? 0) * factor);
}

const scaled = (numbers: number[], factor: number): number[] => numbers.map((each) => each * factor);

/** Each row as a list of its cells, each after its column's name. */
async function setRecords(setting: Setting, rows: Row[]): Promise<void> {
  const header = rows[0]?.isHeader ? rows[0] : undefined;
  const names = (header?.cells ?? []).map(({ nodes }) => plainOf(nodes).trim().slice(0, 60));
  const { flow } = setting;
  for (const row of rows) {
    if (row === header && rows.length > 1) continue;
    for (const [column, { nodes }] of row.cells.entries()) {
      const name = row === header ? '' : names[column];
      const label = name ? [{ text: `${name}: `, style: { ...setting.style, bold: true } }] : [];
      if (nodes.length > 0) await paragraph(setting, [...label, ...spansOf(setting, nodes)], LEADING);
    }
    flow.take(2);
    flow.paper.mark(
      stroke(colors.faint, 0.6, [
        [flow.left, flow.y],
        [flow.left + flow.width, flow.y],
      ]),
    );
    flow.space(gap / 2);
    await flow.paper.flush();
  }
}
