import type { Fonts } from './fonts.ts';
import { clustersOf, isJoint, mayBreak, settable } from './fonts.ts';
import type { InkPart, Style } from './ink.ts';

/** A text in one style; `break` ends the line. */
export interface Span {
  text: string;
  style: Style;
  isBreak?: boolean;
}

export interface Line {
  parts: InkPart[];
  width: number;
}

/** Words that are longer than a line may be are never measured whole. */
const MAX_WORD = 120;
/** As many characters are shaped together at most. */
const MAX_PIECE = 400;
/** Characters of a step, and of a span. */
export const STEP = 2_000;

/** Fills lines with the words of a text. */
export class Composer {
  readonly #fonts: Fonts;
  readonly #width: number;
  readonly #lines: Line[] = [];
  #line: Line = { parts: [], width: 0 };
  /** The word that is not yet in a line. */
  #word: Span[] = [];
  #last = '';
  /** Characters of this step. */
  #done = 0;

  constructor(fonts: Fonts, width: number) {
    this.#fonts = fonts;
    this.#width = width;
  }

  /** The lines of short texts. */
  compose(spans: Span[]): Line[] {
    const steps = this.steps(spans);
    for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
  }

  /** The lines of a text, in steps of at most some `STEP` characters. */
  *steps(spans: Span[]): Generator<undefined, Line[]> {
    for (const span of spans) {
      if (span.isBreak) {
        yield* this.#endWord();
        this.#endLine();
        this.#last = '';
      } else yield* this.#add(span);
    }
    yield* this.#endWord();
    if (this.#line.parts.length > 0 || this.#lines.length === 0) this.#endLine();
    return this.#lines;
  }

  *#add({ text, style }: Span): Generator<undefined, void> {
    for (const piece of breakable(text)) {
      if (this.#last !== '' && mayBreak(this.#last, piece)) yield* this.#endWord();
      this.#word.push({ text: piece, style });
      this.#last = piece;
      if (this.#isStep(piece.length + 1)) yield;
    }
  }

  /** Whether a step is done with so many characters more. */
  #isStep(length: number): boolean {
    this.#done += length;
    if (this.#done < STEP) return false;
    this.#done = 0;
    return true;
  }

  #endLine(): void {
    this.#lines.push({ ...this.#line, parts: joined(this.#line.parts) });
    this.#line = { parts: [], width: 0 };
  }

  *#endWord(): Generator<undefined, void> {
    const word = this.#word;
    if (word.length === 0) return;
    this.#word = [];
    const length = word.reduce((sum, { text }) => sum + text.length, 0);
    if (length > MAX_WORD) yield* this.#fill(word);
    else yield* this.#putWord(word);
  }

  *#putWord(word: Span[]): Generator<undefined, void> {
    const parts = word.flatMap((span) => this.#parts(span));
    const width = parts.reduce((sum, part) => sum + part.width, 0);
    const last = word.at(-1);
    const seen = last?.text.endsWith(' ') ? width - this.#widthOf({ text: ' ', style: last.style }) : width;
    if (this.#line.width + seen > this.#width && this.#line.parts.length > 0) {
      if (word.every(({ text }) => text.trim() === '')) return;
      this.#endLine();
    }
    if (seen > this.#width) yield* this.#fill(word);
    else this.#put(parts, width);
  }

  #put(parts: InkPart[], width: number): void {
    this.#line.parts.push(...parts);
    this.#line.width += width;
  }

  /** Sets a word that is longer than a line. */
  *#fill(word: Span[]): Generator<undefined, void> {
    let piece: Span = { text: '', style: word[0]?.style ?? { size: 0, color: '' } };
    const put = (text: string, style: Style) => {
      if (text === '') return;
      const parts = this.#parts({ text, style });
      this.#put(
        parts,
        parts.reduce((sum, part) => sum + part.width, 0),
      );
    };
    let width = 0;
    for (const { text, style } of word) {
      put(piece.text, piece.style);
      piece = { text: '', style };
      width = 0;
      for (const cluster of clustersOf(text)) {
        if (this.#isStep(cluster.length)) yield;
        const own = this.#widthOf({ text: cluster, style });
        if (this.#line.width + width + own > this.#width && this.#line.width + width > 0) {
          const cut = joint(piece.text);
          const rest = piece.text.slice(cut);
          put(piece.text.slice(0, cut), style);
          this.#endLine();
          piece.text = rest;
          width = rest === '' ? 0 : this.#widthOf({ text: rest, style });
        }
        piece.text += cluster;
        width += own;
        if (piece.text.length > MAX_PIECE) {
          put(piece.text, style);
          piece.text = '';
          width = 0;
        }
      }
    }
    put(piece.text, piece.style);
  }

  #parts({ text, style }: Span): InkPart[] {
    return this.#fonts.runs(text, style).map(({ face, text: run }) => {
      const size = style.size * face.share(style) * (style.rise === undefined ? 1 : 0.68);
      const { width, code } = face.shape(run);
      return { face, style, size, width: (width * size) / 1000, code };
    });
  }

  #widthOf = (span: Span): number => this.#parts(span).reduce((sum, { width }) => sum + width, 0);
}

/** Neighbors of one font and style as one part. */
function joined(parts: InkPart[]): InkPart[] {
  const result: InkPart[] = [];
  let codes: string[] = [];
  const close = () => {
    const last = result.at(-1);
    if (last !== undefined && codes.length > 1) last.code = codes.join(' ').replaceAll('> <', '');
    codes = [];
  };
  for (const part of parts) {
    const last = result.at(-1);
    if (last !== undefined && last.face === part.face && last.style === part.style && last.size === part.size) {
      last.width += part.width;
      codes.push(part.code);
    } else {
      close();
      result.push({ ...part });
      codes = [part.code];
    }
  }
  close();
  return result;
}

/** Where a piece of a long word is cut: after the last joint of its second half, else at its end. */
function joint(text: string): number {
  for (let index = text.length; index > text.length / 2; index -= 1) if (isJoint(text.charAt(index - 1))) return index;
  return text.length;
}

/** The pieces of a text that lines may end between. */
function breakable(text: string): string[] {
  if (/^[\u0020-\u007E]*$/.test(text)) return text.match(/[^ -]*(?:[A-Za-z0-9]-(?=[A-Za-z])| +)|[^ -]+|-+/g) ?? [];
  const pieces: string[] = [];
  let before = '';
  for (const cluster of clustersOf(text)) {
    if (before !== '' && !mayBreak(before, cluster)) pieces[pieces.length - 1] += cluster;
    else pieces.push(cluster);
    before = before.slice(-2) + cluster;
  }
  return pieces;
}

/** A text made settable, its fonts at hand. */
export async function prepared(fonts: Fonts, spans: Span[]): Promise<Span[]> {
  const result: Span[] = [];
  for (const span of spans)
    for (const part of cut(span.text)) {
      const text = settable(part);
      if (text === '' && !span.isBreak) continue;
      await fonts.prepare(text, span.style);
      await fonts.turns.next(text.length / 4);
      result.push({ ...span, text });
    }
  return result;
}

/** The parts of a long text: each ends with a space where there is one, and none within a character. */
export function cut(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  while (text.length - start > STEP) {
    const space = text.lastIndexOf(' ', start + STEP - 1) + 1;
    let end = space > start + STEP / 2 ? space : start + STEP;
    while (end > start + STEP / 2 && /^[\p{M}\p{Cf}\p{EMod}\uDC00-\uDFFF]/u.test(text.slice(end, end + 2))) end -= 1;
    parts.push(text.slice(start, end));
    start = end;
  }
  return [...parts, text.slice(start)];
}
