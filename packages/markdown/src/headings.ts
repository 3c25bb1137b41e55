import { decodeEntities, findCodeRuns, findCodeSpan } from './inline-syntax.ts';

/** A heading's text, the markup around it that only defines ids, and these ids, by precedence. */
interface HeadingParts {
  prefix: string;
  text: string;
  suffix: string;
  ids: string[];
}

/**
 * Limits that bound the cost of hostile input. Text after `MAX_SEARCHED_LENGTH` characters is not searched for ids, an
 * attribute list has at most `MAX_LIST_LENGTH` characters, and longer ids are ignored.
 */
const MAX_SEARCHED_LENGTH = 16 * 1024;
const MAX_LIST_LENGTH = 400;
const MAX_ID_LENGTH = 256;
/** Attribute lists of kramdown, MkDocs, VitePress and Docusaurus: `{#id}`, `{: #id .class }`. */
const ATTRIBUTES = /^\{:?[ \t]*((?:#[^\s{}]+|\.[\w-][^\s{}]*|[\w:-]+=(?:"[^"{}]*"|[^\s"{}]+))(?:[ \t]+|(?=\})))+\}$/;
const COMMENT = /^\{\/\*[ \t]*#([^\s{}*]+)[ \t]*\*\/\}$/;
const ID = /[\s{:]#([^\s{}]+)/;
const EMPTY_ANCHOR = /^<(a|span)(\s[^<>]*)(?:\/>|>[ \t]*<\/\1>)$/i;
const LEADING_ANCHOR = /^[ \t]*<(a|span)\s[^<>]*(?:\/>|>[ \t]*<\/\1>)/i;

/** Parses the inline source of a heading. */
export function splitHeading(source: string): HeadingParts {
  if (source.includes('{%')) return { prefix: '', text: source, suffix: '', ids: findIds(source) };
  const text = source.trimEnd();
  let end = text.length;
  let listedId: string | undefined;
  for (let start = findTrailingMarkup(text, end); start !== undefined; start = findTrailingMarkup(text, end)) {
    listedId ??= parseIdList(text.slice(start, end));
    end = text.slice(0, start).trimEnd().length;
  }
  let begin = 0;
  for (let length = measureLeadingAnchor(text, begin, end); length > 0; length = measureLeadingAnchor(text, begin, end))
    begin += length;
  const ownText = text.slice(begin, end);
  const ids = [...(listedId === undefined ? [] : [listedId]), ...findIds(text)];
  if (ids.length === 0 && end === text.length) return { prefix: '', text: source, suffix: '', ids: [] };
  const trimmed = ownText.trimStart();
  return {
    prefix: text.slice(0, begin) + ownText.slice(0, ownText.length - trimmed.length),
    text: trimmed,
    suffix: source.slice(end),
    ids: [...new Set(ids)],
  };
}

/** Returns the start of the trailing markup that only defines ids. */
function findTrailingMarkup(text: string, end: number): number | undefined {
  const last = text.charAt(end - 1);
  if (last !== '}' && last !== '>') return undefined;
  const start = last === '}' ? text.lastIndexOf('{', end - 1) : findAnchorStart(text, end);
  if (start < 0 || end - start > MAX_LIST_LENGTH) return undefined;
  const piece = text.slice(start, end);
  if (last === '>') return EMPTY_ANCHOR.test(piece) && readTagIds(piece).length > 0 ? start : undefined;
  const isAfterSpace = start > 0 && /[\s>]/.test(text.charAt(start - 1));
  return isAfterSpace && (COMMENT.test(piece) || isAttributeList(piece)) ? start : undefined;
}

function findAnchorStart(text: string, end: number): number {
  const near = text.slice(Math.max(0, end - MAX_LIST_LENGTH), end);
  const last = near.lastIndexOf('<');
  const start = near.startsWith('</', last) ? near.lastIndexOf('<', last - 1) : last;
  return start < 0 ? -1 : end - near.length + start;
}

function measureLeadingAnchor(text: string, begin: number, end: number): number {
  const anchorTag = LEADING_ANCHOR.exec(text.slice(begin, Math.min(end, begin + MAX_LIST_LENGTH)))?.[0];
  return anchorTag === undefined || readTagIds(anchorTag.trimStart()).length === 0 ? 0 : anchorTag.length;
}

/** Whether a text is an attribute list in braces. */
export const isAttributeList = (text: string): boolean =>
  text.length <= MAX_LIST_LENGTH && /[#.]/.test(text) && ATTRIBUTES.test(text);

/** Returns the id of an attribute list. */
const parseIdList = (text: string): string | undefined =>
  COMMENT.exec(text)?.[1] ?? (isAttributeList(text) ? ID.exec(text)?.[1] : undefined);

const TAG_ID = /\s(id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+))/gi;

function readTagIds(tag: string): string[] {
  const isAnchor = /^<a\s/i.test(tag);
  const ids: string[] = [];
  for (const [, key = '', double, single, unquoted] of tag.slice(0, MAX_LIST_LENGTH * 4).matchAll(TAG_ID)) {
    const id = decodeEntities(double ?? single ?? unquoted ?? '').trim();
    const counts = key.toLowerCase() === 'id' || isAnchor;
    if (counts && id !== '' && id.length <= MAX_ID_LENGTH && !/\s/.test(id)) ids.push(id);
  }
  return ids;
}

const TAG = /<[a-zA-Z][^<>]*>/y;

/** Matches the alternative text of an image, and the target and title of a link. Tags in these parts are plain text. */
const LINK_PART =
  /!\[[^[\]`]{0,999}(?=\]\()|\]\([ \n]{0,9}(?:<[^<>\n]{0,999}>|[^\s()<>]{0,999})(?:\s{1,9}(?:"[^"]{0,999}"|'[^']{0,999}'))?[ \n]{0,9}\)/y;

/**
 * Returns the ids of the HTML tags and of the attribute lists in a text. Code, comments and the targets, titles and
 * alternative texts of links and images are ignored.
 */
export function findIds(source: string, isHtml = false): string[] {
  const listId = source.startsWith('{:') ? parseIdList(source.trim()) : undefined;
  if (listId !== undefined) return [listId];
  if (!/\s(?:id|name)\s*=|\{:[^{}]*#/i.test(source)) return [];
  const text = source.slice(0, MAX_SEARCHED_LENGTH);
  const runs = isHtml ? new Map() : findCodeRuns(text);
  const ids: string[] = [];
  const signs = isHtml ? /</g : /[`<\\]|!\[|\]\(|\{:/g;
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    if (match[0] === '\\') signs.lastIndex += 1;
    else if (match[0] === '{:') ids.push(...readIdList(text, match.index));
    else if (match[0].length > 1) signs.lastIndex = findLinkPartEnd(text, match.index) ?? signs.lastIndex;
    else if (match[0] === '<') signs.lastIndex = readTag(text, match.index, ids);
    else {
      const { length, close } = findCodeSpan(runs, text, match.index);
      signs.lastIndex = (close ?? match.index) + length;
    }
  }
  return ids;
}

const ATTRIBUTE_LIST = /\{:[^{}\n]{0,400}\}/y;

function readIdList(text: string, position: number): string[] {
  ATTRIBUTE_LIST.lastIndex = position;
  const id = parseIdList(ATTRIBUTE_LIST.exec(text)?.[0] ?? '');
  return id === undefined ? [] : [id];
}

function findLinkPartEnd(text: string, position: number): number | undefined {
  LINK_PART.lastIndex = position;
  return LINK_PART.test(text) ? LINK_PART.lastIndex : undefined;
}

/** Returns the ids of the tags that open a component or `<details>`. */
export function findTagIds({ meta }: { meta?: unknown }): string[] {
  const { markup, tags } = (meta ?? {}) as { markup?: { open: string }; tags?: string };
  return findIds(tags ?? markup?.open ?? '', true);
}

function readTag(text: string, position: number, ids: string[]): number {
  if (text.startsWith('<!--', position)) {
    const end = text.indexOf('-->', position + 4);
    return end < 0 ? text.length : end + 3;
  }
  TAG.lastIndex = position;
  const tag = TAG.exec(text)?.[0];
  if (tag !== undefined) ids.push(...readTagIds(tag));
  return position + (tag?.length ?? 1);
}

/** Alignment of text, if it is not the default. */
type Alignment = 'center' | 'end' | undefined;

/** Returns the text alignment of an element; undefined if it is the default. */
export function readAlignment(attributes: string): Alignment {
  const [, named, styled] =
    /\s(?:align\s*=\s*["']?(\w{1,10})|style\s*=\s*["'][^"'<>]*?text-align:\s*(\w{1,10}))/i.exec(attributes) ?? [];
  const align = (named ?? styled)?.toLowerCase();
  if (align === 'center') return align;
  return align === 'right' || align === 'end' ? 'end' : undefined;
}

interface HtmlHeading {
  level: number;
  align: Alignment;
  ids: string[];
  inner: string;
}

const HTML_HEADING = /^\s{0,3}<h([1-6])(\s[^<>]*)?>([\s\S]*?)<\/h\1>\s*$/i;

export function parseHtmlHeading(html: string): HtmlHeading | undefined {
  if (!/^\s{0,3}<h[1-6]/i.test(html)) return undefined;
  const [, level = '', attributes = '', inner = ''] = HTML_HEADING.exec(html) ?? [];
  if (level === '' || /<h[1-6][\s>]/i.test(inner)) return undefined;
  return {
    level: Number(level),
    align: readAlignment(attributes),
    ids: [...readTagIds(`<h${attributes}>`), ...findIds(inner, true)],
    inner: inner.trim(),
  };
}

/** Whether a paragraph only defines ids. */
export function isAnchorsOnly(source: string): boolean {
  if (source.length > MAX_SEARCHED_LENGTH || !/^(?:<|\{:)/.test(source)) return false;
  if (/^\{:/.test(source)) return isAttributeList(source.trim());
  const { text, ids } = splitHeading(source.replaceAll('\n', ' '));
  return text.trim() === '' && ids.length > 0;
}
