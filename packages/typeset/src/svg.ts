/// <reference path="./svg-to-pdfkit.d.ts" />
import type { FontName } from './book.ts';
import { type Fonts, removeUnsupported } from './fonts.ts';
import type { Pdf, PdfPage, Reference } from './pdfkit.ts';
import { getTexts, type SvgElement, writeSvg } from './svg-tree.ts';

interface DrawnSvg {
  object: Reference;
  width: number;
  height: number;
}

const PIXEL = 0.75;
const DEFAULT = { width: 300, height: 150 };
const MAX_SIDE = 10_000;

/** Draws a parsed SVG into an object of its own. Returns undefined if it cannot be drawn. */
export async function drawSvg(pdf: Pdf, fonts: Fonts, drawing: SvgElement): Promise<DrawnSvg | undefined> {
  const { width, height } = getSize(drawing);
  if (!(width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE)) return undefined;
  const { default: SVGtoPDF } = await import('svg-to-pdfkit');
  const text = removeUnsupported(getTexts(drawing));
  await fonts.prepare(text, {});
  const name = fonts.findBestFont(text);
  const face = fonts.getFace(name);
  if (name === 'sans') await fonts.prepare('', { bold: true });
  shrinkTexts(drawing);
  const svg = writeSvg(drawing, (content) =>
    Array.from(removeUnsupported(content), (character) => (face.hasGlyphs(character) ? character : '?')).join(''),
  );
  const getFont = (_family: string, isBold: boolean): FontName => (name === 'sans' && isBold ? 'sans-bold' : name);
  const size = { width: width * PIXEL, height: height * PIXEL };
  try {
    const options = { ...size, assumePt: false, fontCallback: getFont, warningCallback: () => {}, useCSS: false };
    return { object: createForm(pdf, size, () => SVGtoPDF(pdf, svg, 0, 0, options)), ...size };
  } catch {
    return undefined;
  }
}

/** The width of text in a serif font such as Times, relative to its width in the fonts that replace it. */
const SERIF_WIDTH = 0.86;

/** Shrinks serif text so that it fits the shapes around it. */
function shrinkTexts({ attributes, children }: SvgElement): void {
  const [, size, unit = ''] =
    /^\s*(\d{1,4}(?:\.\d{1,6})?)([a-z]{0,2})\s*$/.exec(attributes.get('font-size') ?? '') ?? [];
  const isSerif = /^[\s'"]*(?:times|serif|georgia|palatino|garamond)/i.test(attributes.get('font-family') ?? '');
  if (isSerif && size !== undefined) attributes.set('font-size', `${Number(size) * SERIF_WIDTH}${unit}`);
  for (const child of children) if (typeof child !== 'string') shrinkTexts(child);
}

/** Captures the output of `draw` as an object that pages can show. */
function createForm(pdf: Pdf, { width, height }: { width: number; height: number }, draw: () => void): Reference {
  const form = pdf.ref({ Type: 'XObject', Subtype: 'Form', BBox: [0, 0, width, height] });
  const [page, ctm, color, font] = [pdf.page, pdf._ctm, pdf._fillColor, pdf._font];
  const parts = { fonts: {}, xobjects: {}, ext_gstates: {}, patterns: {}, colorSpaces: {} };
  const stand: Partial<PdfPage> & typeof parts = { ...parts, width, height, annotations: [] };
  stand.write = (chunk) => form.write(chunk);
  try {
    pdf.page = stand as PdfPage;
    pdf._ctm = [1, 0, 0, 1, 0, 0];
    draw();
  } catch (error) {
    form.data = {};
    throw error;
  } finally {
    Object.assign(pdf, { page, _ctm: ctm, _fillColor: color, _font: font });
    form.data.Resources = {
      Font: parts.fonts,
      XObject: parts.xobjects,
      ExtGState: parts.ext_gstates,
      Pattern: parts.patterns,
      ColorSpace: parts.colorSpaces,
    };
    form.end();
  }
  return form;
}

function getSize({ attributes }: SvgElement): { width: number; height: number } {
  const [, , boxWidth, boxHeight] = (attributes.get('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [width, height] = [getLength(attributes.get('width')), getLength(attributes.get('height'))];
  const ratio = boxWidth && boxHeight ? boxWidth / boxHeight : undefined;
  if (width !== undefined && height !== undefined) return { width, height };
  if (width !== undefined && ratio !== undefined) return { width, height: width / ratio };
  if (height !== undefined && ratio !== undefined) return { width: height * ratio, height };
  if (boxWidth && boxHeight) return { width: boxWidth, height: boxHeight };
  return { width: width ?? DEFAULT.width, height: height ?? DEFAULT.height };
}

const UNITS: Record<string, number> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 9.6 / 2.54,
  em: 16,
};

function getLength(value = ''): number | undefined {
  const [, digits, unit = ''] = /^\s*(\d{0,9}\.?\d{1,9})([a-z]{0,2})\s*$/.exec(value) ?? [];
  const factor = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}
