import type { Env, Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';
import { findIds, findTagIds, parseHtmlHeading, splitHeading } from './headings.ts';
import { decodeEntities, ENTITY, matchBlockTag, normalizeReference } from './inline-syntax.ts';
import { namesTarget } from './links/target-names.ts';
import { addBlockRules } from './tree/block-rules.ts';
import { isForeignText } from './tree/conditions.ts';
import type { TreeData } from './tree/document-tree.ts';
import { getTextAt } from './tree/document-tree.ts';
import type { BlockReading } from './tree/extents.ts';
import { ExtentReader } from './tree/extents.ts';
import { getResult, type TreeSteps } from './tree/steps.ts';

/**
 * A part of a document in reading order: a top-level heading with its explicit ids, or a run of other content of one
 * kind with the ids in it. `lines` are the first line and the line after the last one. Cells of tables have no lines.
 */
export type SourceBlock = (
  | { kind: 'heading'; level: number; source: string; isHtml?: boolean }
  | { kind: 'text' | 'code' | 'html'; source: string }
  /** An include. `source` is its address, and `isTop` is false in a quote or a list. */
  | { kind: 'include'; source: string; isTop: boolean }
) & { lines: [number, number] | undefined; ids: string[] };

const MAX_NESTING = 100;
const KINDS = new Map<string, 'text' | 'code' | 'html'>([
  ['inline', 'text'],
  ['fence', 'code'],
  ['code_block', 'code'],
  ['html_block', 'html'],
  ['math_block', 'text'],
  ['details_open', 'text'],
  ['tag_open', 'text'],
  ['silent', 'html'],
]);

interface Reading extends Env, BlockReading {
  /** Number of open tags and `<details>` elements. Their content is treated as content of the document. */
  holders?: number;
}

const parser = new MarkdownIt({ html: true, maxNesting: MAX_NESTING });
parser.core.ruler.enableOnly(['normalize', 'block']);
addBlockRules(parser);

/** Keeps only tokens with content, because all tokens of a large document would exhaust a worker's memory. */
parser.block.State = class extends parser.block.State {
  override push(type: string, tag: string, nesting: -1 | 0 | 1) {
    const token = super.push(type, tag, nesting);
    const environment = this.env as Reading;
    const { holders = 0 } = environment;
    if (/^(?:tag|details)_(?:open|close)$/.test(type)) environment.holders = holders + nesting;
    const isTopHeading = type === 'heading_open' && token.level === holders;
    if (type === 'html_block' && token.level === holders) token.meta = { isTop: true };
    if (type === 'tag') token.info = token.level === holders ? topInfo : '';
    if (!isTopHeading && !KINDS.has(type) && type !== 'tag') this.tokens.pop();
    return token;
  }
};

/** Marks the token of a tag that is not in a quote or a list. */
const topInfo = 'top';

/** The normalized labels of a document's reference definitions, with their targets. */
export type Labels = ReadonlyMap<string, string>;

/** The content and the definitions of a document. */
export type Blocks = { blocks: SourceBlock[]; labels: Labels };

/** Parses the blocks of a document without frontmatter; inline content is not parsed. Includes are left out. */
export function getBlocks(markdown: string): Blocks {
  const { blocks, labels } = getResult(getBlocksInSteps(markdown));
  return { blocks: blocks.filter(({ kind }) => kind !== 'include'), labels };
}

/** Like `getBlocks`, but works in steps and also returns includes. */
export function* getBlocksInSteps(markdown: string): TreeSteps<Blocks> {
  const text = markdown.replace(/^\ufeff/, '');
  const reader = new ExtentReader();
  for (const line of text.split(/\r\n?|\n/)) {
    yield lineMicroseconds;
    reader.read(line);
  }
  reader.end();
  const environment: Reading = { extents: reader.extents, jsxLines: reader.jsxLines, isForeign: isForeignText(text) };
  yield;
  const blocks: SourceBlock[] = [];
  let level = 0;
  for (const token of yield* tokenizeInSteps(text, environment)) {
    yield lineMicroseconds;
    if (token.type === 'heading_open') {
      level = Number(token.tag.slice(1));
      continue;
    }
    const block = toSourceBlock(token, level);
    if (block !== undefined) blocks.push(block);
    if (!['silent', 'tag_open', 'tag'].includes(token.type)) level = 0;
  }
  const references = Object.entries(environment.references ?? {});
  return { blocks, labels: new Map(references.map(([label, { href }]) => [label, href])) };
}

/** Parses blocks with the same result as `parser.parse`, with a step for each top-level block. */
function* tokenizeInSteps(text: string, environment: Reading): TreeSteps<Token[]> {
  const tokens: Token[] = [];
  const normalized = text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');
  const state = new parser.block.State(normalized, parser, environment, tokens);
  const rules = parser.block.ruler.getRules('');
  for (;;) {
    const line = state.skipEmptyLines(state.line);
    if (line >= state.lineMax) return tokens;
    state.line = line;
    for (const rule of rules) if (rule(state, line, state.lineMax, false)) break;
    yield blockMicroseconds;
  }
}

/** Estimated durations of scanning a line, and of parsing a top-level block. */
const lineMicroseconds = 1;
const blockMicroseconds = 50;

function toSourceBlock(token: Token, level: number): SourceBlock | undefined {
  const { type, content, map, meta } = token;
  if (type === 'silent') {
    const ids = findIds(content, true);
    return { kind: 'html', source: String(meta?.shown ?? ''), lines: map ?? undefined, ids };
  }
  if (type === 'tag') return meta?.name === 'include' ? toInclude(token) : undefined;
  if (type === 'tag_open') {
    const source = getTitles(meta);
    const ids = findTagIds(token);
    return source === '' && ids.length === 0 ? undefined : { kind: 'text', source, lines: undefined, ids };
  }
  const kind = isTag(token) ? 'text' : (KINDS.get(type) ?? 'text');
  // A summary, and the content of its `<details>`, are separate blocks.
  const lines = type === 'details_open' ? undefined : (map ?? undefined);
  const source = type === 'details_open' ? String(meta?.title) : content;
  if (level > 0) return getHeading(level, source, lines);
  const own = kind === 'code' || type === 'math_block' ? [] : findIds(source, kind === 'html');
  const ids = type === 'details_open' ? [...findTagIds(token), ...own] : own;
  return getHtmlHeading(token, lines) ?? { kind, source, lines, ids };
}

const toInclude = ({ meta, info }: Token): SourceBlock => ({
  kind: 'include',
  source: getTextAt((meta?.data as TreeData | undefined)?.ref, 'url') ?? '',
  isTop: info === topInfo,
  lines: undefined,
  ids: [],
});

type Lines = SourceBlock['lines'];

function getHeading(level: number, content: string, lines: Lines): SourceBlock {
  const { text, ids } = splitHeading(content);
  return { kind: 'heading', level, source: text, lines, ids };
}

/** Returns a top-level heading that is written in HTML. */
function getHtmlHeading({ type, content, meta }: Token, lines: Lines): SourceBlock | undefined {
  const heading = type === 'html_block' && meta?.isTop === true ? parseHtmlHeading(content) : undefined;
  return (
    heading && { kind: 'heading', level: heading.level, source: heading.inner, lines, ids: heading.ids, isHtml: true }
  );
}

/** Whether a token is an unclosed tag. */
const isTag = ({ type, meta }: Token): boolean => type === 'html_block' && meta?.name !== undefined;

/** Attributes of tags whose text is visible to readers. */
const VISIBLE_ATTRIBUTES: Record<string, string[] | undefined> = {
  tab: ['title'],
  prompt: ['description'],
  swagger: ['summary', 'path'],
  'swagger-parameter': ['name'],
  'swagger-response': ['status', 'description'],
};

/**
 * Returns the visible text in the tag of a tab or a card: the title and the description. A text that only names a
 * target is left out.
 */
function getTitles(meta: Token['meta']): string {
  const { name, type, data } = (meta ?? {}) as { name?: string; type?: string; data?: TreeData };
  const isPart = type === 'tabs-item' || type === 'card';
  const visibleAttributes = isPart
    ? ['title', 'description']
    : Object.hasOwn(VISIBLE_ATTRIBUTES, name ?? '')
      ? VISIBLE_ATTRIBUTES[name ?? '']
      : undefined;
  if (data === undefined || visibleAttributes === undefined) return '';
  const address = getTextAt(data.ref, 'url') ?? '';
  const texts = visibleAttributes.map((key) => getTextAt(data, key) ?? '');
  return texts.filter((text) => text !== '' && !namesTarget(address, text)).join(' ');
}

/** A part of a document that is parsed for links on its own: no inline markup extends beyond it. */
export interface TextPiece {
  kind: 'text' | 'html' | 'loose' | 'unread';
  start: number;
  end: number;
}

/**
 * Number of characters of a document that are parsed for blocks. The rest is only scanned for fences, which bounds the
 * cost of hostile input.
 */
const maxReadLength = 256 * 1024;
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?![^`\n]*`)|~{3,})/;

/**
 * Returns the parts of a document without its code, and the labels defined in the parsed part. `loose` marks a line
 * outside of paragraphs, headings and HTML blocks, such as a definition or a table row. `unread` marks a line after the
 * parsed part.
 */
export function* getPiecesInSteps(
  markdown: string,
  bodyOffset: number,
): TreeSteps<{ pieces: TextPiece[]; labels: Labels }> {
  const starts = findLineStarts(markdown, bodyOffset);
  yield;
  const readLines = starts.findLastIndex((start) => start - bodyOffset <= maxReadLength);
  const { blocks, labels } = yield* getBlocksInSteps(markdown.slice(bodyOffset, starts[readLines]));
  const pieces: TextPiece[] = [];
  let line = 0;
  for (const block of blocks) {
    const { kind, lines } = block;
    if (lines === undefined || lines[0] < line) continue;
    for (; line < lines[0]; line += 1) pieces.push({ kind: 'loose', ...getSpan(starts, line, line + 1) });
    line = Math.min(lines[1], readLines);
    if (kind !== 'code') pieces.push({ kind: isHtml(block) ? 'html' : 'text', ...getSpan(starts, lines[0], line) });
  }
  for (; line < readLines; line += 1) pieces.push({ kind: 'loose', ...getSpan(starts, line, line + 1) });
  const last = blocks.at(-1);
  const isOpen = last?.kind === 'code' && (last.lines?.[1] ?? 0) >= readLines;
  const fence = isOpen ? getFence(markdown, getSpan(starts, last.lines?.[0] ?? 0, readLines)) : undefined;
  const unread = yield* splitUnread(markdown, starts.slice(readLines), fence);
  return { pieces: [...pieces, ...unread], labels };
}

const isHtml = (block: SourceBlock): boolean =>
  block.kind === 'html' || (block.kind === 'heading' && block.isHtml === true);

const getSpan = (starts: number[], from: number, to: number): { start: number; end: number } => ({
  start: starts[from] ?? 0,
  end: starts[to] ?? starts.at(-1) ?? 0,
});

/** Offsets of the lines, and of the end of the text. */
function findLineStarts(markdown: string, bodyOffset: number): number[] {
  const starts = [bodyOffset];
  const ends = /\r\n?|\n/g;
  ends.lastIndex = bodyOffset;
  for (let match = ends.exec(markdown); match; match = ends.exec(markdown)) starts.push(ends.lastIndex);
  if (starts.at(-1) !== markdown.length) starts.push(markdown.length);
  return starts;
}

const getFence = (markdown: string, { start, end }: { start: number; end: number }): string | undefined =>
  FENCE.exec(markdown.slice(start, Math.min(end, start + 300)))?.[1];

/** Returns the lines outside of fences. `fence` is the fence that is open at the start, if any. */
function* splitUnread(markdown: string, starts: number[], fence: string | undefined): TreeSteps<TextPiece[]> {
  const pieces: TextPiece[] = [];
  let open = fence;
  for (let line = 0; line + 1 < starts.length; line += 1) {
    yield lineMicroseconds;
    const piece = getSpan(starts, line, line + 1);
    const mark = getFence(markdown, piece);
    if (open !== undefined) {
      if (mark?.startsWith(open)) open = undefined;
    } else if (mark !== undefined) open = mark;
    else pieces.push({ kind: 'unread', ...piece });
  }
  return pieces;
}

const TARGET =
  /\( ?(?:(?:\{[{%][^{}\n]{0,600}[}%]\}){1,3}[^ ()]*|<[^<>]*>|[^ ()<]*(?:\([^ ()]*\)[^ ()]*)*)(?: (?:"[^"]*"|'[^']*'|\([^()]*\)))? ?\)/y;
const LABEL = /\[[^[\]]*\]/y;
const MAX_LABEL_LENGTH = 999;
const AUTOLINK = /<([a-zA-Z][a-zA-Z\d+.-]{1,31}:[^ <>]*|[^ <>@]{1,64}@[^ <>@]{1,255})>/y;
const TAG = /<(?:\/?[a-zA-Z][^<>]*|[!?][^<>]*)>/y;
const TEMPLATE = /\{%[^%]*%\}/y;

/** The end of a link, and its label if it is a reference link. */
export interface LinkTail {
  end: number;
  label?: string;
}

/** Returns the end of a link whose text ends before `position`; undefined if it is not a link. */
export function linkTail(
  source: string,
  position: number,
  { text, labels }: { text: string; labels: Labels },
): LinkTail | undefined {
  const target = match(TARGET, source, position);
  if (target) return { end: target.length };
  const label = match(LABEL, source, position);
  const name = label?.text.slice(1, -1) || text;
  if (labels.size === 0 || !isLabel(name)) return undefined;
  const normalized = normalizeReference(name);
  return labels.has(normalized) ? { end: label?.length ?? position, label: normalized } : undefined;
}

function isLabel(name: string): boolean {
  return name.length <= MAX_LABEL_LENGTH && !name.includes('[');
}

/** Returns the text of an HTML tag, autolink, entity or block tag, and where it ends. */
export function findMarkupTail(source: string, position: number): { text: string; end: number } | undefined {
  if (source[position] === '<') return findHtmlTail(source, position);
  const entity = match(ENTITY, source, position);
  if (entity) return { text: decodeEntities(entity.text), end: entity.length };
  const template = match(TEMPLATE, source, position);
  return template && { text: ' ', end: template.length };
}

function findHtmlTail(source: string, position: number): { text: string; end: number } | undefined {
  const autolink = match(AUTOLINK, source, position);
  if (autolink) return { text: autolink.text.slice(1, -1), end: autolink.length };
  const tag = match(TAG, source, position);
  return tag && { text: matchBlockTag(tag.text) === undefined ? '' : ' ', end: tag.length };
}

function match(pattern: RegExp, source: string, position: number): { text: string; length: number } | undefined {
  pattern.lastIndex = position;
  const text = pattern.exec(source)?.[0];
  return text === undefined ? undefined : { text, length: position + text.length };
}
