/** A search in short steps, which yields the estimated duration of each step in microseconds. */
export type Search = Generator<number, number>;

/** The number of bytes that are scanned in a microsecond, and in a step. */
const bytesPerMicrosecond = 200;
const stepBytes = 64 * 1024;

/** The position of a value in the bytes of JSON. `end` is exclusive. */
export interface JsonExtent {
  start: number;
  end: number;
}

const getCode = (character: string): number => character.charCodeAt(0);

const [quote, backslash, colon, comma, space] = ['"', '\\', ':', ',', ' '].map(getCode) as [
  number,
  number,
  number,
  number,
  number,
];
const [openObject, closeObject, openList, closeList] = ['{', '}', '[', ']'].map(getCode) as [
  number,
  number,
  number,
  number,
];
const decoder = new TextDecoder();

export const isObjectAt = (bytes: Uint8Array, index: number): boolean => bytes[index] === openObject;

/** Returns the position of the next byte that is not white space. */
function skipSpace(bytes: Uint8Array, from: number): number {
  let offset = from;
  while ((bytes[offset] ?? quote) <= space) offset += 1;
  return offset;
}

function findTextEnd(bytes: Uint8Array, from: number): number {
  let offset = from + 1;
  while (offset < bytes.length && bytes[offset] !== quote) offset += bytes[offset] === backslash ? 2 : 1;
  return offset + 1;
}

/** Returns the end of a valid JSON value, scanning only brackets and strings. */
export function* findValueEnd(bytes: Uint8Array, from: number): Search {
  const state = { offset: from, depth: 0 };
  for (;;) {
    const start = state.offset;
    const end = scanStep(bytes, state, start + stepBytes);
    yield Math.ceil(((end ?? state.offset) - start) / bytesPerMicrosecond);
    if (end !== undefined) return end;
  }
}

/** Scans a value up to a limit. Returns its end, or undefined after changing the state to the position reached. */
function scanStep(bytes: Uint8Array, state: { offset: number; depth: number }, limit: number): number | undefined {
  let { offset, depth } = state;
  for (; offset < bytes.length; offset += 1) {
    if (offset >= limit) {
      Object.assign(state, { offset, depth });
      return undefined;
    }
    const unit = bytes[offset] ?? 0;
    if (unit === quote) {
      offset = findTextEnd(bytes, offset) - 1;
      if (depth === 0) return offset + 1;
    } else if (unit === openObject || unit === openList) depth += 1;
    else if (unit === closeObject || unit === closeList) {
      if (depth === 0) return offset;
      depth -= 1;
      if (depth === 0) return offset + 1;
    } else if (depth === 0 && (unit === comma || unit <= space)) return offset;
  }
  return offset;
}

export const parseExtent = (bytes: Uint8Array, { start, end }: JsonExtent): unknown =>
  JSON.parse(decoder.decode(bytes.subarray(start, end)));

/**
 * Calls `visit` for each member of an object, and continues at the position it returns. Returns the end of the object.
 */
export function* visitMembers(
  bytes: Uint8Array,
  object: number,
  visit: (key: string, value: number) => Search,
): Search {
  let offset = skipSpace(bytes, object + 1);
  while (offset < bytes.length && bytes[offset] === quote) {
    const end = findTextEnd(bytes, offset);
    const key = String(parseExtent(bytes, { start: offset, end }));
    offset = skipSpace(bytes, end);
    if (bytes[offset] === colon) offset += 1;
    offset = skipSpace(bytes, yield* visit(key, skipSpace(bytes, offset)));
    if (bytes[offset] === comma) offset = skipSpace(bytes, offset + 1);
  }
  return offset + 1;
}

/** Returns the end of a list, starting from the end of one of its items. */
export function* findListEnd(bytes: Uint8Array, item: number): Search {
  let offset = skipSpace(bytes, item);
  while (bytes[offset] === comma) offset = skipSpace(bytes, yield* findValueEnd(bytes, skipSpace(bytes, offset + 1)));
  return offset + 1;
}

/** Returns the position of the first item of a list. */
export const findFirstItem = (bytes: Uint8Array, list: number): number => skipSpace(bytes, list + 1);
