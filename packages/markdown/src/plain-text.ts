import type { Labels, LinkTail, SourceBlock } from './blocks.ts';
import { findMarkupTail, linkTail } from './blocks.ts';
import type { CodeRuns } from './inline-syntax.ts';
import { countRepetitions, decodeEntities, findCodeRuns, findCodeSpan } from './inline-syntax.ts';
import { hasRestrictedLink, namesTarget, readLinkTail, removeNamesInHtml } from './links/target-names.ts';
import { removeAttributeLists } from './tree/attributes.ts';
import { namesVariable, stripTags } from './tree/conditions.ts';
import { findAttribute, readJsxTag } from './tree/jsx.ts';

type Mark = { character: string; count: number; piece: number };
type Scan = {
  source: string;
  pieces: string[];
  links: { piece: number; start: number }[];
  labels: Labels;
  /** Ranges of links that are omitted. */
  omitted: { from: number; to: number }[];
  isOwnOnly: boolean;
  openers: Map<string, Mark[]>;
  codeEnds: CodeRuns;
  lastCommentEnd: number;
};

const PLAIN = /[^\\`<[\]!*_~&{]+/y;
const SPECIAL = /[\\`<[\]!*_~&{]/;
const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;

/**
 * Returns the readable text of inline markdown: without markup, HTML tags and link targets, but with code, and with
 * whitespace collapsed. Takes linear time. Emphasis follows CommonMark except for its rule of three. `labels` are the
 * definitions of the document. `isOwnOnly` omits links whose text is only the name of their target.
 */
export function toPlainText(inline: string, labels: Labels = new Map(), { isOwnOnly = false } = {}): string {
  const source = inline.replaceAll('\\\n', ' ').replace(/\s+/g, ' ');
  if (!SPECIAL.test(source)) return source.trim();
  const lastCommentEnd = source.lastIndexOf('-->');
  const scan: Scan = {
    source,
    pieces: [],
    links: [],
    labels,
    omitted: [],
    isOwnOnly,
    openers: new Map(),
    codeEnds: findCodeRuns(source),
    lastCommentEnd,
  };
  for (let position = 0; position < source.length; ) position = scanNext(scan, position);
  return collapse(getVisiblePieces(scan).join(''));
}

/** Returns the parts of the text that are not in an omitted link. Links can be nested. */
function getVisiblePieces({ pieces, omitted }: Scan): string[] {
  const steps = new Map<number, number>();
  for (const { from, to } of omitted) {
    steps.set(from, (steps.get(from) ?? 0) + 1);
    steps.set(to, (steps.get(to) ?? 0) - 1);
  }
  let depth = 0;
  return pieces.filter((_, index) => {
    depth += steps.get(index) ?? 0;
    return depth === 0;
  });
}

function scanNext(scan: Scan, position: number): number {
  PLAIN.lastIndex = position;
  const plain = PLAIN.exec(scan.source)?.[0];
  if (plain) return appendText(scan, plain, position + plain.length);
  const character = scan.source.charAt(position);
  if (character === '`') return readCode(scan, position);
  if (character === '*' || character === '_' || character === '~') return readMark(scan, position);
  if (character === '[' || scan.source.startsWith('![', position)) return openLink(scan, position);
  if (character === ']') return closeLink(scan, position);
  if (character === '\\') return readEscape(scan, position);
  if (position + 4 <= scan.lastCommentEnd && scan.source.startsWith('<!--', position)) {
    return scan.source.indexOf('-->', position + 4) + 3;
  }
  const tail = findMarkupTail(scan.source, position);
  if (tail === undefined) return appendText(scan, character, position + 1);
  const isLeftOut = scan.isOwnOnly && character === '<' && tail.text !== ' ' && namesTarget(tail.text, tail.text);
  return appendText(scan, isLeftOut ? '' : tail.text, tail.end);
}

function appendText(scan: Scan, text: string, end: number): number {
  scan.pieces.push(text);
  return end;
}

function readEscape(scan: Scan, position: number): number {
  const next = scan.source.charAt(position + 1);
  return ASCII_PUNCTUATION.test(next) ? appendText(scan, next, position + 2) : appendText(scan, '\\', position + 1);
}

function readCode(scan: Scan, position: number): number {
  const { length, close } = findCodeSpan(scan.codeEnds, scan.source, position);
  if (close === undefined) return appendText(scan, '`'.repeat(length), position + length);
  return appendText(scan, scan.source.slice(position + length, close), close + length);
}

function openLink(scan: Scan, position: number): number {
  const opening = scan.source[position] === '!' ? '![' : '[';
  scan.links.push({ piece: scan.pieces.length, start: position + opening.length });
  return appendText(scan, opening, position + opening.length);
}

function closeLink(scan: Scan, position: number): number {
  const opening = scan.links.pop();
  const text = scan.source.slice(opening?.start, position);
  const tail = opening && linkTail(scan.source, position + 1, { text, labels: scan.labels });
  if (!opening || tail === undefined) return appendText(scan, ']', position + 1);
  scan.pieces[opening.piece] = '';
  if (scan.isOwnOnly && isName(scan, text, { from: position + 1, ...tail }))
    scan.omitted.push({ from: opening.piece, to: scan.pieces.length });
  return tail.end;
}

/** Whether the text of a link only names its target. */
function isName({ source, labels }: Scan, words: string, { from, end, label }: LinkTail & { from: number }): boolean {
  if (label !== undefined) return namesTarget(labels.get(label) ?? '', words);
  const { address, isMention } = readLinkTail(source.slice(from, end));
  return isMention || namesTarget(address, words);
}

function readMark(scan: Scan, position: number): number {
  const character = scan.source.charAt(position);
  const count = countRepetitions(scan.source, position);
  const end = position + count;
  const { opens, closes } = findFlankingSides(scan.source, position, end);
  const mark = { character, count, piece: scan.pieces.length };
  const openers = scan.openers.get(character) ?? [];
  scan.openers.set(character, openers);
  scan.pieces.push('');
  if (closes) closeMarks(scan, mark, openers);
  if (opens && mark.count > 0) openers.push(mark);
  writeMark(scan, mark);
  return end;
}

function closeMarks(scan: Scan, mark: Mark, openers: Mark[]): void {
  const minLength = mark.character === '~' ? 2 : 1;
  for (let opener = openers.at(-1); opener && mark.count >= minLength; opener = openers.at(-1)) {
    const used = Math.min(opener.count, mark.count);
    if (used < minLength) return;
    opener.count -= used;
    mark.count -= used;
    writeMark(scan, opener);
    if (opener.count === 0) openers.pop();
  }
}

function writeMark(scan: Scan, mark: Mark): void {
  scan.pieces[mark.piece] = mark.character.repeat(mark.count);
}

const CJK = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\u3000-\u303f\uff00-\uffef]/u;

/**
 * CommonMark 0.31, "left-flanking delimiter run" and its mirror; an underscore inside a word is neither. Asterisks
 * beside Chinese, Japanese and Korean characters open and close despite punctuation, because these scripts have no
 * spaces.
 */
function findFlankingSides(source: string, start: number, end: number): { opens: boolean; closes: boolean } {
  const before = getClass(source.charAt(start - 1));
  const after = getClass(source.charAt(end));
  const isFree = source[start] !== '_' && CJK.test(`${source.charAt(start - 1)}${source.charAt(end)}`);
  const left = after !== 'space' && (isFree || after === 'word' || before !== 'word');
  const right = before !== 'space' && (isFree || before === 'word' || after !== 'word');
  if (source[start] !== '_') return { opens: left, closes: right };
  return { opens: left && (!right || before !== 'word'), closes: right && (!left || after !== 'word') };
}

function getClass(character: string): 'space' | 'word' | 'punctuation' {
  if (character === '' || character === ' ') return 'space';
  return /[\p{P}\p{S}]/u.test(character) && !WORD.test(character) ? 'punctuation' : 'word';
}

/** Returns the readable text of an HTML block: without tags and comments, whitespace collapsed. */
export function htmlToPlainText(html: string): string {
  const closed = html.lastIndexOf('-->') + 3;
  const open = closed < 3 ? 0 : closed;
  const visible = html.slice(0, open).replace(/<!--[\s\S]*?-->/g, ' ') + html.slice(open);
  return collapse(decodeEntities(visible.replace(/<[/!?]?[a-zA-Z][^<>]*>/g, ' ')));
}

/** Collapses and trims whitespace. */
function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * Returns the end of the first part of a text, which has at most `limit` characters. The part ends before the last
 * possible white space. Without white space, it ends at the limit, or before a surrogate pair that the limit would cut.
 */
export function findPieceEnd(text: string, limit: number): number {
  if (text.length <= limit) return text.length;
  for (let end = limit; end > 0; end -= 1) if (/\s/.test(text.charAt(end))) return end;
  return isInsideCharacter(text, limit) ? limit - 1 : limit;
}

/** Characters beyond U+FFFF are two units of a string. */
const isInsideCharacter = (text: string, position: number): boolean => (text.codePointAt(position - 1) ?? 0) > 0xffff;

/** Readers see the value of an expression, not its source. Code is kept. */
const EXPRESSION = /(`+)[^`]+\1|\{\{([^{}]*)\}\}|<code class="expression">[^<]*<\/code>/g;

/** Returns the text of a block that all of its readers may see, without the names of targets. */
export function getBlockText(
  block: Pick<SourceBlock, 'kind' | 'source'> & { isHtml?: boolean },
  labels: Labels,
): string {
  const { kind, source } = block;
  if (kind === 'code') return collapse(source);
  const visibleText = source.replace(EXPRESSION, (match, code, braced) => {
    const stays = code !== undefined || (braced !== undefined && !namesVariable(braced));
    return stays ? match : '';
  });
  if (kind === 'html' || block.isHtml)
    return hasRestrictedLink(visibleText) ? '' : htmlToPlainText(stripTags(removeNamesInHtml(visibleText)));
  return toPlainText(
    mapOutsideCode(visibleText, (part) => replaceBadges(removeNamesInHtml(removeAttributeLists(part)))),
    labels,
    { isOwnOnly: true },
  );
}

const BADGE = /<Badge\s[^<>]{0,500}>/g;

/** Replaces a badge with its text. */
const replaceBadges = (part: string): string =>
  part.replace(BADGE, (tag) => findAttribute(readJsxTag(tag, 0) ?? noTag, 'text', 'label') ?? '');

const noTag = { name: '', closes: false, isEmpty: false, end: 0, attributes: [] };

const CODE = /(`+)[^`]+\1/g;

/** Replaces the parts of a text outside of code. */
function mapOutsideCode(source: string, to: (part: string) => string): string {
  let [visibleText, from] = ['', 0];
  for (const { 0: code, index } of source.matchAll(CODE)) {
    visibleText += to(source.slice(from, index)) + code;
    from = index + code.length;
  }
  return visibleText + to(source.slice(from));
}
