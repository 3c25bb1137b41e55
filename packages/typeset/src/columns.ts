import type { Line, Span } from './line.ts';
import { preparedFor, type Setting } from './setting.ts';
import { spansOf } from './spans.ts';
import type { SetTableRow } from './table-cells.ts';

/** Beside and above what stands in a cell, in points. */
export const PAD = 5;
const MEASURED_ROWS = 100;
const MEASURED_TEXT = 300;
const MEASURED_WORDS = 40;
const LONGEST_WORD = 40;
/** Of the size of the letters: no column is narrower. */
const LEAST = 3.9;

export const leastWidth = (size: number): number => size * LEAST;

/** What is in a column beside its text. */
const AROUND = 2 * PAD + 1;

/** How wide the texts of the columns would be in one line each, and how wide their longest words are. */
export interface Wish {
  whole: number[];
  words: number[];
}

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);

/** What the columns of the first rows would take. */
export async function measured(setting: Setting, rows: SetTableRow[], count: number): Promise<Wish> {
  const { flow, style } = setting;
  const whole = Array.from({ length: count }, () => leastWidth(style.size) - AROUND);
  const words = [...whole];
  for (const { cells, isHeader } of rows.slice(0, MEASURED_ROWS))
    for (const [column, { nodes }] of cells.slice(0, count).entries()) {
      const look = { ...style, bold: isHeader };
      const spans = await preparedFor(setting, shortened(spansOf(setting, nodes, look)));
      const lines = await flow.compose(spans, Number.POSITIVE_INFINITY);
      whole[column] = Math.max(whole[column] ?? 0, widestOf(lines));
      const word = Math.min(await wordWidth(setting, spans), flow.width / 2);
      words[column] = Math.max(words[column] ?? 0, word);
      await flow.paper.turns.next(2 * MEASURED_TEXT);
    }
  return { whole, words };
}

const widestOf = (lines: Line[]): number => Math.max(0, ...lines.map(({ width }) => width));

/** The width of the longest word; an image can be made as small as an icon. */
async function wordWidth({ flow }: Setting, spans: Span[]): Promise<number> {
  let widest = 0;
  for (const { text, style, picture } of spans)
    for (const word of picture === undefined ? text.split(/[ \u200B]+/).slice(0, MEASURED_WORDS) : []) {
      if (word === '' || word.length > LONGEST_WORD) continue;
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

/** How much smaller the letters have to be for all words to be whole in this width; 1 where they fit as they are. */
export const shareIn = ({ words }: Wish, width: number): number =>
  Math.min(1, Math.max(0, width - words.length * AROUND) / sum(words));

/** As wide as the contents are, as far as there is room; no column narrower than its longest word, if that can be. */
export function widthsIn(wish: Wish, { width, share }: { width: number; share: number }): number[] {
  const [whole, words] = [wish.whole, wish.words].map((widths) => widths.map((each) => each * share + AROUND)) as [
    number[],
    number[],
  ];
  if (sum(whole) <= width) return sum(whole) > width * 0.6 ? scaled(whole, width / sum(whole)) : whole;
  if (sum(words) >= width) return scaled(words, width / sum(words));
  const spread = whole.map((each, column) => Math.sqrt(Math.max(0, each - (words[column] ?? 0))));
  const factor = (width - sum(words)) / (sum(spread) || 1);
  return words.map((each, column) => each + (spread[column] ?? 0) * factor);
}

const scaled = (numbers: number[], factor: number): number[] => numbers.map((each) => each * factor);
