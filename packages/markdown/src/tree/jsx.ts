import { decodeEntities } from '../inline-syntax.ts';

/** A decoded attribute, with the offsets of its value if it is an address or a string. */
interface JsxAttribute {
  name: string;
  value: string;
  start: number;
  end: number;
  /** Whether the value was written in braces as JavaScript. Entities are then not decoded. */
  isExpression: boolean;
}

/** A JSX tag, whose attributes may be scripts in braces. */
export interface JsxTag {
  name: string;
  closes: boolean;
  isEmpty: boolean;
  end: number;
  attributes: JsxAttribute[];
}

/** A longer tag is ignored. Bounds the cost of hostile input. */
export const MAX_JSX_LENGTH = 4096;
const NAME = /<(\/?)([a-zA-Z][\w.-]*)/y;
const ATTRIBUTE = /\s+(?:([a-zA-Z_@:#][\w:.@-]*)(\s*=\s*(?:("[^"]*"|'[^']*')|(?=\{)|[^\s"'=<>`{}]+))?|(?=\{))/y;
const END = /\s*(\/?)>/y;
/** Matches strings and calls such as `'./a.png'`, `require('./a.png').default` and `useBaseUrl('/a.png')`. */
const TEXT = /^\{\s*(?:(?:require|useBaseUrl|withBase)\(\s*)?(["'`])([^"'`\\{}]*)\1\s*(?:\)(?:\.default)?)?\s*\}$/;

/** Parses the tag at a position; undefined if there is none or it is not closed. */
export function readJsxTag(source: string, position: number): JsxTag | undefined {
  const text = source.slice(position, position + MAX_JSX_LENGTH);
  NAME.lastIndex = 0;
  const [opening = '', slash, name = ''] = NAME.exec(text) ?? [];
  if (opening === '') return undefined;
  const attributes: JsxAttribute[] = [];
  let end = opening.length;
  for (;;) {
    ATTRIBUTE.lastIndex = end;
    const match = ATTRIBUTE.exec(text);
    if (match === null) break;
    const [attribute, key = '', assigned, quoted] = match;
    end += attribute.length;
    const isExpression = text.charAt(end) === '{' && (key === '' || assigned !== undefined);
    const close = isExpression ? skipBraces(text, end) : end;
    if (close === undefined) return undefined;
    if (isExpression) attributes.push(...getScript(key, text.slice(end, close), position + end));
    else attributes.push(getAttribute(key, { assigned, quoted, end: position + end }));
    end = close;
  }
  END.lastIndex = end;
  const closing = END.exec(text);
  if (closing === null) return undefined;
  const isEmpty = closing[1] === '/';
  return { name, closes: slash === '/', isEmpty, end: position + end + closing[0].length, attributes };
}

function getAttribute(
  name: string,
  { assigned, quoted, end }: { assigned: string | undefined; quoted: string | undefined; end: number },
): JsxAttribute {
  if (assigned === undefined) return { name, value: '', start: end, end, isExpression: false };
  const value = quoted?.slice(1, -1) ?? assigned.replace(/^\s*=\s*/, '');
  const stop = quoted === undefined ? end : end - 1;
  return { name, value: decodeEntities(value), start: stop - value.length, end: stop, isExpression: false };
}

/**
 * Returns an attribute whose value is a script. If the script is a string, or a call such as `require('./a.png')`, the
 * value is the string; otherwise it is the source.
 */
function getScript(name: string, script: string, start: number): JsxAttribute[] {
  const [, quote = '', value] = TEXT.exec(script) ?? [];
  if (name === '') return [];
  if (value === undefined) return [{ name, value: script, start, end: start, isExpression: true }];
  const from = start + script.indexOf(quote) + 1;
  return [{ name, value, start: from, end: from + value.length, isExpression: true }];
}

/** Returns the end of the braces that begin at a position, ignoring those in strings. */
function skipBraces(text: string, position: number): number | undefined {
  let depth = 0;
  let quote = '';
  for (let offset = position; offset < text.length; offset += 1) {
    const sign = text.charAt(offset);
    if (quote !== '') {
      if (sign === '\\') offset += 1;
      else if (sign === quote) quote = '';
    } else if (sign === '"' || sign === "'" || sign === '`') quote = sign;
    else if (sign === '{') depth += 1;
    else if (sign === '}') {
      depth -= 1;
      if (depth === 0) return offset + 1;
    }
  }
  return undefined;
}

/** Returns the first string value of these attributes. */
export const findAttribute = ({ attributes }: JsxTag, ...names: string[]): string | undefined =>
  names
    .map((name) => attributes.find((each) => each.name.toLowerCase() === name))
    .find((each) => each !== undefined && (!each.isExpression || each.end > each.start))?.value;

const ADDRESSES = ['href', 'to', 'link', 'src', 'url'];

/** Returns the attribute with a component's target. */
export const getAddressAttribute = ({ attributes }: JsxTag): JsxAttribute | undefined =>
  ADDRESSES.map((name) => attributes.find((each) => each.name === name)).find(
    (each) => each !== undefined && each.end > each.start,
  );

/** A component on one line, with the range of its content. */
export interface JsxElement {
  tag: JsxTag;
  start: number;
  from: number;
  to: number;
  end: number;
}

/** Excludes names that consist of capitals only, because these are HTML elements. */
const COMPONENT = /^<[A-Z][\w.-]*[a-z]/;

/** Returns the components that a line consists of; undefined for any other line. */
export function readElements(source: string): JsxElement[] | undefined {
  if (source.length > MAX_JSX_LENGTH) return undefined;
  const elements: JsxElement[] = [];
  for (let index = skipBlanks(source, 0); index < source.length; index = skipBlanks(source, index)) {
    const element = COMPONENT.test(source.slice(index, index + 100)) ? readElement(source, index) : undefined;
    if (element === undefined) return undefined;
    elements.push(element);
    index = element.end;
  }
  return elements.length === 0 ? undefined : elements;
}

const skipBlanks = (source: string, position: number): number => {
  let offset = position;
  while (' \t'.includes(source.charAt(offset)) && offset < source.length) offset += 1;
  return offset;
};

function readElement(source: string, start: number): JsxElement | undefined {
  const tag = readJsxTag(source, start);
  if (tag === undefined || tag.closes) return undefined;
  if (tag.isEmpty) return { tag, start, from: tag.end, to: tag.end, end: tag.end };
  let depth = 1;
  for (let to = source.indexOf('<', tag.end); to >= 0; to = source.indexOf('<', to + 1)) {
    const inner = readJsxTag(source, to);
    if (inner?.name !== tag.name || inner.isEmpty) continue;
    depth += inner.closes ? -1 : 1;
    if (depth === 0) return { tag, start, from: tag.end, to, end: inner.end };
  }
  return undefined;
}
