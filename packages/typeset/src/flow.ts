import type { Fonts } from './fonts.ts';
import { colors, drawParts, fill, type Style } from './ink.ts';
import { ABOVE, getLineHeight, type Line, type Span } from './line.ts';
import { Composer, STEP } from './lines.ts';
import { type Paper, pageSize } from './paper.ts';

export const margins = { left: 72, right: 72, top: 70, bottom: 78 };
/**
 * Sizes in points. Nested blocks are not indented further if less width than `LEAST_WIDTH` remains. The footer is
 * `FOOTER` above the lower edge.
 */
export const LEAST_WIDTH = 140;
const FOOTER = 42;

/** A decoration beside or behind its content, on every sheet that the content reaches. */
interface Decoration {
  left: number;
  width: number;
  color?: string;
  bar?: string;
  top: number;
  draw: (content: string) => void;
}

/** The column of text: the position of the next line, and the decorations around it. */
export class Flow {
  readonly paper: Paper;
  readonly fonts: Fonts;
  left = margins.left;
  width: number;
  y = margins.top;
  readonly top = margins.top;
  bottom: number;
  /** The footer of each sheet, ready to be typeset. */
  footer: Span[] = [];
  /** Returns the number printed on a sheet. */
  numberOf: (sheet: number) => string = String;
  /** Draws a marker, such as a list number, beside the next line. */
  #marker: ((y: number) => void) | undefined;
  readonly #surrounds: Decoration[] = [];
  /** Whether the sheet is empty. */
  #isFresh = true;
  /** Whether the next space is suppressed. */
  #isTight = true;

  constructor(paper: Paper, fonts: Fonts) {
    this.paper = paper;
    this.fonts = fonts;
    this.width = paper.size.width - margins.left - margins.right;
    this.bottom = paper.size.height - margins.bottom;
  }

  get room(): number {
    return this.bottom - this.y;
  }

  get isAtTop(): boolean {
    return this.#isFresh;
  }

  startSheet(): void {
    for (const surrounding of this.#surrounds) this.#draw(surrounding);
    this.paper.startSheet();
    this.y = this.top;
    this.#isFresh = true;
    this.#isTight = true;
    for (const surrounding of this.#surrounds) this.#begin(surrounding);
    if (this.footer.length > 0) this.#drawFooter();
  }

  get isTurned(): boolean {
    return this.paper.isTurned;
  }

  /**
   * The line widths on a portrait sheet and on a landscape sheet. They are equal if the content cannot move to a
   * landscape sheet.
   */
  get widths(): { upright: number; turnedWidth: number } {
    const isOutermost = this.#surrounds.length === 0 && this.left === margins.left;
    const upright = this.isTurned ? pageSize.width - margins.left - margins.right : this.width;
    return { upright, turnedWidth: isOutermost ? pageSize.height - margins.left - margins.right : upright };
  }

  /** Sets the orientation of the following sheets. */
  setOrientation(isTurned: boolean): void {
    this.paper.isTurned = isTurned;
    this.width = this.paper.size.width - margins.left - margins.right;
    this.bottom = this.paper.size.height - margins.bottom;
  }

  /** Continues on a sheet of this orientation, which is a new one if necessary. */
  useOrientation(isTurned: boolean): void {
    if (isTurned === this.isTurned) return;
    this.setOrientation(isTurned);
    this.startSheet();
  }

  /** Starts a new sheet if less than this height is left. */
  ensureRoom(height: number): void {
    if (height > this.room && !this.#isFresh) this.startSheet();
  }

  /** Adds vertical space, which is dropped at the top of a sheet. */
  addSpace(height: number): void {
    if (this.#isTight) return;
    this.y = Math.min(this.bottom, this.y + height);
  }

  moveDown(height: number): void {
    this.y += height;
    this.#isFresh = false;
    this.#isTight = false;
  }

  /** Typesets content on a background or beside a bar. */
  async surroundBlock(
    style: { color?: string; bar?: string; pad: number; inset: number },
    inside: () => Promise<void>,
  ): Promise<void> {
    const { left, width } = this;
    const isNarrow = width - style.inset - style.pad < LEAST_WIDTH;
    const [pad, inset] = isNarrow ? [0, 0] : [style.pad, style.inset];
    const surrounding: Decoration = { ...style, left, width, top: this.y, draw: () => {} };
    this.#begin(surrounding);
    this.#surrounds.push(surrounding);
    this.left += inset;
    this.width -= inset + pad;
    this.y += pad;
    this.#isTight = true;
    await inside();
    this.y += pad;
    this.#isTight = false;
    this.#surrounds.pop();
    this.#draw(surrounding);
    this.left = left;
    this.width = width;
  }

  compose = (spans: Span[], width = this.width): Promise<Line[]> =>
    this.paper.turns.run(new Composer(this.fonts, width).breakInSteps(spans), STEP);

  mark(draw: (y: number) => void): void {
    this.#marker = draw;
  }

  /** Draws the marker if no line has drawn it yet, as in an empty list item. */
  takeMarker(leading: number): void {
    if (this.#marker === undefined) return;
    this.ensureRoom(leading);
    this.#drawMarker(this.y + leading * ABOVE);
    this.moveDown(leading);
  }

  /** Typesets the lines of a paragraph, without widows and orphans. */
  async addLines(lines: Line[], leading: number): Promise<void> {
    let remaining = lines.length;
    for (const line of lines) {
      const fittingCount = Math.floor((this.room + 0.01 + leading - getLineHeight(line, leading)) / leading);
      const isFirst = remaining === lines.length;
      const breaks =
        fittingCount < 1 ||
        (fittingCount < remaining && ((isFirst && fittingCount === 1) || (fittingCount === 1 && remaining === 2)));
      if (breaks && !this.#isFresh) this.startSheet();
      this.drawLine(line, leading, line.isFromRight ? this.left + this.width - line.width : this.left);
      remaining -= 1;
      await this.paper.flush();
    }
  }

  drawLine(line: Line, leading: number, x = this.left): void {
    const base = this.y + Math.max(leading * ABOVE, line.tall);
    this.#drawMarker(base);
    drawParts(this.paper, line.parts, { x, y: base });
    this.moveDown(getLineHeight(line, leading));
  }

  /** Typesets spans at a position outside of the flow. */
  drawText(spans: Span[], { x, y, align }: { x: number; y: number; align?: 'right' | 'center' }): number {
    const [line] = new Composer(this.fonts, Number.POSITIVE_INFINITY).compose(spans);
    const width = line?.width ?? 0;
    const shift = align === 'right' ? width : align === 'center' ? width / 2 : 0;
    drawParts(this.paper, line?.parts ?? [], { x: x - shift, y });
    return width;
  }

  #drawMarker(y: number): void {
    const marker = this.#marker;
    this.#marker = undefined;
    marker?.(y);
  }

  #begin(surrounding: Decoration): void {
    surrounding.top = this.y;
    surrounding.draw = this.paper.reserve();
  }

  #draw({ left, width, color, bar, top, draw }: Decoration): void {
    const height = Math.min(this.y, this.bottom + 6) - top;
    if (height <= 0) return;
    const background = color === undefined ? '' : fill(color, { x: left, y: top, width, height });
    draw(`${background}\n${bar === undefined ? '' : fill(bar, { x: left, y: top, width: 2.5, height })}`);
  }

  #drawFooter(): void {
    const style: Style = { size: 8, color: colors.soft };
    const { width, height } = this.paper.size;
    const [right, y] = [width - margins.right, height - FOOTER];
    const [line] = new Composer(this.fonts, right - margins.left - 60).compose(this.footer);
    drawParts(this.paper, line?.parts ?? [], { x: margins.left, y });
    const text = this.numberOf(this.paper.sheets);
    this.drawText([{ text, style }], { x: right, y, align: 'right' });
  }
}
