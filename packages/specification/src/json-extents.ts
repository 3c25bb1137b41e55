/** The position of a value in the bytes of JSON. `end` is exclusive. */
export interface JsonExtent {
  start: number;
  end: number;
}

const code = (character: string): number => character.charCodeAt(0);

const [quote, backslash, colon, comma, space] = ['"', '\\', ':', ',', ' '].map(code) as [
  number,
  number,
  number,
  number,
  number,
];
const [openObject, closeObject, openList, closeList] = ['{', '}', '[', ']'].map(code) as [
  number,
  number,
  number,
  number,
];
const decoder = new TextDecoder();

export const isObjectAt = (bytes: Uint8Array, at: number): boolean => bytes[at] === openObject;

/** Returns the position of the next byte that is not white space. */
function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while ((bytes[at] ?? quote) <= space) at += 1;
  return at;
}

function endOfText(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at + 1;
}

/** Returns the end of a valid JSON value, scanning only brackets and strings. */
export function endOfValue(bytes: Uint8Array, from: number): number {
  let depth = 0;
  let at = from;
  for (; at < bytes.length; at += 1) {
    const unit = bytes[at] ?? 0;
    if (unit === quote) {
      at = endOfText(bytes, at) - 1;
      if (depth === 0) return at + 1;
    } else if (unit === openObject || unit === openList) depth += 1;
    else if (unit === closeObject || unit === closeList) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (unit === comma || unit <= space)) return at;
  }
  return at;
}

export const valueIn = (bytes: Uint8Array, { start, end }: JsonExtent): unknown =>
  JSON.parse(decoder.decode(bytes.subarray(start, end)));

/**
 * Calls `visit` for each member of an object, and continues at the position it returns. Returns the end of the object.
 */
export function eachMember(bytes: Uint8Array, object: number, visit: (key: string, value: number) => number): number {
  let at = skipSpace(bytes, object + 1);
  while (at < bytes.length && bytes[at] === quote) {
    const end = endOfText(bytes, at);
    const key = String(valueIn(bytes, { start: at, end }));
    at = skipSpace(bytes, end);
    if (bytes[at] === colon) at += 1;
    at = skipSpace(bytes, visit(key, skipSpace(bytes, at)));
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1);
  }
  return at + 1;
}

/** Returns the end of a list, starting from the end of one of its items. */
export function endOfList(bytes: Uint8Array, item: number): number {
  let at = skipSpace(bytes, item);
  while (bytes[at] === comma) at = skipSpace(bytes, endOfValue(bytes, skipSpace(bytes, at + 1)));
  return at + 1;
}

/** Returns the position of the first item of a list. */
export const firstItem = (bytes: Uint8Array, list: number): number => skipSpace(bytes, list + 1);
