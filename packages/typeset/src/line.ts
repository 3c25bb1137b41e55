import type { Figure } from './html.ts';
import type { InkPart, Style, TextPart } from './ink.ts';
import type { Picture } from './picture.ts';

/** A text in one style, or an inline image. `isBreak` ends the line. */
export interface Span {
  text: string;
  style: Style;
  isBreak?: boolean;
  /** The image to show. The text is its alternative. */
  figure?: Figure;
  /** The loaded image, which counts as one character. */
  picture?: Picture;
  /** The bidirectional embedding level: odd is right to left. Defaults to 0. */
  level?: number;
  /** The embedding level of the paragraph. */
  base?: number;
}

export interface Line {
  parts: InkPart[];
  width: number;
  /** The height of the highest image above the baseline. */
  tall: number;
  /** Whether the line is aligned to the right. */
  isFromRight?: boolean;
}

/** The share of a line's height that is above the baseline. */
export const ABOVE = 0.72;

/** Returns the height of a line, which images can increase. */
export const getLineHeight = ({ tall }: Line, leading: number): number => leading + Math.max(0, tall - leading * ABOVE);

/** The maximum height of an inline image, in points. */
const HIGHEST = 260;
/** The height of images marked as line-high, relative to the font size. */
const LINE_HIGH = 1.25;

/** Returns the size of an inline image. */
export function getSizeInLine(
  { width, height }: Picture,
  { style, most, figure }: { style: Style; most: number; figure: Figure | undefined },
): { width: number; height: number } {
  const requestedWidth = /^\d{1,5}/.exec(figure?.width ?? '')?.[0];
  const scale = figure?.isLineHigh
    ? (style.size * LINE_HIGH) / height
    : requestedWidth
      ? (Number(requestedWidth) * 0.75) / width
      : 1;
  const factor = Math.min(scale || 1, HIGHEST / height, most / width);
  return { width: width * factor, height: height * factor };
}

/** Merges adjacent parts of one font and style. */
export function mergeParts(parts: InkPart[]): InkPart[] {
  const result: InkPart[] = [];
  let codes: string[] = [];
  const close = () => {
    const last = result.at(-1);
    if (last !== undefined && 'code' in last && codes.length > 1) last.code = codes.join(' ').replaceAll('> <', '');
    codes = [];
  };
  for (const part of parts) {
    const last = result.at(-1);
    if (last !== undefined && haveSameStyle(last, part)) {
      last.width += part.width;
      codes.push((part as TextPart).code);
    } else {
      close();
      result.push({ ...part });
      codes = 'code' in part ? [part.code] : [];
    }
  }
  close();
  return result;
}

const haveSameStyle = (one: InkPart, other: InkPart): boolean =>
  'face' in one &&
  one.drawings === undefined &&
  one.actualText === undefined &&
  'face' in other &&
  one.face === other.face &&
  one.style === other.style &&
  one.size === other.size;
