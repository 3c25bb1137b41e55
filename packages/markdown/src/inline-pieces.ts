import type { Labels, SourceBlock } from './blocks.ts';
import { blocksOf } from './blocks.ts';
import { decodeEntities, ENTITY, normalizeReference } from './entities.ts';

/** A piece of a document in which links are read on their own: no mark reaches beyond it. */
export interface TextPiece {
  kind: 'text' | 'html' | 'loose' | 'unread';
  start: number;
  end: number;
}

/** How much of a document is read by the rules of blocks; of what follows only fences are known. Keeps hostile input short. */
const maxReadLength = 256 * 1024;
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?![^`\n]*`)|~{3,})/;

/**
 * The pieces of a document whose body begins at `bodyOffset`, without its code, and the labels that it defines in the
 * part that is read by the rules of blocks. `loose` is a line that is no part of a paragraph, heading or HTML block: a
 * definition, or a row of a table; `unread` one of the part after that.
 */
export function piecesOf(markdown: string, bodyOffset: number): { pieces: TextPiece[]; labels: Labels } {
  const starts = lineStarts(markdown, bodyOffset);
  const readLines = starts.findLastIndex((start) => start - bodyOffset <= maxReadLength);
  const { blocks, labels } = blocksOf(markdown.slice(bodyOffset, starts[readLines]));
  const pieces: TextPiece[] = [];
  let line = 0;
  for (const block of blocks) {
    const { kind, lines } = block;
    if (lines === undefined || lines[0] < line) continue;
    for (; line < lines[0]; line += 1) pieces.push({ kind: 'loose', ...span(starts, line, line + 1) });
    line = Math.min(lines[1], readLines);
    if (kind !== 'code') pieces.push({ kind: isHtml(block) ? 'html' : 'text', ...span(starts, lines[0], line) });
  }
  for (; line < readLines; line += 1) pieces.push({ kind: 'loose', ...span(starts, line, line + 1) });
  const last = blocks.at(-1);
  const isOpen = last?.kind === 'code' && (last.lines?.[1] ?? 0) >= readLines;
  const fence = isOpen ? fenceOf(markdown, span(starts, last.lines?.[0] ?? 0, readLines)) : undefined;
  return { pieces: [...pieces, ...unreadPieces(markdown, starts.slice(readLines), fence)], labels };
}

const isHtml = (block: SourceBlock): boolean =>
  block.kind === 'html' || (block.kind === 'heading' && block.isHtml === true);

const span = (starts: number[], from: number, to: number): { start: number; end: number } => ({
  start: starts[from] ?? 0,
  end: starts[to] ?? starts.at(-1) ?? 0,
});

/** Where the lines begin, and the end of the text. */
function lineStarts(markdown: string, bodyOffset: number): number[] {
  const starts = [bodyOffset];
  const ends = /\r\n?|\n/g;
  ends.lastIndex = bodyOffset;
  for (let match = ends.exec(markdown); match; match = ends.exec(markdown)) starts.push(ends.lastIndex);
  if (starts.at(-1) !== markdown.length) starts.push(markdown.length);
  return starts;
}

const fenceOf = (markdown: string, { start, end }: { start: number; end: number }): string | undefined =>
  FENCE.exec(markdown.slice(start, Math.min(end, start + 300)))?.[1];

/** The lines outside of fences, each on its own; `fence` is the one that is open at the start. */
function unreadPieces(markdown: string, starts: number[], fence: string | undefined): TextPiece[] {
  const pieces: TextPiece[] = [];
  let open = fence;
  for (let line = 0; line + 1 < starts.length; line += 1) {
    const place = span(starts, line, line + 1);
    const mark = fenceOf(markdown, place);
    if (open !== undefined) {
      if (mark?.startsWith(open)) open = undefined;
    } else if (mark !== undefined) open = mark;
    else pieces.push({ kind: 'unread', ...place });
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

/** Where a link ends, and its label where it names a definition. */
export interface LinkTail {
  end: number;
  label?: string;
}

/** Where a link ends whose bracketed text is the given one and ends before `position`; undefined when it is no link. */
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

/** The text that an HTML tag, autolink, entity or block tag stands for, and where it ends. */
export function markupTail(source: string, position: number): { text: string; end: number } | undefined {
  if (source[position] === '<') return htmlTail(source, position);
  const entity = match(ENTITY, source, position);
  if (entity) return { text: decodeEntities(entity.text), end: entity.length };
  const template = match(TEMPLATE, source, position);
  return template && { text: ' ', end: template.length };
}

function htmlTail(source: string, position: number): { text: string; end: number } | undefined {
  const autolink = match(AUTOLINK, source, position);
  if (autolink) return { text: autolink.text.slice(1, -1), end: autolink.length };
  const tag = match(TAG, source, position);
  return tag && { text: /^<br\b/i.test(tag.text) ? ' ' : '', end: tag.length };
}

function match(pattern: RegExp, source: string, position: number): { text: string; length: number } | undefined {
  pattern.lastIndex = position;
  const text = pattern.exec(source)?.[0];
  return text === undefined ? undefined : { text, length: position + text.length };
}
