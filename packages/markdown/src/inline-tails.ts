import MarkdownIt from 'markdown-it';

const { normalizeReference, unescapeAll } = new MarkdownIt().utils;

/** The label of a definition, in the form in which labels are equal; and a text without its escapes and entities. */
export { normalizeReference, unescapeAll };

const TARGET = /\( ?(?:<[^<>]*>|[^ ()<]*(?:\([^ ()]*\)[^ ()]*)*)(?: (?:"[^"]*"|'[^']*'|\([^()]*\)))? ?\)/y;
const LABEL = /\[[^[\]]*\]/y;
const MAX_LABEL_LENGTH = 999;
const AUTOLINK = /<([a-zA-Z][a-zA-Z\d+.-]{1,31}:[^ <>]*|[^ <>@]{1,64}@[^ <>@]{1,255})>/y;
const TAG = /<(?:\/?[a-zA-Z][^<>]*|[!?][^<>]*)>/y;
const ENTITY = /&(?:#[xX][\da-fA-F]{1,6}|#\d{1,7}|[a-zA-Z][a-zA-Z\d]{1,31});/y;
const ENTITIES = new RegExp(ENTITY.source, 'g');
const TEMPLATE = /\{%[^%]*%\}/y;

/** Where a link ends whose bracketed text is the given one and ends before `position`; undefined when it is no link. */
export function linkTail(
  source: string,
  position: number,
  { text, labels }: { text: string; labels: ReadonlySet<string> },
): number | undefined {
  const target = match(TARGET, source, position);
  if (target) return target.length;
  const label = match(LABEL, source, position);
  const name = label?.text.slice(1, -1) || text;
  const isDefined = labels.size > 0 && isLabel(name) && labels.has(normalizeReference(name));
  return isDefined ? (label?.length ?? position) : undefined;
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

/** HTML entities as the characters they name. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITIES, (entity) => unescapeAll(entity));
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
