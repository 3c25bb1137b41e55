/** The used parts of pdfkit, including internal ones. */
export interface Reference {
  id: number;
  data: Record<string, unknown>;
  write(chunk: string | Uint8Array): void;
  end(chunk?: string | Uint8Array): void;
}

export interface PdfPage {
  width: number;
  height: number;
  dictionary: Reference;
  resources: Reference;
  content: Reference;
  fonts: Record<string, Reference>;
  xobjects: Record<string, Reference>;
  annotations: Reference[];
  write(chunk: string): void;
}

export interface Glyph {
  id: number;
  advanceWidth: number;
  codePoints: number[];
  path: { commands: { command: string; args: number[] }[] };
}

export interface GlyphRun {
  glyphs: Glyph[];
  positions: { xAdvance: number; xOffset: number; yOffset: number }[];
}

/** A font as fontkit reads it. */
export interface FontFile {
  unitsPerEm: number;
  hasGlyphForCodePoint(codePoint: number): boolean;
  layout(text: string, features?: Record<string, boolean>): GlyphRun;
  getGlyph(id: number, codePoints?: number[]): Glyph;
  /** The glyphs requested so far. */
  _glyphs: Record<number, Glyph>;
  _getBaseGlyph(id: number, codePoints?: number[]): Glyph;
  /**
   * The layers of a color font: for each glyph, the glyphs that are drawn on top of each other, bottom first, and their
   * colors.
   */
  COLR?: {
    baseGlyphRecord: { gid: number; firstLayerIndex: number; numLayers: number }[];
    layerRecords: { gid: number; paletteIndex: number }[];
  };
  CPAL?: { colorRecords: { red: number; green: number; blue: number }[] };
}

export interface EmbeddedFont {
  id: string;
  font: FontFile;
  scale: number;
  ascender: number;
  descender: number;
  subset: { includeGlyph(id: number): number };
  widths: (number | undefined)[];
  unicode: (number[] | undefined)[];
  ref(): Reference;
}

export interface Pdf {
  page: PdfPage;
  info: Record<string, unknown>;
  _root: { data: Record<string, unknown> & { Pages: { data: { Kids: Reference[]; Count: number } } } };
  _font: EmbeddedFont;
  _ctm: number[];
  _fillColor?: unknown;
  push(chunk: Uint8Array | null): boolean;
  ref(data?: Record<string, unknown>): Reference;
  registerFont(name: string, source: Uint8Array): Pdf;
  font(name: string): Pdf;
  addPage(options: { size: [number, number]; margin: number }): Pdf;
  flushPages(): void;
  end(): void;
}

type Options = { font: null; autoFirstPage: false; pdfVersion: '1.7'; lang?: string; displayTitle: true; info: object };

/** Opens a PDF that passes its bytes to `take`. Loads the library on first use. */
export async function openPdf(
  info: { title: string; language?: string },
  take: (chunk: Uint8Array) => void,
): Promise<Pdf> {
  const { default: PDFDocument } = await import('pdfkit');
  const Base = PDFDocument as unknown as new (options: Options) => Pdf;
  class PdfOutput extends Base {
    /** The base class's constructor calls this method too. */
    override push(chunk: Uint8Array | null): boolean {
      if (chunk !== null) take(chunk);
      return true;
    }
  }
  return new PdfOutput({
    font: null,
    autoFirstPage: false,
    pdfVersion: '1.7',
    displayTitle: true,
    info: { Title: info.title, Producer: 'Octavo', Creator: 'Octavo' },
    ...(info.language !== undefined && { lang: info.language }),
  });
}
