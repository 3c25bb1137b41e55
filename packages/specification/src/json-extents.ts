/** Where a value stands in the bytes of JSON: `end` is behind it. */
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

/** The first place from one on at which there is no white space. */
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

/** The place behind a value of valid JSON, of which nothing is read but its brackets and texts. */
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

/** Calls for each member of the object at a place, and goes on at the place that the call gives; gives the place behind it. */
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

/** The place behind a list, from the place behind one of its items on. */
export function endOfList(bytes: Uint8Array, item: number): number {
  let at = skipSpace(bytes, item);
  while (bytes[at] === comma) at = skipSpace(bytes, endOfValue(bytes, skipSpace(bytes, at + 1)));
  return at + 1;
}

/** The place of the first item of the list at a place. */
export const firstItem = (bytes: Uint8Array, list: number): number => skipSpace(bytes, list + 1);
