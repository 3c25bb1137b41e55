import type { StateBlock, Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';
import { addTemplateAddresses } from '../links/destinations.ts';
import { parseIntegration, parseLiquid } from './component-rules.ts';
import { isForeignText, mayBeConditional } from './conditions.ts';
import { addDialectRules } from './dialect-rules.ts';
import { addSilentToken, close, openBlock } from './dialects.ts';
import type { BlockReading, Extent } from './extents.ts';
import {
  findExtent,
  getLine,
  isDetailsOpening,
  isIndented,
  parseInside,
  parseInsideUntil,
  readExtents,
  recordUnclosed,
} from './extents.ts';
import { parseIndentedJsx, parseJsxTag } from './jsx-rules.ts';
import { getKind, readTag, readTagData } from './tags.ts';

const MAX_NESTING = 100;
/**
 * Maximum number of tokens of a document. A document with more tokens is parsed as one text, because its tree would
 * exhaust a worker's memory.
 */
export const MAX_TOKENS = 100_000;

/** The error for a document that is too large for a tree. */
export class TooLarge extends Error {}

const parser = new MarkdownIt({ html: true, maxNesting: MAX_NESTING });
parser.core.ruler.enableOnly(['normalize', 'block']);
parser.validateLink = () => true;

parser.block.State = class extends parser.block.State {
  override push(type: string, tag: string, nesting: -1 | 0 | 1) {
    if (this.tokens.length > ((this.env as BlockReading).maxTokens ?? MAX_TOKENS))
      throw new TooLarge('The document has too many blocks.');
    return super.push(type, tag, nesting);
  }
};

addBlockRules(parser);

/**
 * Adds the rules for tags, `<details>`, formulas and footnotes. These blocks also end a paragraph, a list or a quote
 * before them.
 */
export function addBlockRules(markdown: typeof parser): void {
  const { ruler } = markdown.block;
  const ends = { alt: ['paragraph', 'reference', 'blockquote', 'list'] };
  ruler.before('fence', 'tag', parseTag, ends);
  ruler.before('tag', 'liquid', parseLiquid, ends);
  ruler.before('tag', 'integration', parseIntegration, ends);
  ruler.before('fence', 'details', parseDetails, ends);
  ruler.before('fence', 'math', parseMath, ends);
  ruler.before('code', 'indented html', parseIndentedHtml);
  ruler.before('indented html', 'indented jsx', parseIndentedJsx);
  ruler.before('html_block', 'jsx tag', parseJsxTag, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
  ruler.before('reference', 'footnote', parseFootnote, { alt: ['paragraph', 'reference'] });
  addTemplateAddresses(markdown);
  addDialectRules(markdown);
  addDefinitionRules(markdown);
}

/** Returns the block tokens of a document; inline content is not parsed. */
export function readBlocks(markdown: string, reading: BlockReading): Token[] {
  if (reading.extents === undefined) {
    const { extents, jsxLines } = readExtents(markdown.split('\n'));
    Object.assign(reading, { extents, jsxLines });
  }
  reading.isForeign ??= isForeignText(markdown);
  return parser.parse(markdown, reading as Record<string, unknown>);
}

function parseTag(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = getLine(state, line);
  const tagMatch = readTag(text);
  if (tagMatch === undefined) return false;
  if (silent) return true;
  const data = readTagData(tagMatch.name, tagMatch.rest);
  const extent = findExtent(state, line, endLine);
  if (data !== undefined && extent !== undefined) {
    parseContainer(state, { line, name: tagMatch.name, data, extent });
    return true;
  }
  const isVoidTag = data !== undefined && getKind(tagMatch.name)?.isVoid === true;
  const token = state.push(isVoidTag ? 'tag' : 'html_block', '', 0);
  token.content = text;
  token.meta = { name: tagMatch.name, data };
  token.map = [line, line + 1];
  state.line = line + 1;
  return true;
}

function parseContainer(
  state: StateBlock,
  { line, name, data, extent }: { line: number; name: string; data: object; extent: Extent },
): void {
  const open = state.push('tag_open', '', 1);
  open.map = [line, extent.end + 1];
  open.meta = { name, data };
  let start = line + 1;
  for (const part of extent.parts) {
    parseInside(state, start, part);
    const middle = state.push('tag_part', '', 0);
    middle.map = [part, part + 1];
    middle.meta = readTag(getLine(state, part)) ?? { name: 'else', rest: '' };
    start = part + 1;
  }
  parseInside(state, start, extent.end);
  state.push('tag_close', '', -1);
  state.line = extent.end + 1;
}

function parseDetails(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = getLine(state, line);
  const extent = isDetailsOpening(text) && !mayBeConditional(text) ? findExtent(state, line, endLine) : undefined;
  if (extent === undefined) return false;
  let summary = line;
  if (!text.endsWith('</summary>')) {
    summary = line + 1;
    while (summary < extent.end && state.isEmpty(summary)) summary += 1;
  }
  const title = /<summary(?: [^<>]*)?>(.*)<\/summary>$/.exec(getLine(state, summary))?.[1];
  if (title === undefined) return false;
  if (silent) return true;
  const open = state.push('details_open', '', 1);
  open.map = [line, extent.end + 1];
  const [details = ''] = /^<details[^<>]*>/.exec(text) ?? [];
  open.meta = {
    title: title.trim(),
    open: / open[\s=>]/.test(details),
    tags: summary === line ? text : details + getLine(state, summary),
  };
  parseInsideUntil(state, summary + 1, extent);
  state.push('details_close', '', -1);
  state.line = extent.end + 1;
  return true;
}

const PART = /^<\/?(?:table|thead|tbody|tfoot|tr|td|th|caption|ul|ol|li|dl|dt|dd)(?:\s[^<>]*)?>/i;
const WHOLE = /<(\/?)(?:table|ul|ol|dl)\b/gi;
/** Only this many tokens are searched for an open element. */
const MAX_SEARCHED = 300;

/**
 * Parses the lines of an HTML table or list after a blank line. They continue the element, even if they are indented
 * like code.
 */
function parseIndentedHtml(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (silent || !isIndented(state, line) || !PART.test(getLine(state, line)) || !isInElement(state)) return false;
  let end = line + 1;
  while (end < endLine && !state.isEmpty(end) && (state.sCount[end] ?? 0) >= state.blkIndent) end += 1;
  const token = state.push('html_block', '', 0);
  token.content = state.getLines(line, end, state.blkIndent, true).trimStart();
  token.map = [line, end];
  state.line = end;
  return true;
}

const openElements = new WeakMap<Token, number>();

/** Whether an HTML table or list is open in the same container. */
function isInElement({ tokens, level }: StateBlock): boolean {
  let open = 0;
  for (const token of tokens.slice(-MAX_SEARCHED).reverse()) {
    if (token.level < level) return false;
    if (token.type !== 'html_block' || token.level !== level) continue;
    const openCount = openElements.get(token) ?? countOpen(token.content);
    openElements.set(token, openCount);
    open += openCount;
    if (open > 0) return true;
  }
  return false;
}

const countOpen = (html: string): number =>
  [...html.matchAll(WHOLE)].reduce((open, [, slash]) => open + (slash === '/' ? -1 : 1), 0);

/** Parses a formula between `$$` delimiters. They are on their own lines, or at the start and end of its lines. */
function parseMath(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const first = isIndented(state, line) ? '' : getLine(state, line);
  if (!first.startsWith('$$') || first.includes('{%')) return false;
  const isBlockStart = first === '$$';
  if (!isBlockStart && (first.includes('$$', 2) || first.includes('`'))) return parseMathInLine(state, line, silent);
  let end = line + 1;
  const isContinued = (text: string) => (isBlockStart ? text !== '$$' : text !== '' && !/\$\$|\{%|`/.test(text));
  while (end < endLine && isContinued(getLine(state, end)) && (state.sCount[end] ?? 0) >= 0) end += 1;
  if (end >= endLine) recordUnclosed(state, line, endLine);
  const last = end < endLine ? getLine(state, end) : '';
  if (isBlockStart ? last !== '$$' : last.length < 2 || last.indexOf('$$') !== last.length - 2 || last.includes('{%'))
    return false;
  if (silent) return true;
  const inner = state.getLines(line + 1, end, state.blkIndent, false);
  const parts = [first.slice(2).trim(), inner.trimEnd(), last.slice(0, -2).trim()];
  const content = isBlockStart ? inner : parts.filter((part) => part !== '').join('\n');
  pushMath(state, { line, end: end + 1, content });
  return true;
}

/** Parses `$$ a $$` as a block. Without the spaces, it is an inline formula. */
function parseMathInLine(state: StateBlock, line: number, silent: boolean): boolean {
  const text = getLine(state, line);
  const content = text.slice(2, -2);
  const isBlockFormula =
    text.length > 5 && text.endsWith('$$') && !content.includes('$$') && /^[ \t].*[ \t]$/.test(content);
  if (!isBlockFormula || content.trim() === '') return false;
  if (!silent) pushMath(state, { line, end: line + 1, content: content.trim() });
  return true;
}

function pushMath(state: StateBlock, { line, end, content }: { line: number; end: number; content: string }): void {
  const token = state.push('math_block', '', 0);
  token.content = content;
  token.map = [line, end];
  state.line = end;
}

/** Returns the line after a footnote and its indented lines. */
function findFootnoteEnd(state: StateBlock, line: number, endLine: number): number {
  let end = line + 1;
  for (let next = end; next < endLine; next += 1) {
    if (state.isEmpty(next)) continue;
    if ((state.sCount[next] ?? 0) - state.blkIndent < 4) break;
    end = next + 1;
  }
  if (end >= endLine) recordUnclosed(state, line, endLine);
  return end;
}

const FOOTNOTE = /^\[\^([^\s[\]^]{1,100})\]:(?:[ \t]+(?=\S)|$)/;

/** Parses a footnote, which contains blocks. Its first line may be empty. */
function parseFootnote(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (isIndented(state, line)) return false;
  const text = getLine(state, line);
  const [sign, label] = FOOTNOTE.exec(text) ?? [];
  if (sign === undefined) return false;
  const end = findFootnoteEnd(state, line, endLine);
  if (sign.length === text.length && end === line + 1) return false;
  if (silent) return true;
  const open = state.push('footnote_open', '', 1);
  open.meta = { label };
  open.map = [line, end];
  if (sign.length === text.length) parseIndentedPart(state, { line: line + 1, end, indent: state.blkIndent + 4 });
  else parsePartAfter(state, { line, end, length: sign.length, indent: state.blkIndent + 4 });
  state.push('footnote_close', '', -1);
  state.line = end;
  return true;
}

type Part = { line: number; end: number; indent: number };

/** Parses lines with this indentation. */
function parseIndentedPart(state: StateBlock, { line, end, indent }: Part): void {
  const { blkIndent } = state;
  state.blkIndent = indent;
  parseInside(state, line, end);
  state.blkIndent = blkIndent;
}

/** Parses lines whose first line begins with a marker. The marker counts as indentation. */
function parsePartAfter(state: StateBlock, { length, ...part }: Part & { length: number }): void {
  const { line, indent } = part;
  const [mark = 0, shift = 0, count = 0] = [state.bMarks[line], state.tShift[line], state.sCount[line]];
  state.bMarks[line] = mark + shift + length - indent;
  state.tShift[line] = indent;
  state.sCount[line] = indent;
  parseIndentedPart(state, part);
  state.bMarks[line] = mark;
  state.tShift[line] = shift;
  state.sCount[line] = count;
}

/** Adds the rules of definition lists and abbreviations (PHP Markdown Extra, kramdown, MkDocs). */
function addDefinitionRules({ block: { ruler } }: InstanceType<typeof MarkdownIt>): void {
  ruler.before('list', 'abbreviation', parseAbbreviation, { alt: ['paragraph', 'reference'] });
  ruler.before('lheading', 'definitions', parseDefinitions);
}

const ABBREVIATION = /^\*\[[^[\]]{1,100}\]:(?:[ \t]|$)/;

/**
 * Hides the definition of an abbreviation, because it is not content. A line that begins and ends with `*` is emphasis
 * instead.
 */
function parseAbbreviation(state: StateBlock, line: number, _endLine: number, silent: boolean): boolean {
  const text = isIndented(state, line) ? '' : getLine(state, line);
  if (!ABBREVIATION.test(text) || text.trimEnd().endsWith('*') || mayBeConditional(text)) return false;
  return silent || addSilentToken(state, line, line + 1);
}

const DEFINITION = /^:[ \t]+(?=\S)/;
const isDefinition = (state: StateBlock, line: number, endLine: number): boolean =>
  line < endLine && !isIndented(state, line) && DEFINITION.test(getLine(state, line));

/**
 * Parses a term and its definitions. A term is one line. Its definitions begin with a colon, directly below or after
 * one empty line.
 */
function parseDefinitions(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (silent || isIndented(state, line) || getLine(state, line).startsWith(':')) return false;
  const isAfterBlank = line + 1 < endLine && state.isEmpty(line + 1);
  let next = isAfterBlank ? line + 2 : line + 1;
  if (!isDefinition(state, next, endLine)) return false;
  const meaning = { type: 'definitions', data: {}, title: getLine(state, line) };
  const token = openBlock(state, { meaning, markup: { open: '' }, span: { line, end: line + 1 } });
  let end = next;
  while (isDefinition(state, next, endLine)) {
    end = findDefinitionEnd(state, next, endLine);
    parseDefinition(state, next, end);
    next = end;
    while (next < endLine && state.isEmpty(next)) next += 1;
  }
  close(state, meaning.type);
  token.map = [line, end];
  state.line = end;
  return true;
}

const signLength = (state: StateBlock, line: number): number => DEFINITION.exec(getLine(state, line))?.[0].length ?? 2;

/** Returns the line after a definition and its indented and lazy continuation lines. */
function findDefinitionEnd(state: StateBlock, line: number, endLine: number): number {
  const indent = state.blkIndent + Math.min(4, signLength(state, line));
  let end = line + 1;
  for (let next = end; next < endLine; next += 1) {
    if (state.isEmpty(next)) continue;
    const isIndented = (state.sCount[next] ?? 0) >= indent;
    const isContinued = next === end && !isDefinition(state, next, endLine) && !isDefinition(state, next + 1, endLine);
    if (!isIndented && !isContinued) break;
    end = next + 1;
  }
  return end;
}

/** Parses the lines of a definition without its colon, like those of a list item. */
function parseDefinition(state: StateBlock, line: number, end: number): void {
  const length = signLength(state, line);
  parsePartAfter(state, { line, end, length, indent: state.blkIndent + Math.min(4, length) });
}
