import { decodeEntities } from '../inline-syntax.ts';
import { getAddress } from '../links/destinations.ts';
import type { Block, Mark, TreeData } from './document-tree.ts';
import { getMarkup, getTextAt, isBlock } from './document-tree.ts';

const BRACED_ATTRIBUTE = /(?:[#.][\w-]{1,100}|[\w:-]{1,100}=(?:"[^"{}\n]{0,300}"|'[^'{}\n]{0,300}'|[^\s"'{}]{1,300}))/
  .source;
const MORE = `${BRACED_ATTRIBUTE}(?:[ \\t]{1,9}${BRACED_ATTRIBUTE}){0,20}[ \\t]{0,9}\\}`;

/** Matches an attribute list in braces of kramdown, MkDocs and VitePress; sticky. */
export const createListPattern = (): RegExp => new RegExp(`\\{:?[ \\t]{0,9}${MORE}`, 'y');

/**
 * Like `createListPattern`, for lists within a text. A list without a colon must follow a link, an image, code or a mark.
 */
export const createAttributeListPattern = (): RegExp =>
  new RegExp(`(?<=[)\\]\`*_>:])\\{[ \\t]{0,9}${MORE}|\\{:[ \\t]{0,9}${MORE}`, 'g');

type Context = { previous: Block | undefined; renderBlocks: (nodes: Block['nodes']) => string };

/** Formats a list. Adjacent lists use different markers, so that they are not parsed as one. */
export function renderList(list: Block, { previous, renderBlocks }: Context): string {
  const sign = getSign(list, previous);
  const isLoose =
    getMarkup(list.data, 'loose') === true || list.nodes.some((item) => isBlock(item) && hasBlankLines(item));
  const start = typeof list.data.start === 'number' ? list.data.start : 1;
  const items = list.nodes.filter(isBlock).map((item, index) => {
    const bullet = isOrdered(list) ? `${start + index}${sign}` : sign;
    const inner = isLoose ? renderBlocks(item.nodes) : renderTightItem(item, renderBlocks);
    const task = typeof item.data.checked === 'boolean' ? `[${item.data.checked ? 'x' : ' '}] ` : '';
    return indentItem(bullet, task + (inner.startsWith('***') ? inner.replace('***', '___') : inner));
  });
  return items.join(isLoose ? '\n\n' : '\n');
}

const isOrdered = (list: Block): boolean => list.type === 'list-ordered';
const isList = (node: Block): boolean => node.type.startsWith('list-') && node.type !== 'list-item';

/**
 * Whether an item has blank lines between its blocks. An item of a tight list is one block, or a text with a nested
 * list.
 */
function hasBlankLines({ nodes }: Block): boolean {
  const [first, second, ...others] = nodes.filter(isBlock);
  if (second === undefined) return false;
  return others.length > 0 || first?.type !== 'paragraph' || !isList(second);
}

const renderTightItem = (item: Block, renderBlocks: Context['renderBlocks']): string =>
  item.nodes
    .filter(isBlock)
    .map((node) => renderBlocks([node]))
    .join('\n');

const indentItem = (bullet: string, text: string): string => {
  const space = ' '.repeat(bullet.length + 1);
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? `${bullet} ${line}` : line === '' ? '' : `${space}${line}`).trimEnd())
    .join('\n');
};

function getSign(list: Block, previous: Block | undefined): string {
  const [key, usual, other] = isOrdered(list) ? ['delimiter', '.', ')'] : ['bullet', '*', '-'];
  const sign = getListSign(list, key ?? '') ?? usual ?? '';
  const touches = previous !== undefined && isList(previous) && isOrdered(previous) === isOrdered(list);
  if (!touches || sign !== (getListSign(previous, key ?? '') ?? usual)) return sign;
  return sign === usual ? (other ?? '') : (usual ?? '');
}

/** Returns a list with the marker of its source text, so that an adjacent list can use another marker. */
export function copyMarkerFromSource(node: Block, text: string): Block {
  if (!isList(node)) return node;
  const [key, pattern] = isOrdered(node)
    ? (['delimiter', /^\s*\d+([.)])/] as const)
    : (['bullet', /^\s*([-+*])/] as const);
  const sign = pattern.exec(text)?.[1];
  const markup = sign === undefined ? {} : { [key]: sign };
  return { ...node, data: { ...node.data, markup } };
}

function getListSign(list: Block, key: string): string | undefined {
  const sign = getMarkup(list.data, key);
  return typeof sign === 'string' && /^[-+*.)]$/.test(sign) ? sign : undefined;
}

/** A tag, or the text between tags. */
export type HtmlPiece = { name: string; closes: boolean; attributes: string } | string;

const MAX_HTML_LENGTH = 200_000;
const ATTRIBUTE = /\s+([a-zA-Z][\w:-]*)(?:="([^"<>]*)")?/y;
const PIECE = /<(\/?)([a-zA-Z][a-zA-Z\d]*)((?:\s+[a-zA-Z][\w:-]*(?:="[^"<>]*")?)*)\s*\/?>|[^<]+/y;

/** Parses a tag with plain attributes. */
export function getTag(html: string): Exclude<HtmlPiece, string> | undefined {
  const [piece, ...others] = splitHtml(html) ?? [];
  return typeof piece === 'object' && others.length === 0 ? piece : undefined;
}

/** Splits HTML into tags and texts; undefined if it contains comments or complex tags. */
export function splitHtml(html: string): HtmlPiece[] | undefined {
  if (html.length > MAX_HTML_LENGTH) return undefined;
  const pieces: HtmlPiece[] = [];
  PIECE.lastIndex = 0;
  for (let position = 0; position < html.length; position = PIECE.lastIndex) {
    const match = PIECE.exec(html);
    if (match === null) return undefined;
    const [piece, slash, name, attributes = ''] = match;
    pieces.push(name === undefined ? piece : { name: name.toLowerCase(), closes: slash === '/', attributes });
  }
  return pieces;
}

/** Returns the attributes of a tag; undefined for duplicates. */
export function getAttributes(source: string): Map<string, string> | undefined {
  const attributes = new Map<string, string>();
  ATTRIBUTE.lastIndex = 0;
  while (ATTRIBUTE.lastIndex < source.length) {
    const [, name = '', value = ''] = ATTRIBUTE.exec(source) ?? [];
    if (name === '') return undefined;
    if (attributes.has(name)) return undefined;
    const decoded = decodeEntities(value);
    attributes.set(name, /^(?:href|src|srcset)$/.test(name) ? getAddress(decoded) : decoded);
  }
  return attributes;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes the value of an attribute. */
export const escapeAttribute = (text: string): string =>
  text
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\r\n]/g, (end) => `&#${end.charCodeAt(0)};`);

const formatAttribute = (name: string, value: string | undefined): string[] => {
  if (value === undefined) return [];
  return [value === '' && name.startsWith('data-') ? name : `${name}="${escapeAttribute(value)}"`];
};

/** Formats the start of a tag with the attributes that have a value. */
export const openTag = (name: string, attributes: [string, string | undefined][]): string =>
  `<${[name, ...attributes.flatMap(([key, value]) => formatAttribute(key, value))].join(' ')}>`;

/** Marks are nested in this order, the outermost first. */
const ORDER = ['bold', 'italic', 'strikethrough', 'color', 'subscript', 'superscript', 'keyboard', 'code'];

export const mark = (type: string, data?: TreeData): Mark =>
  data === undefined ? { object: 'mark', type } : { object: 'mark', type, data };

/** Adds a mark, and replaces an existing mark of the same type. */
export function addMark(marks: Mark[], added: Mark): Mark[] {
  return [...marks.filter(({ type }) => type !== added.type), added].sort(
    (one, other) => ORDER.indexOf(one.type) - ORDER.indexOf(other.type),
  );
}

/** Returns the marks around an expression. */
export const getMarks = ({ marks }: TreeData): Mark[] =>
  Array.isArray(marks) ? (marks.filter((each) => getTextAt(each, 'type') !== undefined) as Mark[]) : [];

/** Returns the color of `<mark style="...">`. */
export function createColorMark(attributes: Map<string, string>): Mark | undefined {
  const style = attributes.get('style');
  if (style === undefined || attributes.size !== 1) return undefined;
  const data: TreeData = {};
  for (const part of style.split(';').filter((text) => text.trim() !== '')) {
    const [, name, value = ''] = /^\s*(color|background-color)\s*:\s*([#$\w-]+)\s*$/.exec(part) ?? [];
    if (name === undefined) return undefined;
    data[name === 'color' ? 'text' : 'background'] = value;
  }
  return Object.keys(data).length === 0 ? undefined : mark('color', data);
}

const toPlainLine = (value: string | undefined): string | undefined =>
  value && /^[#$\w-]+$/.test(value) ? value : undefined;

/** Returns the HTML tags of marks for which markdown has no syntax, or whose markdown would not be parsed. */
export function markTags({ type, data }: Mark): [string, string] {
  if (type === 'bold') return ['<strong>', '</strong>'];
  if (type === 'italic') return ['<em>', '</em>'];
  if (type === 'strikethrough') return ['<del>', '</del>'];
  if (type === 'keyboard') return ['<kbd>', '</kbd>'];
  if (type === 'subscript') return ['<sub>', '</sub>'];
  if (type === 'superscript') return ['<sup>', '</sup>'];
  if (type !== 'color') return ['', ''];
  const text = toPlainLine(getTextAt(data, 'text'));
  const background = toPlainLine(getTextAt(data, 'background'));
  if (text === undefined && background === undefined) return ['', ''];
  const style = `${text === undefined ? '' : `color:${text};`}${background === undefined ? '' : `background-color:${background};`}`;
  return [`<mark style="${style}">`, '</mark>'];
}

const PUNCTUATION = /[!-/:-@[-`{-~]/;
const SPECIAL = /[\\`*_[\]<&~$:{!@+=^]/g;
const ATTRIBUTES = createListPattern();
/** Matches the start of a user mention. */
const MENTION = /^@usr_[0-9A-Za-z]/;
/** Matches a character of a word. An underscore between two of them does not start or end emphasis. */
const WORD_CHARACTER = /[A-Za-z0-9]/;

/** Escapes text for markdown, except at the start of lines. */
export const escapeText = (text: string): string =>
  text.replace(SPECIAL, (sign, index: number) => (isPlain(text, index, sign) ? sign : `\\${sign}`));

const isAttributeListAt = (text: string, index: number): boolean => {
  ATTRIBUTES.lastIndex = index;
  return ATTRIBUTES.test(text) || /^\{:[ \t]{0,9}toc/i.test(text.slice(index, index + 20));
};

function isPlain(text: string, index: number, sign: string): boolean {
  const before = text.charAt(index - 1);
  const after = text.charAt(index + 1);
  if (sign === '\\') return after !== '' && after !== '\n' && !PUNCTUATION.test(after);
  if (sign === '_') return WORD_CHARACTER.test(before) && WORD_CHARACTER.test(after);
  if (sign === '<') return after !== '' && !/[A-Za-z/!?]/.test(after);
  if (sign === '&') return !/^&(?:#\w{1,8}|[A-Za-z][A-Za-z0-9]{1,31});/.test(text.slice(index, index + 40));
  if (sign === '~') return before !== '' && after !== '' && before !== sign && after !== sign;
  if (sign === '$') return before !== '' && before !== sign && /[\s\d]/.test(after);
  if (sign === ':') return !/^:[a-z0-9_+-]{1,50}:/.test(text.slice(index, index + 52));
  if (sign === '{')
    return /^\{(?![{%]|\+\+|--|==|~~|>>|$)/.test(text.slice(index, index + 3)) && !isAttributeListAt(text, index);
  if (sign === '^') return !/[\p{L}\p{N})]/u.test(before) || /^\^[\s^]/.test(text.slice(index, index + 2));
  if (sign === '+') return !/^\+\+[a-z\d]/.test(text.slice(index, index + 3)) || /[\w+=]/.test(before);
  if (sign === '=') return !/^==[^\s=]/.test(text.slice(index, index + 3)) || /[\w+=]/.test(before);
  if (sign === '!') return after !== '';
  if (sign === '@') return !MENTION.test(text.slice(index, index + 6));
  return false;
}

/** Returns the numeric entity of a character. */
export const toEntity = (character: string): string => `&#${character.codePointAt(0)};`;

/** Escapes text inside of an HTML block, in which markdown is not parsed. */
export const escapeHtmlText = (text: string): string => text.replace(/[\\`*_[\]<>&~$:{!@\n\r|]/g, toEntity);

const STARTS = /^(?:#{1,6}(?=\s|$)|>|[-+](?=\s|$)|:(?=[ \t])|=+$|[-:|][-:| \t]*$|~~~|\|)/;
const NUMBER = /^(\d{1,9})([.)])(?=\s|$)/;
const FOOTNOTE = /^(\[\^[^\s[\]^]{1,100}\]):/;

/**
 * Escapes the lines of a paragraph, so that no line begins another block and leading and trailing spaces are preserved.
 */
export const escapeLines = (content: string): string => toParagraphLines(content).map(escapeLine).join('\n');

function escapeLine(line: string): string {
  const started = line
    .replace(STARTS, (sign) => `\\${sign}`)
    .replace(NUMBER, '$1\\$2')
    .replace(FOOTNOTE, '$1\\:');
  return escapeEnds(started);
}

/** Empty lines would end the paragraph, so their line breaks are written as entities. */
function toParagraphLines(content: string): string[] {
  const lines = content.replace(/^\n+|\n+$|\n{2,}/g, (breaks) => toEntity('\n').repeat(breaks.length));
  return lines.split('\n');
}

const escapeEnds = (line: string): string => {
  const start = line.replace(/^\s/, toEntity);
  return /\s$/.test(start) ? `${start.slice(0, -1)}${toEntity(start.slice(-1))}` : start;
};

/** Formats text on one line, for example for a heading or a cell. */
export const escapeSingleLine = (content: string): string => escapeEnds(content.replace(/\n/g, toEntity));
