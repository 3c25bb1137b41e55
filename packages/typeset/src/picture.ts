import { type Box, formatNumber, type Paper } from './paper.ts';
import type { Reference } from './pdfkit.ts';

/** An image in the PDF, which can be shown several times. */
export interface Picture {
  label: string;
  object: Reference;
  /** The width in points. */
  width: number;
  height: number;
  /** Whether the object is a vector drawing, whose unit is a point. Other objects fill a unit square. */
  isDrawing: boolean;
  /** The rotation, clockwise in degrees. */
  rotation: 0 | 90 | 180 | 270;
}

/** A form XObject within a text. `x` is in thousandths of the font size. */
export interface Drawing {
  label: string;
  object: Reference;
  x: number;
}

/** Draws an image on the sheet. */
export function drawPicture(paper: Paper, picture: Picture, { x, y, width: w, height: h }: Box): void {
  const { label, object, isDrawing, width, height, rotation } = picture;
  paper.addObject(label, object);
  const [sx, sy] = isDrawing ? [w / width, h / height] : [w, -h];
  const transforms: Record<number, number[]> = {
    0: [sx, 0, 0, sy, x, isDrawing ? y : y + h],
    90: [0, h, w, 0, x, y],
    180: [-w, 0, 0, h, x + w, y],
    270: [0, -h, -w, 0, x + w, y + h],
  };
  paper.mark(`q ${(transforms[rotation] ?? []).map(formatPrecise).join(' ')} cm /${label} Do Q`);
}

const formatPrecise = (value: number): string =>
  Math.abs(value) < 1 ? String(Number(value.toFixed(5))) : formatNumber(value);
