import { addLevels, reorderParts, reverseClusters } from './direction.ts';
import { type Fonts, getClusters, isJoint, mayBreak, removeUnsupported } from './fonts.ts';
import { type InkPart, SINK } from './ink.ts';
import { getSizeInLine, type Line, mergeParts, type Span } from './line.ts';

/** Maximum number of characters of a word that are measured at once. */
const MAX_WORD = 120;
/** The maximum number of characters shaped together. */
const MAX_PIECE = 400;
/** The number of characters after which a step ends, and the maximum number of characters in a prepared span. */
export const STEP = 2_000;

/** Fills lines with words. */
export class Composer {
  readonly #fonts: Fonts;
  readonly #width: number;
  readonly #lines: Line[] = [];
  #line: Line = { parts: [], width: 0, tall: 0 };
  /** The current word, not yet in a line. */
  #word: Span[] = [];
  #last = '';
  #isFromRight = false;
  /** The number of characters in this step. */
  #doneCount = 0;

  constructor(fonts: Fonts, width: number) {
    this.#fonts = fonts;
    this.#width = width;
  }

  /** Composes short texts without yielding. */
  compose(spans: Span[]): Line[] {
    const steps = this.breakInSteps(spans);
    for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
  }

  /** Composes a text in steps of at most a few times `STEP` characters. */
  *breakInSteps(spans: Span[]): Generator<undefined, Line[]> {
    this.#isFromRight = spans.some(({ base = 0 }) => base % 2 === 1);
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

  *#add(span: Span): Generator<undefined, void> {
    for (const piece of splitAtBreaks(span.text)) {
      if (this.#last !== '' && mayBreak(this.#last, piece)) yield* this.#endWord();
      this.#word.push({ ...span, text: piece });
      this.#last = piece;
      if (this.#completesStep(piece.length + 1)) yield;
    }
  }

  /** Counts characters, and returns whether the step is complete. */
  #completesStep(length: number): boolean {
    this.#doneCount += length;
    if (this.#doneCount < STEP) return false;
    this.#doneCount = 0;
    return true;
  }

  #endLine(): void {
    const line = { ...this.#line, parts: mergeParts(reorderParts(this.#line.parts)) };
    this.#lines.push(this.#isFromRight ? { ...line, isFromRight: true } : line);
    this.#line = { parts: [], width: 0, tall: 0 };
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
    const parts = word.flatMap((span) => this.#createParts(span));
    const width = parts.reduce((sum, part) => sum + part.width, 0);
    const last = word.at(-1);
    const visibleWidth = last?.text.endsWith(' ') ? width - this.#widthOf({ text: ' ', style: last.style }) : width;
    if (this.#line.width + visibleWidth > this.#width && this.#line.parts.length > 0) {
      if (word.every(({ text }) => text.trim() === '')) return;
      this.#endLine();
    }
    if (visibleWidth > this.#width) yield* this.#fill(word);
    else this.#appendToLine(parts, width);
  }

  #appendToLine(parts: InkPart[], width: number): void {
    this.#line.parts.push(...parts);
    this.#line.width += width;
    for (const part of parts)
      if ('picture' in part) this.#line.tall = Math.max(this.#line.tall, part.height - part.style.size * SINK);
  }

  /** Typesets a word that is longer than a line. */
  *#fill(word: Span[]): Generator<undefined, void> {
    const [first] = word;
    if (first === undefined) return;
    let piece: Span = { ...first, text: '' };
    let width = 0;
    const put = (span: Span) => {
      const parts = span.text === '' ? [] : this.#createParts(span);
      this.#appendToLine(
        parts,
        parts.reduce((sum, part) => sum + part.width, 0),
      );
    };
    for (const span of word) {
      put(piece);
      piece = { ...span, text: '' };
      width = 0;
      for (const cluster of getClusters(span.text)) {
        if (this.#completesStep(cluster.length)) yield;
        const clusterWidth = this.#widthOf({ ...span, text: cluster });
        if (this.#line.width + width + clusterWidth > this.#width && this.#line.width + width > 0) {
          const cut = findSplitIndex(piece.text);
          const rest = piece.text.slice(cut);
          put({ ...piece, text: piece.text.slice(0, cut) });
          this.#endLine();
          piece.text = rest;
          width = rest === '' ? 0 : this.#widthOf({ ...span, text: rest });
        }
        piece.text += cluster;
        width += clusterWidth;
        if (piece.text.length > MAX_PIECE) {
          put(piece);
          piece.text = '';
          width = 0;
        }
      }
    }
    put(piece);
  }

  #createParts({ text, style, picture, figure, level = 0 }: Span): InkPart[] {
    const levelOption = level === 0 ? {} : { level };
    if (picture !== undefined) {
      const { width, height } = getSizeInLine(picture, { style, most: this.#width, figure });
      return [{ picture, style, size: style.size, width, height, ...levelOption }];
    }
    return this.#fonts.splitIntoRuns(text, style).map(({ face, text: marked }) => {
      const run = marked.replaceAll('\u200B', '');
      const size = style.size * face.getRelativeSize(style) * (style.rise === undefined ? 1 : 0.68);
      const isTurned = level % 2 === 1 && !face.isFromRight;
      const { width, code, drawings } = face.shapeText(isTurned ? reverseClusters(getClusters(run)) : run);
      const part = {
        face,
        style,
        size,
        width: (width * size) / 1000,
        code,
        ...levelOption,
        ...(face.isContextual && { actualText: run }),
      };
      return drawings === undefined ? part : { ...part, drawings };
    });
  }

  #widthOf = (span: Span): number => this.#createParts(span).reduce((sum, { width }) => sum + width, 0);
}

/** Returns where a part of a long word is split: after the last joint in its second half, otherwise at its end. */
function findSplitIndex(text: string): number {
  for (let index = text.length; index > text.length / 2; index -= 1) if (isJoint(text.charAt(index - 1))) return index;
  return text.length;
}

/** Matches letters of Thai, Lao, Burmese and Khmer, which have no spaces between words. */
const UNSPACED = /[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF]{2}/;

/** Marks the ends of words that have no spaces between them, so that lines can break there. */
const markWordEnds = (text: string): string =>
  Array.from(new Intl.Segmenter('th', { granularity: 'word' }).segment(text), ({ segment }) => segment).join('\u200B');

/** Splits a text where lines may break. */
function splitAtBreaks(text: string): string[] {
  if (/^[\u0020-\u007E]*$/.test(text)) return text.match(/[^ -]*(?:[A-Za-z0-9]-(?=[A-Za-z])| +)|[^ -]+|-+/g) ?? [];
  const pieces: string[] = [];
  let before = '';
  for (const cluster of getClusters(text)) {
    if (before !== '' && !mayBreak(before, cluster)) pieces[pieces.length - 1] += cluster;
    else pieces.push(cluster);
    before = before.slice(-2) + cluster;
  }
  return pieces;
}

/** Prepares a text for typesetting and loads its fonts. */
export async function prepareSpans(fonts: Fonts, spans: Span[]): Promise<Span[]> {
  const result: Span[] = [];
  for (const span of spans)
    for (const part of splitText(span.text)) {
      const text = removeUnsupported(part);
      if (text === '' && !span.isBreak) continue;
      await fonts.prepare(text, span.style);
      await fonts.turns.countWork(text.length / 4);
      result.push({ ...span, text: UNSPACED.test(text) ? markWordEnds(text) : text });
    }
  return addLevels(result);
}

/** Splits a long text, after spaces if possible and never within a character. */
export function splitText(text: string): string[] {
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
