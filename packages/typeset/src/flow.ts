import type { Fonts } from './fonts.ts';
import { colors, drawParts, fill, type Style } from './ink.ts';
import { ABOVE, heightOfLine, type Line, type Span } from './line.ts';
import { Composer, STEP } from './lines.ts';
import { type Paper, pageSize } from './paper.ts';

export const margins = { left: 72, right: 72, top: 70, bottom: 78 };
/** What is nested deeper than leaves this is set no further in. */
export const LEAST_WIDTH = 140;
const FOOTER = 42;

/** What is drawn beside and under all that stands in it, on every sheet that it reaches. */
interface Surround {
  left: number;
  width: number;
  color?: string;
  bar?: string;
  top: number;
  draw: (content: string) => void;
}

/** The column of text: where the next line goes, and what is around it. */
export class Flow {
  readonly paper: Paper;
  readonly fonts: Fonts;
  left = margins.left;
  width: number;
  y = margins.top;
  readonly top = margins.top;
  bottom: number;
  /** What stands at the foot of each sheet; prepared. */
  footer: Span[] = [];
  /** The number that a sheet shows. */
  numberOf: (sheet: number) => string = String;
  /** Drawn beside the next line, as a list item's number. */
  #marker: ((y: number) => void) | undefined;
  readonly #surrounds: Surround[] = [];
  /** Nothing stands on the sheet yet. */
  #isFresh = true;
  /** A space falls away here. */
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

  newSheet(): void {
    for (const surround of this.#surrounds) this.#draw(surround);
    this.paper.newSheet();
    this.y = this.top;
    this.#isFresh = true;
    this.#isTight = true;
    for (const surround of this.#surrounds) this.#begin(surround);
    if (this.footer.length > 0) this.#foot();
  }

  get isTurned(): boolean {
    return this.paper.isTurned;
  }

  /** How wide a line may be on a sheet that stands, and on one that is turned where it may be. */
  get widths(): { upright: number; turned: number } {
    const isOutermost = this.#surrounds.length === 0 && this.left === margins.left;
    const upright = this.isTurned ? pageSize.width - margins.left - margins.right : this.width;
    return { upright, turned: isOutermost ? pageSize.height - margins.left - margins.right : upright };
  }

  /** Lays the sheets that follow on their longer side, or lets them stand. */
  turn(isTurned: boolean): void {
    this.paper.isTurned = isTurned;
    this.width = this.paper.size.width - margins.left - margins.right;
    this.bottom = this.paper.size.height - margins.bottom;
  }

  /** Goes on on a sheet that is turned, or on one that stands; a new one where the last is not. */
  lay(isTurned: boolean): void {
    if (isTurned === this.isTurned) return;
    this.turn(isTurned);
    this.newSheet();
  }

  /** Begins a new sheet where less than this is left. */
  need(height: number): void {
    if (height > this.room && !this.#isFresh) this.newSheet();
  }

  /** An empty space, which falls away at the head of a sheet. */
  space(height: number): void {
    if (this.#isTight) return;
    this.y = Math.min(this.bottom, this.y + height);
  }

  take(height: number): void {
    this.y += height;
    this.#isFresh = false;
    this.#isTight = false;
  }

  /** Sets what is inside on a ground or beside a bar. */
  async within(
    look: { color?: string; bar?: string; pad: number; inset: number },
    inside: () => Promise<void>,
  ): Promise<void> {
    const { left, width } = this;
    const isNarrow = width - look.inset - look.pad < LEAST_WIDTH;
    const [pad, inset] = isNarrow ? [0, 0] : [look.pad, look.inset];
    const surround: Surround = { ...look, left, width, top: this.y, draw: () => {} };
    this.#begin(surround);
    this.#surrounds.push(surround);
    this.left += inset;
    this.width -= inset + pad;
    this.y += pad;
    this.#isTight = true;
    await inside();
    this.y += pad;
    this.#isTight = false;
    this.#surrounds.pop();
    this.#draw(surround);
    this.left = left;
    this.width = width;
  }

  compose = (spans: Span[], width = this.width): Promise<Line[]> =>
    this.paper.turns.run(new Composer(this.fonts, width).steps(spans), STEP);

  mark(draw: (y: number) => void): void {
    this.#marker = draw;
  }

  /** Draws what waits for a line that did not come. */
  takeMarker(leading: number): void {
    if (this.#marker === undefined) return;
    this.need(leading);
    this.#drawMarker(this.y + leading * ABOVE);
    this.take(leading);
  }

  /** Sets a paragraph's lines; never one alone before or after the end of a sheet. */
  async lines(lines: Line[], leading: number): Promise<void> {
    let left = lines.length;
    for (const line of lines) {
      const fitting = Math.floor((this.room + 0.01 + leading - heightOfLine(line, leading)) / leading);
      const isFirst = left === lines.length;
      const breaks = fitting < 1 || (fitting < left && ((isFirst && fitting === 1) || (fitting === 1 && left === 2)));
      if (breaks && !this.#isFresh) this.newSheet();
      this.line(line, leading, line.isFromRight ? this.left + this.width - line.width : this.left);
      left -= 1;
      await this.paper.flush();
    }
  }

  line(line: Line, leading: number, x = this.left): void {
    const base = this.y + Math.max(leading * ABOVE, line.tall);
    this.#drawMarker(base);
    drawParts(this.paper, line.parts, { x, y: base });
    this.take(heightOfLine(line, leading));
  }

  /** Sets spans at a place, outside of the flow. */
  at(spans: Span[], { x, y, align }: { x: number; y: number; align?: 'right' | 'center' }): number {
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

  #begin(surround: Surround): void {
    surround.top = this.y;
    surround.draw = this.paper.reserve();
  }

  #draw({ left, width, color, bar, top, draw }: Surround): void {
    const height = Math.min(this.y, this.bottom + 6) - top;
    if (height <= 0) return;
    const ground = color === undefined ? '' : fill(color, { x: left, y: top, width, height });
    draw(`${ground}\n${bar === undefined ? '' : fill(bar, { x: left, y: top, width: 2.5, height })}`);
  }

  #foot(): void {
    const style: Style = { size: 8, color: colors.soft };
    const { width, height } = this.paper.size;
    const [right, y] = [width - margins.right, height - FOOTER];
    const [line] = new Composer(this.fonts, right - margins.left - 60).compose(this.footer);
    drawParts(this.paper, line?.parts ?? [], { x: margins.left, y });
    const text = this.numberOf(this.paper.sheets);
    this.at([{ text, style }], { x: right, y, align: 'right' });
  }
}
