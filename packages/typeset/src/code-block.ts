import { type CodeToken, createCodeReader } from '@octavo/highlight';
import { type Block, readCode } from '@octavo/markdown';
import { getClusters, removeUnsupported } from './fonts.ts';
import { colors, drawStroke, type Style } from './ink.ts';
import type { Span } from './line.ts';
import { splitText } from './lines.ts';
import { getLines, type Setting, typesetSpans } from './setting.ts';
import { getText } from './spans.ts';

const COLORS: Record<NonNullable<CodeToken['kind']>, string> = {
  keyword: '0.53 0.16 0.6',
  constant: '0.68 0.3 0.02',
  string: '0.1 0.42 0.2',
  deleted: '0.72 0.16 0.16',
  comment: colors.soft,
  name: '0.05 0.36 0.72',
  property: '0 0.4 0.45',
};

/** A part of a line in one color. */
interface ColoredPart {
  text: string;
  color: string;
}

/** Colors code line by line. */
interface Highlighter {
  line(text: string): ColoredPart[];
}

/** Returns the highlighter for a language, or undefined if the language is unknown. */
function getHighlighter(syntax: string): Highlighter | undefined {
  const reader = createCodeReader(syntax);
  if (reader === undefined) return undefined;
  const getColor = ({ kind }: CodeToken) => (kind === undefined ? colors.text : COLORS[kind]);
  return { line: (text) => reader.highlightLine(text).map((token) => ({ text: token.text, color: getColor(token) })) };
}

const style: Style = { size: 8.4, color: colors.text, mono: true };
const LEADING = 12.2;
const COLUMN = 0.6;
const PAD = 8;

/**
 * Typesets a block of highlighted code on a background that continues across sheets. A hook marks where a long line
 * continues.
 */
export async function typesetCode(setting: Setting, block: Block): Promise<void> {
  const { data, lines } = readCode(block);
  const highlighter = getHighlighter(getText(data, 'syntax'));
  const texts = lines.map(({ text }) => text);
  await typesetCodeLines(setting, texts, {
    title: getText(data, 'title'),
    isNumbered: data.lineNumbers === true,
    ...(highlighter !== undefined && { highlighter }),
  });
}

interface CodeBlockStyle {
  title?: string;
  isNumbered?: boolean;
  highlighter?: Highlighter;
}

export async function typesetCodeLines(
  setting: Setting,
  lines: string[],
  { title = '', isNumbered = false, highlighter }: CodeBlockStyle = {},
): Promise<void> {
  const { flow } = setting;
  await flow.paper.turns.countWork(lines.length / 10);
  flow.ensureRoom(2 * PAD + LEADING * Math.min(lines.length + 1, 3));
  await flow.surroundBlock({ color: colors.ground, pad: PAD, inset: PAD + 2 }, async () => {
    if (title !== '') {
      await typesetSpans(setting, [{ text: title, style: { size: 8, color: colors.soft, bold: true } }], LEADING);
      flow.moveDown(3);
    }
    const gutter = isNumbered ? (String(lines.length).length + 2) * style.size * COLUMN : 0;
    flow.left += gutter;
    flow.width -= gutter;
    for (const [index, line] of lines.entries())
      await typesetLine(setting, line, { number: isNumbered ? index + 1 : undefined, highlighter });
    flow.left -= gutter;
    flow.width += gutter;
  });
}

interface LineStyle {
  number: number | undefined;
  highlighter: Highlighter | undefined;
}

async function typesetLine(setting: Setting, text: string, { number, highlighter }: LineStyle): Promise<void> {
  const { flow } = setting;
  const columns = Math.max(8, Math.floor(flow.width / (style.size * COLUMN)));
  const colored = new ColoredText(highlighter?.line(toSetText(text)) ?? []);
  let index = -1;
  for (const piece of splitIntoPieces(text, columns)) {
    index += 1;
    flow.ensureRoom(LEADING);
    const [x, y] = [flow.left, flow.y + LEADING * 0.72];
    if (index > 0) markWrappedLine(setting, x - 6, y);
    else if (number !== undefined) await typesetNumber(setting, number, y);
    const spans = colored.takeSpans(piece);
    const [line] = await getLines(setting, spans, Number.POSITIVE_INFINITY);
    if (line !== undefined) flow.drawLine(line, LEADING);
    flow.paper.turns.count(piece.length);
    await flow.paper.flush();
  }
}

async function typesetNumber({ flow }: Setting, value: number, y: number): Promise<void> {
  const numberStyle = { ...style, color: colors.soft };
  await flow.fonts.prepare('0', numberStyle);
  flow.drawText([{ text: String(value), style: numberStyle }], { x: flow.left - style.size, y, align: 'right' });
}

/** Draws the hook that marks a wrapped line of code. */
function markWrappedLine({ flow }: Setting, x: number, y: number): void {
  flow.paper.mark(
    drawStroke(colors.soft, 0.6, [
      [x - 3, y - 6],
      [x - 3, y - 2.5],
      [x + 2, y - 2.5],
    ]),
  );
  flow.paper.mark(
    drawStroke(colors.soft, 0.6, [
      [x + 0.4, y - 4],
      [x + 2, y - 2.5],
      [x + 0.4, y - 1],
    ]),
  );
}

/** The colored parts of a line, which are read in order. */
class ColoredText {
  readonly #parts: ColoredPart[];

  constructor(parts: ColoredPart[]) {
    this.#parts = [...parts];
  }

  takeSpans(piece: string): Span[] {
    const spans: Span[] = [];
    for (let remaining = piece; remaining !== ''; ) {
      const part = this.#parts[0] ?? { text: remaining, color: style.color };
      const text = remaining.slice(0, part.text.length);
      spans.push({ text, style: part.color === style.color ? style : getStyle(part.color) });
      remaining = remaining.slice(text.length);
      if (text.length < part.text.length) this.#parts[0] = { ...part, text: part.text.slice(text.length) };
      else this.#parts.shift();
    }
    return spans.length === 0 ? [{ text: '', style }] : spans;
  }
}

/** Styles by color, so that adjacent parts of one color are typeset together. */
const inColors = new Map<string, Style>();
function getStyle(color: string): Style {
  const coloredStyle = inColors.get(color) ?? { ...style, color };
  inColors.set(color, coloredStyle);
  return coloredStyle;
}

/** Splits a line that may be very long. */
function* splitIntoPieces(text: string, columns: number): Generator<string> {
  let rest = '';
  for (const part of splitText(text)) {
    const wrappedLines = wrapText(rest + toSetText(part), columns);
    rest = wrappedLines.pop() ?? '';
    yield* wrappedLines;
  }
  yield rest;
}

/** Returns the text to set for a line, with expanded tabs. */
const toSetText = (text: string): string => removeUnsupported(expandTabs(text));

function expandTabs(text: string): string {
  if (!text.includes('\t')) return text;
  let column = 0;
  return text.replace(/\t|[^\t]+/g, (part) => {
    const visibleText = part === '\t' ? ' '.repeat(4 - (column % 4)) : part;
    column += visibleText.length;
    return visibleText;
  });
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]|\p{Extended_Pictographic}/u;

/** Wraps a line of code at a number of columns, after a space if there is one near the end. */
function wrapText(text: string, columns: number): string[] {
  if (text.length <= columns && !WIDE.test(text)) return [text];
  const pieces: string[] = [];
  let [piece, width] = ['', 0];
  for (const cluster of getClusters(text)) {
    const clusterWidth = WIDE.test(cluster) ? 2 : 1;
    if (width + clusterWidth > columns) {
      const space = piece.lastIndexOf(' ') + 1;
      const cut = space > piece.length * 0.7 ? space : piece.length;
      pieces.push(piece.slice(0, cut));
      piece = piece.slice(cut);
      width = getClusters(piece).reduce((sum, each) => sum + (WIDE.test(each) ? 2 : 1), 0);
    }
    piece += cluster;
    width += clusterWidth;
  }
  return [...pieces, piece];
}
