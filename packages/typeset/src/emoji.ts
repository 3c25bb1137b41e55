import { formatNumber } from './paper.ts';
import type { FontFile, Glyph, Pdf, Reference } from './pdfkit.ts';
import type { Drawing } from './picture.ts';

const OPERATORS: Record<string, string> = { moveTo: 'm', lineTo: 'l', bezierCurveTo: 'c', closePath: 'h' };

/** The glyphs of a color font as PDF objects, scaled to a font size of 1. */
export class ColorGlyphs {
  readonly #pdf: Pdf;
  readonly #font: FontFile;
  readonly #layers: Map<number, { first: number; count: number }>;
  readonly #drawings = new Map<number, Omit<Drawing, 'x'>>();

  constructor(pdf: Pdf, font: FontFile) {
    this.#pdf = pdf;
    this.#font = font;
    const records = font.COLR?.baseGlyphRecord ?? [];
    this.#layers = new Map(
      records.map(({ gid, firstLayerIndex, numLayers }) => [gid, { first: firstLayerIndex, count: numLayers }]),
    );
    // The embedder can write only outlines, so pass it the glyphs without colors, which are ordinary outlines.
    font._glyphs = {};
    font.getGlyph = (id, codePoints) => font._getBaseGlyph(id, codePoints);
  }

  getDrawing(glyph: number): Omit<Drawing, 'x'> {
    const cachedDrawing = this.#drawings.get(glyph);
    if (cachedDrawing !== undefined) return cachedDrawing;
    const drawing = {
      label: `E${glyph}`,
      object: createForm(this.#pdf, this.#getContent(glyph), this.#font.unitsPerEm),
    };
    this.#drawings.set(glyph, drawing);
    return drawing;
  }

  #getContent(glyph: number): string {
    const layers = this.#layers.get(glyph);
    if (layers === undefined) return `0 0 0 rg ${getOutline(this.#font.getGlyph(glyph))} f`;
    const records = this.#font.COLR?.layerRecords.slice(layers.first, layers.first + layers.count) ?? [];
    return records
      .map(({ gid, paletteIndex }) => {
        const { red = 0, green = 0, blue = 0 } = this.#font.CPAL?.colorRecords[paletteIndex] ?? {};
        const color = [red, green, blue].map((part) => formatNumber(part / 255)).join(' ');
        return `${color} rg ${getOutline(this.#font.getGlyph(gid))} f`;
      })
      .join('\n');
  }
}

function createForm(pdf: Pdf, content: string, unitsPerEm: number): Reference {
  const em = 1 / unitsPerEm;
  const form = pdf.ref({
    Type: 'XObject',
    Subtype: 'Form',
    BBox: [0, -unitsPerEm, 2 * unitsPerEm, 2 * unitsPerEm],
    Matrix: [em, 0, 0, em, 0, 0],
    Resources: {},
  });
  form.end(new TextEncoder().encode(content));
  return form;
}

function getOutline({ path }: Glyph): string {
  let [x, y] = [0, 0];
  return path.commands
    .map(({ command, args }) => {
      const points = command === 'quadraticCurveTo' ? toCubicCurve([x, y], args) : args;
      [x, y] = [args.at(-2) ?? x, args.at(-1) ?? y];
      return `${points.map(formatNumber).join(' ')} ${OPERATORS[command] ?? 'c'}`;
    })
    .join(' ');
}

/** Converts a quadratic curve to a cubic one. */
function toCubicCurve([x, y]: [number, number], [cx = 0, cy = 0, toX = 0, toY = 0]: number[]): number[] {
  const interpolate = (from: number, to: number) => from + (2 / 3) * (to - from);
  return [interpolate(x, cx), interpolate(y, cy), interpolate(toX, cx), interpolate(toY, cy), toX, toY];
}
