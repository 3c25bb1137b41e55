import { type Face, scaleRises } from './face.ts';
import { type Box, formatNumber, type LinkEnd, type Paper } from './paper.ts';
import { type Drawing, drawPicture, type Picture } from './picture.ts';

/** The style of a text. */
export interface Style {
  bold?: boolean;
  italic?: boolean;
  mono?: boolean;
  strike?: boolean;
  /** Whether the text has a background, like inline code. */
  hasBackground?: boolean;
  /** The color of the background, if it is not the default. */
  paint?: string;
  /** The offset above the baseline, negative below, relative to the font size. */
  rise?: number;
  size: number;
  color: string;
  target?: LinkEnd;
}

/** Adjacent glyphs of one font in a line. */
export interface TextPart {
  face: Face;
  style: Style;
  size: number;
  width: number;
  code: string;
  /** Drawings that are shown in place of the letters. The letters stay searchable and can be copied. */
  drawings?: Drawing[];
  /** The text to copy, if the glyphs do not provide it. */
  actualText?: string;
  level?: number;
}

/** An inline image at its drawn size. */
interface PicturePart {
  picture: Picture;
  style: Style;
  size: number;
  width: number;
  height: number;
  level?: number;
}

export type InkPart = TextPart | PicturePart;

/** The distance by which an inline image extends below the baseline, relative to the font size. */
export const SINK = 0.22;

export const colors = {
  text: '0.13 0.14 0.16',
  soft: '0.42 0.45 0.5',
  faint: '0.82 0.84 0.87',
  link: '0.05 0.36 0.72',
  ground: '0.955 0.96 0.968',
  inlineGround: '0.93 0.938 0.95',
  head: '0.945 0.95 0.96',
  white: '1 1 1',
};

export function fill(color: string, { x, y, width, height }: Box): string {
  return `${color} rg ${formatNumber(x)} ${formatNumber(y)} ${formatNumber(width)} ${formatNumber(height)} re f`;
}

export function drawFrame(color: string, { x, y, width, height }: Box): string {
  return `${color} RG 0.75 w ${formatNumber(x)} ${formatNumber(y)} ${formatNumber(width)} ${formatNumber(height)} re S`;
}

export function drawStroke(color: string, width: number, points: [number, number][]): string {
  const path = points.map(([x, y], index) => `${formatNumber(x)} ${formatNumber(y)} ${index === 0 ? 'm' : 'l'}`);
  return `${color} RG ${formatNumber(width)} w ${path.join(' ')} S`;
}

/** Draws the parts of a line side by side. `y` is the baseline. */
export function drawParts(paper: Paper, parts: InkPart[], { x, y }: { x: number; y: number }): void {
  let offset = x;
  let link: { target: LinkEnd; x: number; size: number } | undefined;
  const endLink = () => {
    if (link !== undefined && offset > link.x)
      paper.link({ x: link.x, y: y - link.size, width: offset - link.x, height: link.size * 1.3 }, link.target);
    link = undefined;
  };
  for (const part of parts) {
    const { style, size, width } = part;
    if (link?.target !== style.target) endLink();
    if (style.target !== undefined) link ??= { target: style.target, x: offset, size };
    if (link !== undefined && 'picture' in part) link.size = Math.max(link.size, part.height);
    if ('picture' in part) drawPicture(paper, part.picture, getPictureBox(part, { x: offset, y }));
    else drawPart(paper, part, { x: offset, y });
    offset += width;
  }
  endLink();
}

/** Encodes a PDF text string. */
const encodeUtf16 = (text: string): string =>
  `FEFF${Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16).padStart(4, '0')).join('')}`;

const getPictureBox = ({ style, width, height }: PicturePart, { x, y }: { x: number; y: number }): Box => ({
  x,
  y: y - height + style.size * SINK,
  width,
  height,
});

function drawPart(paper: Paper, part: TextPart, { x, y }: { x: number; y: number }): void {
  const { face, style, size, width, code, drawings, actualText } = part;
  const background = style.paint ?? (style.hasBackground ? colors.inlineGround : undefined);
  if (background !== undefined)
    paper.mark(fill(background, { x: x - 1, y: y - size * 1.02, width: width + 2, height: size * 1.38 }));
  const raise = style.size * (style.rise ?? 0);
  const heavy =
    drawings !== undefined
      ? '3 Tr '
      : style.bold && face.isAsian
        ? `2 Tr ${formatNumber(size / 36)} w ${style.color} RG `
        : '0 Tr ';
  const [begin, end] =
    actualText === undefined ? ['', ''] : [`/Span <</ActualText <${encodeUtf16(actualText)}>>> BDC `, ' EMC'];
  paper.mark(
    `${begin}BT /${face.use()} ${formatNumber(size)} Tf ${style.color} rg ${heavy}1 0 0 -1 ${formatNumber(x)} ${formatNumber(y - raise)} Tm [${scaleRises(code, size)}] TJ ET${end}`,
  );
  for (const { label, object, x: offset } of drawings ?? []) {
    paper.addObject(label, object);
    const left = x + (offset * size) / 1000;
    paper.mark(
      `q ${formatNumber(size)} 0 0 ${formatNumber(-size)} ${formatNumber(left)} ${formatNumber(y - raise)} cm /${label} Do Q`,
    );
  }
  if (style.strike)
    paper.mark(
      drawStroke(style.color, size / 14, [
        [x, y - size * 0.3],
        [x + width, y - size * 0.3],
      ]),
    );
}
