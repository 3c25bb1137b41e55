import type { Token } from 'markdown-it';
import { findFrontmatterBlock } from '../frontmatter-block.ts';
import { createHeroBlocks, getHero } from '../hero.ts';
import { MAX_TOKENS as MAX_TREE_TOKENS, readBlocks, TooLarge } from './block-rules.ts';
import type { BlockWithLines } from './build-blocks.ts';
import { getSteps } from './build-blocks.ts';
import { isForeignText } from './conditions.ts';
import type { Block, DocumentTree, TreeData } from './document-tree.ts';
import { assignKeys, createBlock, getMarkup, getTextAt, isBlock, isUnchanged } from './document-tree.ts';
import type { BlockReading } from './extents.ts';
import { ExtentReader } from './extents.ts';
import { copyMarkerFromSource } from './markup.ts';
import { renderBlocks } from './render-blocks.ts';
import { getResult, type TreeSteps } from './steps.ts';

const MAX_DEPTH = 250;

/**
 * Renders a tree as markdown. Unchanged top-level blocks are rendered as their source, all others in canonical form.
 * @throws if the tree is nested too deeply
 */
export const renderTree = (tree: DocumentTree): string => getResult(renderTreeInSteps(tree));

/** Like `renderTree`, but works in steps. */
export function* renderTreeInSteps(tree: DocumentTree): TreeSteps<string> {
  checkDepth(tree.nodes);
  const frontmatter = getTextAt(tree.data, 'frontmatter') ?? '';
  let text = '';
  let previous: Block | undefined;
  for (const node of tree.nodes) {
    yield;
    const source = getMarkup(node.data, 'source');
    const rendered = typeof source === 'string' && isUnchanged(node) ? source : renderBlocks([node], previous);
    const before = getMarkup(node.data, 'before');
    if (rendered === '' && before === undefined && source === undefined) continue;
    text += `${typeof before === 'string' ? before : previous === undefined ? '' : '\n\n'}${rendered}`;
    previous = copyMarkerFromSource(node, rendered);
  }
  const after = getMarkup(tree.data, 'after');
  const result = text + (typeof after === 'string' ? after : previous === undefined ? '' : '\n');
  return frontmatter + (getMarkup(tree.data, 'lineEnd') === '\r\n' ? result.replaceAll('\n', '\r\n') : result);
}

/** Not recursive: a deeply nested tree from a client could otherwise overflow the stack. */
function checkDepth(nodes: DocumentTree['nodes']): void {
  let level: DocumentTree['nodes'][number]['nodes'] = nodes;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new RangeError(`A document can be nested at most ${MAX_DEPTH} levels deep.`);
    level = level.flatMap((node) => (isBlock(node) || node.object === 'inline' ? node.nodes : []));
  }
}

/** The version of the format, which distinguishes it from published trees. */
export const SCHEMA_VERSION = 9;

/**
 * Parses a document into a tree of blocks. `renderTree` restores the exact text: differences from the canonical form
 * are stored in `data.markup`. With the sources of `all`, each top-level block stores its whole source. Without
 * sources, parsing takes half the time. If a document has too many blocks for a worker's memory, each piece of it
 * becomes one block of type `markdown`.
 */
export const parseTree = (markdown: string, options?: ParseOptions): DocumentTree =>
  getResult(parseTreeInSteps(markdown, options));

/** Like `parseTree`, but works in steps. */
export function* parseTreeInSteps(
  markdown: string,
  { sources = 'needed', hasKeys = true, piece = PIECE }: ParseOptions = {},
): TreeSteps<DocumentTree> {
  const offset = findFrontmatterBlock(markdown)?.bodyOffset ?? 0;
  const data: TreeData = { schemaVersion: SCHEMA_VERSION };
  if (offset > 0) data.frontmatter = markdown.slice(0, offset);
  const tree: DocumentTree = { object: 'document', data, nodes: [] };
  const markup: TreeData = {};
  const hero = getHero(markdown);
  if (hero !== undefined) tree.nodes = createHeroBlocks(hero);
  yield* readIntoTree(tree, { text: normalizeLineEnds(markdown.slice(offset), markup), markup, sources, piece });
  if (Object.keys(markup).length > 0) data.markup = markup;
  if (hasKeys) yield* assignKeys(tree);
  return tree;
}

/** If all line ends are CRLF, records this in `markup` and returns the text with LF. */
function normalizeLineEnds(text: string, markup: TreeData): string {
  if (!text.includes('\r\n') || /\r(?!\n)|(?<!\r)\n/.test(text)) return text;
  markup.lineEnd = '\r\n';
  return text.replaceAll('\r\n', '\n');
}

export interface ParseOptions {
  /** Which blocks store their source: the blocks that differ from their canonical form, all blocks, or none. */
  sources?: 'needed' | 'all' | 'none';
  /** Whether blocks get keys. If only needed sources are stored, keys are required to detect changed blocks. */
  hasKeys?: boolean;
  /** Number of characters that are parsed in one step. */
  piece?: number;
}

type Reading = { text: string; markup: TreeData } & Required<Pick<ParseOptions, 'sources' | 'piece'>>;

function* readIntoTree(tree: DocumentTree, { text, markup, sources, piece }: Reading): TreeSteps<void> {
  const lines = new Lines(text);
  let [position, previous]: [number, Block | undefined] = [0, tree.nodes.at(-1)];
  const put = (node: Block, start: number, end: number, isRaw = false) => {
    const before = text.slice(position, start);
    const source = text.slice(start, end);
    const markup: TreeData = {};
    if (before !== (previous === undefined ? '' : '\n\n')) markup.before = before;
    const isSourceKept = sources === 'needed' ? !isRaw && renderBlocks([node], previous) !== source : sources === 'all';
    if (isSourceKept) markup.source = source;
    if (Object.keys(markup).length > 0) node.data = { ...node.data, markup: { ...getMarkupData(node), ...markup } };
    tree.nodes.push(node);
    [position, previous] = [end, node];
  };
  const putMarkdown = (end: number) => {
    let start = position;
    while (start < end && isBlank(text, start)) start += 1;
    if (start < end) {
      const stop = trimEndIndex(text, start, end);
      put(createBlock('markdown', { markdown: text.slice(start, stop) }), start, stop, true);
    }
  };
  for (const placed of yield* placeBlocks(lines.normalized, piece)) {
    yield;
    const start = lines.start(placed.start);
    putMarkdown(start);
    if ('block' in placed) put(placed.block, start, trimEndIndex(text, start, lines.start(placed.end)));
  }
  putMarkdown(text.length);
  const after = text.slice(position);
  if (after !== (previous === undefined ? '' : '\n')) markup.after = after;
}

const isBlank = (text: string, index: number): boolean => ' \t\r\n'.includes(text.charAt(index));

/** Returns the end of a text without trailing blanks. */
function trimEndIndex(text: string, start: number, end: number): number {
  let stop = end;
  while (stop > start && isBlank(text, stop - 1)) stop -= 1;
  return stop;
}

const getMarkupData = (node: Block): TreeData => (node.data.markup ?? {}) as TreeData;

/** Start line of one piece of a text that is too large to parse into a tree. */
type PieceStart = Pick<BlockWithLines, 'start'>;

/**
 * Returns the blocks of a text without frontmatter. If the text is too large for a tree, returns only its pieces, or
 * nothing.
 */
function* placeBlocks(text: string, piece: number): TreeSteps<(BlockWithLines | PieceStart)[]> {
  try {
    const placed = text.length > piece ? yield* placeInPieces(text, piece) : undefined;
    return placed ?? (yield* placeDocument(text));
  } catch (error) {
    if (error instanceof TooLarge) return [];
    throw error;
  }
}

/** Returns the blocks of a text that is parsed as a whole. @throws TooLarge */
function* placeDocument(text: string): TreeSteps<BlockWithLines[]> {
  const reading: BlockReading = {};
  const blocksWithLines: BlockWithLines[] = [];
  for (const placed of getSteps(readBlocks(text, reading), reading)) {
    blocksWithLines.push(...placed);
    yield pieceMicroseconds;
  }
  return blocksWithLines;
}

/**
 * Parses a text in pieces, with the same result as `placeDocument`. Returns undefined if the text cannot be divided. If
 * the text has too many blocks, returns only the start lines of its pieces. @throws TooLarge
 */
function* placeInPieces(text: string, piece: number): TreeSteps<(BlockWithLines | PieceStart)[] | undefined> {
  const blocksWithLines: BlockWithLines[] = [];
  const starts: PieceStart[] = [];
  const pieces = yield* splitText(text, { piece });
  let [tokens, inlineTokens] = [0, 0];
  for (const read of pieces.read()) {
    yield pieceMicroseconds;
    if (read === undefined) continue;
    if ('text' in read) return undefined;
    tokens += read.tokens.length;
    starts.push({ start: read.reading.firstLine ?? 0 });
    if (tokens > MAX_TREE_TOKENS) continue;
    // The limit of inline markup applies to the whole document, so the count continues from piece to piece.
    read.reading.inlineTokens = inlineTokens;
    for (const placed of getSteps(read.tokens, read.reading)) {
      blocksWithLines.push(...placed);
      yield pieceMicroseconds;
    }
    inlineTokens = read.reading.inlineTokens;
  }
  return tokens > MAX_TREE_TOKENS ? starts : blocksWithLines;
}

/** Offsets of the lines, as markdown-it counts them. */
class Lines {
  readonly normalized: string;
  readonly #text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.#text = text;
    this.normalized = text.replace(/^\ufeff/, ' ').replace(/\r\n?/g, '\n');
    for (const lineBreak of text.matchAll(/\r\n?|\n/g)) this.#starts.push(lineBreak.index + lineBreak[0].length);
  }

  start = (line: number): number => this.#starts[line] ?? this.#text.length;
}

/**
 * Sizes in characters: of a piece that is parsed at once, of the inline text of one block, and of the smallest piece.
 * If a block does not end within a piece, it is parsed again with a piece of twice the size.
 */
const PIECE = 8 * 1024;
const MAX_INLINE = 32 * 1024;
const LEAST_PIECE = 2 * 1024;
/** Estimated duration of parsing a piece, or of building its blocks. */
const pieceMicroseconds = 500;
/**
 * Maximum number of lines and of tokens of a block. A block with more is returned as source, together with the text
 * after it. Raw lines are processed in groups of `LINES_AT_ONCE`.
 */
const MAX_LINES = 50_000;
const MAX_TOKENS = 60_000;
const LINES_AT_ONCE = 2_000;
/** Matches lines that may be definitions. */
const DEFINITION = /^[ \t>*+\-\d.)]*\[/m;

type Options = { piece?: number };

/**
 * Parses a document like `parseTree`, without keys and sources, in bounded steps. Each step yields the new blocks,
 * which may be none.
 */
export function* parseInPieces(markdown: string, { piece = PIECE }: Options = {}): Generator<Block[]> {
  const body = markdown.slice(findFrontmatterBlock(markdown)?.bodyOffset ?? 0);
  const text = body.replace(/^\ufeff/, ' ').replace(/\r\n?/g, '\n');
  const hero = getHero(markdown);
  yield hero === undefined ? [] : createHeroBlocks(hero);
  const dividing = splitText(text, { piece, maxTokens: MAX_TOKENS, maxInlineLength: MAX_INLINE });
  let step = dividing.next();
  for (; !step.done; step = dividing.next()) yield [];
  yield* buildPieces(step.value);
}

/** Divides a text without frontmatter, and collects the definitions in it. */
function* splitText(text: string, { piece, ...limits }: PieceLimits & { piece: number }): TreeSteps<Pieces> {
  const lines = text.split('\n');
  const reader = new ExtentReader();
  for (const [index, line] of lines.entries()) {
    reader.read(line);
    if (index % LINES_AT_ONCE === 0) yield pieceMicroseconds;
  }
  const pieces = new Pieces(
    lines,
    { extents: reader.extents, jsxLines: reader.jsxLines, isForeign: isForeignText(text), ...limits },
    piece,
  );
  if (text.length > piece && DEFINITION.test(text)) for (const _ of pieces.read()) yield pieceMicroseconds;
  return pieces;
}

/** Tokens to build blocks from, or text. */
type ParsedPiece = { tokens: Token[]; reading: BlockReading } | { text: string } | undefined;

type PieceLimits = Pick<BlockReading, 'maxTokens' | 'maxInlineLength'>;
type PieceSettings = PieceLimits & Pick<BlockReading, 'extents' | 'jsxLines' | 'isForeign'>;
type References = NonNullable<BlockReading['references']>;

function* buildPieces(pieces: Pieces): Generator<Block[]> {
  for (const piece of pieces.read()) {
    if (piece === undefined) yield [];
    else if ('text' in piece) yield [createBlock('markdown', { markdown: piece.text })];
    else for (const placedBlocks of getSteps(piece.tokens, piece.reading)) yield placedBlocks.map((each) => each.block);
  }
}

class Pieces {
  readonly #lines: string[];
  readonly #settings: PieceSettings;
  readonly #piece: number;
  readonly #references: References = {};
  readonly #imports = new Map<string, string>();
  /** The end of a container can be in a later piece than its start. */
  readonly #unknownEnds = new Set<number>();

  constructor(lines: string[], settings: PieceSettings, piece: number) {
    this.#lines = lines;
    this.#settings = settings;
    this.#piece = piece;
  }

  /** Parses the whole text. The first pass collects definitions for the second. */
  *read(): Generator<ParsedPiece> {
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

  /** Parses the blocks that end in a piece and returns the line after them; undefined if they exceed the limits. */
  *#readOne(start: number): Generator<ParsedPiece, number | undefined> {
    let [size, tooLarge] = [this.#piece, Number.POSITIVE_INFINITY];
    for (let tooSmall = 0; size > tooSmall && size < tooLarge; ) {
      const end = this.#findEnd(start, size);
      if (end - start > MAX_LINES && size > this.#piece) return undefined;
      const piece = this.#tokenize(start, end);
      yield undefined;
      if (piece === undefined) [tooLarge, size] = [size, Math.max(size / 2, LEAST_PIECE)];
      else if (piece.next === undefined) [tooSmall, size] = [size, size * 2];
      else {
        yield piece;
        return piece.next;
      }
    }
    return undefined;
  }

  /** Returns the line after this many characters. */
  #findEnd(start: number, size: number): number {
    let [end, length] = [start, 0];
    while (end < this.#lines.length && (end === start || length + (this.#lines[end]?.length ?? 0) < size))
      length += (this.#lines[end++]?.length ?? 0) + 1;
    return end;
  }

  /**
   * Returns the tokens of the blocks that end between two lines; `next` is the line after them, undefined if there are
   * none.
   */
  #tokenize(
    start: number,
    end: number,
  ): { tokens: Token[]; reading: BlockReading; next: number | undefined } | undefined {
    const parsed = this.#parse(start, end);
    if (parsed === undefined) return undefined;
    const { tokens, reading } = parsed;
    const starts = tokens.flatMap(({ level, nesting, map }, index) =>
      level === 0 && nesting >= 0 && map !== null ? [{ index, end: map[1] }] : [],
    );
    const isWhole = end === this.#lines.length || starts.length === 0;
    let count = isWhole ? starts.length : starts.length - 1;
    while (!isWhole && count > 0 && (starts[count - 1]?.end ?? 0) > (reading.openAt ?? end)) count -= 1;
    const last = starts[count - 1];
    const next = isWhole ? end : last && start + last.end;
    if (next !== undefined) this.#collectDefinitions(reading, { start, next, end });
    const keptReading = { ...reading, references: this.#references, imports: this.#imports };
    return { tokens: tokens.slice(0, starts[count]?.index ?? tokens.length), reading: keptReading, next };
  }

  /** Parses lines. The reading has only the definitions and imports that are new. */
  #parse(start: number, end: number): { tokens: Token[]; reading: BlockReading } | undefined {
    const references: References = Object.create(this.#references);
    const known = { ...this.#settings, unknownEnds: this.#unknownEnds };
    const reading: BlockReading = { ...known, references, imports: new Map(), firstLine: start };
    const tokens = tokenizeText(this.#lines.slice(start, end).join('\n'), reading);
    return tokens && { tokens, reading };
  }

  /**
   * Adds the definitions and imports of the lines before `next`. Lines after it can look like a definition only because
   * the block around them was cut at `end`.
   */
  #collectDefinitions(reading: BlockReading, { start, next, end }: { start: number; next: number; end: number }): void {
    const { references = {}, imports = [] } = reading;
    const hasNew = Object.keys(references).length > 0 || [...imports].length > 0;
    const kept = hasNew && next < end ? (this.#parse(start, next)?.reading ?? {}) : reading;
    Object.assign(this.#references, kept.references);
    for (const [name, address] of kept.imports ?? []) this.#imports.set(name, address);
  }
}

function tokenizeText(text: string, reading: BlockReading): Token[] | undefined {
  try {
    return readBlocks(text, reading);
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}
