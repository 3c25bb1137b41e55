import type { Token } from 'markdown-it';
import { findFrontmatterBlock } from '../frontmatter-block.ts';
import { heroOf } from '../hero.ts';
import { readBlocks, TooLarge } from './block-rules.ts';
import type { BlockReading } from './block-state.ts';
import { stepsOf } from './blocks-of.ts';
import { isForeignText } from './conditions.ts';
import { type Block, block } from './document-tree.ts';
import { ExtentReader } from './extents.ts';
import { heroBlocks } from './hero-blocks.ts';

/** What is read at once, in characters; a block that does not end in it is read once more with twice as much. */
const PIECE = 16 * 1024;
const MAX_INLINE = 32 * 1024;
const LEAST_PIECE = 2 * 1024;
/** A block of more lines or tokens is set as it is written, with what follows it. */
const MAX_LINES = 50_000;
const MAX_TOKENS = 60_000;
const LINES_AT_ONCE = 2_000;
/** Where a definition may stand. */
const DEFINITION = /^[ \t>*+\-\d.)]*\[/m;

type Options = { piece?: number };

/**
 * The blocks of a document as `parseTree` gives them, without keys and without what only its source needs. Each step
 * does a bounded part of the work, and gives the blocks that came of it: none, where there is more to do first.
 */
export function* readInPieces(markdown: string, { piece = PIECE }: Options = {}): Generator<Block[]> {
  const body = markdown.slice(findFrontmatterBlock(markdown)?.bodyOffset ?? 0);
  const lines = body
    .replace(/^\ufeff/, ' ')
    .replace(/\r\n?/g, '\n')
    .split('\n');
  const hero = heroOf(markdown);
  yield hero === undefined ? [] : heroBlocks(hero);
  const reader = new ExtentReader();
  for (const [index, line] of lines.entries()) {
    reader.read(line);
    if (index % LINES_AT_ONCE === 0) yield [];
  }
  const pieces = new Pieces(lines, { extents: reader.extents, isForeign: isForeignText(body), piece });
  if (body.length > piece && DEFINITION.test(body)) for (const _ of pieces.read()) yield [];
  yield* built(pieces);
}

/** What was read, to be built; or what stays text. */
type Read = { tokens: Token[]; reading: BlockReading } | { text: string } | undefined;

function* built(pieces: Pieces): Generator<Block[]> {
  for (const read of pieces.read()) {
    if (read === undefined) yield [];
    else if ('text' in read) yield [block('markdown', { markdown: read.text })];
    else for (const placed of stepsOf(read.tokens, read.reading)) yield placed.map((each) => each.block);
  }
}

class Pieces {
  readonly #lines: string[];
  readonly #shared: BlockReading;
  readonly #piece: number;

  constructor(lines: string[], { piece, ...known }: Pick<BlockReading, 'extents' | 'isForeign'> & { piece: number }) {
    this.#lines = lines;
    const shared = {
      references: {},
      imports: new Map(),
      unknownEnds: new Set<number>(),
      maxTokens: MAX_TOKENS,
      maxInlineLength: MAX_INLINE,
    };
    this.#shared = { ...known, ...shared };
    this.#piece = piece;
  }

  /** Reads from the start to the end; what a first reading finds of definitions, a second knows. */
  *read(): Generator<Read> {
    let start = 0;
    while (start < this.#lines.length) {
      const next = yield* this.#readOne(start);
      if (next === undefined) {
        yield { text: this.#lines.slice(start).join('\n').trimEnd() };
        return;
      }
      start = next;
    }
  }

  /** Reads what ends in a piece, and gives the line after it; undefined where that is too much. */
  *#readOne(start: number): Generator<Read, number | undefined> {
    let [size, tooLarge] = [this.#piece, Number.POSITIVE_INFINITY];
    for (let tooSmall = 0; size > tooSmall && size < tooLarge; ) {
      const end = this.#endOf(start, size);
      if (end - start > MAX_LINES && size > this.#piece) return undefined;
      const found = this.#tokensOf(start, end);
      yield undefined;
      if (found === undefined) [tooLarge, size] = [size, Math.max(size / 2, LEAST_PIECE)];
      else if (found.next === undefined) [tooSmall, size] = [size, size * 2];
      else {
        yield found;
        return found.next;
      }
    }
    return undefined;
  }

  /** The line after so many characters. */
  #endOf(start: number, size: number): number {
    let [end, length] = [start, 0];
    while (end < this.#lines.length && (end === start || length + (this.#lines[end]?.length ?? 0) < size))
      length += (this.#lines[end++]?.length ?? 0) + 1;
    return end;
  }

  /** The tokens of the blocks that end between two lines; `next` is the line after them, undefined where none ends. */
  #tokensOf(
    start: number,
    end: number,
  ): { tokens: Token[]; reading: BlockReading; next: number | undefined } | undefined {
    const reading: BlockReading = { ...this.#shared, firstLine: start };
    const tokens = tokensIn(this.#lines.slice(start, end).join('\n'), reading);
    if (tokens === undefined) return undefined;
    if (end === this.#lines.length) return { tokens, reading, next: end };
    const starts = tokens.flatMap(({ level, nesting, map }, index) =>
      level === 0 && nesting >= 0 && map !== null ? [{ index, end: map[1] }] : [],
    );
    if (starts.length === 0) return { tokens, reading, next: end };
    let count = starts.length - 1;
    while (count > 0 && (starts[count - 1]?.end ?? 0) > (reading.openAt ?? end)) count -= 1;
    const last = starts[count - 1];
    const kept = tokens.slice(0, starts[count]?.index ?? tokens.length);
    return { tokens: kept, reading, next: last && start + last.end };
  }
}

function tokensIn(text: string, reading: BlockReading): Token[] | undefined {
  try {
    return readBlocks(text, reading);
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}
