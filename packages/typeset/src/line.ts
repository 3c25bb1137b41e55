import type { Figure } from './html.ts';
import type { InkPart, Style, TextPart } from './ink.ts';
import type { Picture } from './picture.ts';

/** A text in one style, or an image within a text; `isBreak` ends the line. */
export interface Span {
  text: string;
  style: Style;
  isBreak?: boolean;
  /** The image to be shown here; the text tells of it. */
  figure?: Figure;
  /** That image, once it is at hand: it stands as one character. */
  picture?: Picture;
  /** The embedding level of its direction of writing: odd from right to left; none is 0. */
  level?: number;
  /** The level of its paragraph. */
  base?: number;
}

export interface Line {
  parts: InkPart[];
  width: number;
  /** How high the highest image in it stands over the line of the letters. */
  tall: number;
  /** It begins at the right. */
  isFromRight?: boolean;
}

/** The share of a line's height that is above the line of the letters. */
export const ABOVE = 0.72;

/** How high a line is; images may make it higher than others. */
export const heightOfLine = ({ tall }: Line, leading: number): number => leading + Math.max(0, tall - leading * ABOVE);

/** Images in a line are not higher than this, in points. */
const HIGHEST = 260;
/** Of the size of the letters: an image that is said to be as high as the line. */
const LINE_HIGH = 1.25;

/** As large as an image in a line is drawn. */
export function sizeInLine(
  { width, height }: Picture,
  { style, most, figure }: { style: Style; most: number; figure: Figure | undefined },
): { width: number; height: number } {
  const asked = /^\d{1,5}/.exec(figure?.width ?? '')?.[0];
  const wish = figure?.isLineHigh ? (style.size * LINE_HIGH) / height : asked ? (Number(asked) * 0.75) / width : 1;
  const factor = Math.min(wish || 1, HIGHEST / height, most / width);
  return { width: width * factor, height: height * factor };
}

/** Neighbors of one font and style as one part. */
export function joined(parts: InkPart[]): InkPart[] {
  const result: InkPart[] = [];
  let codes: string[] = [];
  const close = () => {
    const last = result.at(-1);
    if (last !== undefined && 'code' in last && codes.length > 1) last.code = codes.join(' ').replaceAll('> <', '');
    codes = [];
  };
  for (const part of parts) {
    const last = result.at(-1);
    if (last !== undefined && areAlike(last, part)) {
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

const areAlike = (one: InkPart, other: InkPart): boolean =>
  'face' in one &&
  one.drawings === undefined &&
  one.says === undefined &&
  'face' in other &&
  one.face === other.face &&
  one.style === other.style &&
  one.size === other.size;
