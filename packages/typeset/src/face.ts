import type { FontName } from './book.ts';
import { ColorGlyphs } from './emoji.ts';
import { formatNumber } from './paper.ts';
import type { EmbeddedFont, FontFile, GlyphRun, Pdf } from './pdfkit.ts';
import type { Drawing } from './picture.ts';

/** A word shaped by its font. Widths are in thousandths of the font size. */
interface ShapedWord {
  width: number;
  /** The glyphs and kerning, as the operand of the PDF operator `TJ`. */
  code: string;
  drawings?: Drawing[];
}

/** Maximum number of characters of cached shaped words. */
const MAX_CACHED_CHARACTERS = 100_000;
const ZERO_WIDTH = /\u200B|\u200C|\u200D|[\uFE00-\uFE0F]/gu;
const FROM_RIGHT = /^(?:arabic|hebrew)/;
/** Fonts whose glyphs are in another order than the letters, or represent several letters or none. */
const CONTEXTUAL = /^(?:arabic|bengali|gujarati|gurmukhi|kannada|khmer|malayalam|myanmar|oriya|sinhala|tamil|telugu)/;
const ASIAN = new Set<FontName>(['jp', 'sc', 'kr']);

const unplacedMarks = { mark: false, mkmk: false, abvm: false, blwm: false };

/**
 * Shapes a text. fontkit fails if the font has no position for a mark on its letter. The marks of such a text are drawn
 * at their default positions.
 */
function shapeText(font: FontFile, text: string): GlyphRun {
  try {
    return font.layout(text);
  } catch {
    return font.layout(text, unplacedMarks);
  }
}

/**
 * Returns the operators that draw a glyph above the baseline. The PDF operator `Ts` does not scale with the font, so
 * `scaleRises` replaces the height when the size is known.
 */
const raiseGlyph = (glyphCode: string, height: number): string =>
  `] TJ {${formatNumber(height)}} Ts [${glyphCode}] TJ 0 Ts [`;

/** Replaces the heights of raised glyphs, in thousandths of the font size. */
export const scaleRises = (code: string, size: number): string =>
  code.replace(/\{(-?[\d.]+)\}/g, (_, height: string) => formatNumber((Number(height) * size) / 1000));

/** A font in the PDF. */
export class Face {
  readonly name: FontName;
  readonly ascender: number;
  readonly descender: number;
  readonly #pdf: Pdf;
  readonly #font: EmbeddedFont;
  readonly #shaped = new Map<string, ShapedWord>();
  #keptCount = 0;
  readonly #colored: ColorGlyphs | undefined;

  constructor(pdf: Pdf, name: FontName, bytes: Uint8Array) {
    pdf.registerFont(name, bytes).font(name);
    this.name = name;
    this.#pdf = pdf;
    this.#font = pdf._font;
    this.#colored = name === 'emoji-color' ? new ColorGlyphs(pdf, this.#font.font) : undefined;
    this.ascender = this.#font.ascender;
    this.descender = this.#font.descender;
  }

  get isAsian(): boolean {
    return ASIAN.has(this.name);
  }

  /** Whether the letters are written from right to left. */
  get isFromRight(): boolean {
    return FROM_RIGHT.test(this.name);
  }

  /** Whether the text cannot be derived from the glyphs, so that the PDF must contain it too. */
  get isContextual(): boolean {
    return CONTEXTUAL.test(this.name);
  }

  /** Whether invisible characters between letters affect their shape. */
  get isShaped(): boolean {
    return this.isContextual || this.name.startsWith('emoji');
  }

  /** Returns the font's size relative to other fonts. In code, wide characters take two columns. */
  getRelativeSize({ mono, hasBackground }: { mono?: boolean; hasBackground?: boolean }): number {
    const isCode = mono === true && hasBackground !== true;
    if (this.name === 'emoji') return isCode ? 0.964 : 0.9;
    if (this.name === 'emoji-color') return isCode ? 1.2 : 1.1;
    return isCode && this.isAsian ? 1.2 : 1;
  }

  /** Whether the font has a glyph for every visible character. */
  hasGlyphs(cluster: string): boolean {
    for (const character of cluster.replace(ZERO_WIDTH, ''))
      if (!this.#font.font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)) return false;
    return true;
  }

  shapeText(text: string): ShapedWord {
    const cachedShape = this.#shaped.get(text);
    if (cachedShape !== undefined) return cachedShape;
    if (this.#keptCount >= MAX_CACHED_CHARACTERS) {
      this.#shaped.clear();
      this.#keptCount = 0;
    }
    this.#keptCount += text.length + 8;
    const shaped = this.#shape(this.isShaped ? text : text.replace(ZERO_WIDTH, ''));
    this.#shaped.set(text, shaped);
    return shaped;
  }

  /** Adds the font to the sheet and returns its name. */
  use(): string {
    const { fonts } = this.#pdf.page;
    fonts[this.#font.id] ??= this.#font.ref();
    return this.#font.id;
  }

  #shape(text: string): ShapedWord {
    const { scale, font, subset, widths, unicode } = this.#font;
    const { glyphs, positions } = shapeText(font, text);
    const code: string[] = [];
    const drawings: Drawing[] = [];
    let width = 0;
    glyphs.forEach((glyph, index) => {
      const id = subset.includeGlyph(glyph.id);
      widths[id] ??= glyph.advanceWidth * scale;
      // The mark of a letter is a separate glyph without a character of its own.
      unicode[id] ??= glyph.codePoints.length > 0 ? glyph.codePoints : [0x200d];
      const { xAdvance = glyph.advanceWidth, xOffset = 0, yOffset = 0 } = positions[index] ?? {};
      const before = xOffset * scale;
      const after = (xAdvance - glyph.advanceWidth - xOffset) * scale;
      if (before !== 0) code.push(formatNumber(-before));
      const glyphCode = `<${id.toString(16).padStart(4, '0')}>`;
      code.push(yOffset === 0 ? glyphCode : raiseGlyph(glyphCode, yOffset * scale));
      if (after !== 0) code.push(formatNumber(-after));
      if (this.#colored !== undefined) drawings.push({ ...this.#colored.getDrawing(glyph.id), x: width });
      width += xAdvance * scale;
    });
    return { width, code: code.join(' ').replaceAll('> <', ''), ...(drawings.length > 0 && { drawings }) };
  }
}
