import MarkdownIt, { type StateBlock, type Token } from 'markdown-it';
import { detailsOpening, type Extent, kindOf, readExtents, readTag, tagData } from './tags.ts';

const MAX_NESTING = 100;
/** A document of more blocks is one flat text: its tree would fill a worker's memory. */
const MAX_TOKENS = 100_000;

/** The document is too large for a tree. */
export class TooLarge extends Error {}

/** What markdown-it carries along while it reads one document, or a piece of one. */
export interface BlockReading {
  references?: Record<string, { title: string; href: string }>;
  /** By the lines of the whole document. */
  extents?: ReadonlyMap<number, Extent>;
  inlineTokens?: number;
  /** Where in the document the piece begins; 0 for all of it. */
  firstLine?: number;
  /** From this line of the piece on, what comes after the piece may say what stands there. */
  openAt?: number;
  maxTokens?: number;
  /** A longer text of one block stays flat. */
  maxInlineLength?: number;
}

const parser = new MarkdownIt({ html: true, maxNesting: MAX_NESTING });
parser.core.ruler.enableOnly(['normalize', 'block']);
parser.validateLink = () => true;

parser.block.State = class extends parser.block.State {
  override push(type: string, tag: string, nesting: -1 | 0 | 1) {
    if (this.tokens.length > ((this.env as BlockReading).maxTokens ?? MAX_TOKENS))
      throw new TooLarge('The document has too many blocks for a tree.');
    return super.push(type, tag, nesting);
  }
};

withOwnRules(parser);

/** Adds the rules of tags, `<details>`, formulas and footnotes, which end a paragraph, a list and a quotation. */
export function withOwnRules({ block: { ruler } }: typeof parser): void {
  const ends = { alt: ['paragraph', 'reference', 'blockquote', 'list'] };
  ruler.before('fence', 'tag', tag, ends);
  ruler.before('fence', 'details', details, ends);
  ruler.before('fence', 'math', math, ends);
  ruler.before('reference', 'footnote', footnote, { alt: ['paragraph', 'reference'] });
}

/** The block tokens of a document; their inline contents are not parsed further. */
export function readBlocks(markdown: string, reading: BlockReading): Token[] {
  reading.extents ??= readExtents(markdown.split('\n')).extents;
  return parser.parse(markdown, reading as Record<string, unknown>);
}

const lineOf = (state: StateBlock, line: number): string =>
  state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trimEnd();

const isIndented = (state: StateBlock, line: number): boolean => (state.sCount[line] ?? 0) - state.blkIndent >= 4;

/** The extent of the tag at a line, if it ends before `endLine`; parts and end as lines of what is read. */
function extentAt(state: StateBlock, line: number, endLine: number): Extent | undefined {
  const { extents, firstLine = 0 } = state.env as BlockReading;
  const extent = extents?.get(line + firstLine);
  if (extent === undefined) return undefined;
  if (extent.end - firstLine < endLine)
    return { end: extent.end - firstLine, parts: extent.parts.map((part) => part - firstLine) };
  noteOpen(state, line, endLine);
  return undefined;
}

/** Notes that no end was found up to the end of what is read. */
function noteOpen(state: StateBlock, line: number, endLine: number): void {
  const reading = state.env as BlockReading;
  if (endLine >= state.bMarks.length - 1) reading.openAt = Math.min(reading.openAt ?? line, line);
}

function tag(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = lineOf(state, line);
  const found = readTag(text);
  if (found === undefined) return false;
  if (silent) return true;
  const data = tagData(found.name, found.rest);
  const extent = extentAt(state, line, endLine);
  if (data !== undefined && extent !== undefined) {
    container(state, { line, name: found.name, data, extent });
    return true;
  }
  const isAlone = data !== undefined && kindOf(found.name)?.alone === true;
  const token = state.push(isAlone ? 'tag' : 'html_block', '', 0);
  token.content = text;
  token.meta = { name: found.name, data };
  token.map = [line, line + 1];
  state.line = line + 1;
  return true;
}

function container(
  state: StateBlock,
  { line, name, data, extent }: { line: number; name: string; data: object; extent: Extent },
): void {
  const open = state.push('tag_open', '', 1);
  open.map = [line, extent.end + 1];
  open.meta = { name, data };
  let start = line + 1;
  for (const part of extent.parts) {
    inside(state, start, part);
    const middle = state.push('tag_part', '', 0);
    middle.map = [part, part + 1];
    middle.meta = readTag(lineOf(state, part)) ?? { name: 'else', rest: '' };
    start = part + 1;
  }
  inside(state, start, extent.end);
  state.push('tag_close', '', -1);
  state.line = extent.end + 1;
}

/** Reads the lines of a container as blocks. */
function inside(state: StateBlock, start: number, end: number): void {
  const { lineMax, parentType, blkIndent, tight } = state;
  state.lineMax = end;
  state.parentType = 'root';
  state.md.block.tokenize(state, start, end);
  Object.assign(state, { lineMax, parentType, blkIndent, tight });
}

function details(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = lineOf(state, line);
  const extent = detailsOpening(text) ? extentAt(state, line, endLine) : undefined;
  if (extent === undefined) return false;
  let summary = line;
  if (!text.endsWith('</summary>')) {
    summary = line + 1;
    while (summary < extent.end && state.isEmpty(summary)) summary += 1;
  }
  const title = /<summary>(.*)<\/summary>$/.exec(lineOf(state, summary))?.[1];
  if (title === undefined || !/^<details(?: open)?>/.test(text)) return false;
  if (silent) return true;
  const open = state.push('details_open', '', 1);
  open.map = [line, extent.end + 1];
  open.meta = { title, open: text.startsWith('<details open>') };
  inside(state, summary + 1, extent.end);
  state.push('details_close', '', -1);
  state.line = extent.end + 1;
  return true;
}

function math(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line) || lineOf(state, line) !== '$$') return false;
  let end = line + 1;
  while (end < endLine && lineOf(state, end) !== '$$' && (state.sCount[end] ?? 0) >= 0) end += 1;
  if (end >= endLine) noteOpen(state, line, endLine);
  if (end >= endLine || lineOf(state, end) !== '$$') return false;
  if (silent) return true;
  const token = state.push('math_block', '', 0);
  token.content = state.getLines(line + 1, end, state.blkIndent, false);
  token.map = [line, end + 1];
  state.line = end + 1;
  return true;
}

const FOOTNOTE = /^\[\^([^\s[\]^]{1,100})\]:[ \t]+(\S.*)$/;

function footnote(state: StateBlock, line: number, _endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const [, label, content = ''] = FOOTNOTE.exec(lineOf(state, line)) ?? [];
  if (label === undefined) return false;
  if (silent) return true;
  const token = state.push('footnote', '', 0);
  token.content = content;
  token.meta = { label };
  token.map = [line, line + 1];
  state.line = line + 1;
  return true;
}
