import { runInSlices, type Steps } from './slices.ts';

/** Number of values and characters that are serialized in one step. */
const stepSize = 2_000;

/**
 * Returns the budget that remains after visiting all values inside a value. Stops as soon as the budget is exceeded,
 * and then returns a negative number.
 */
function spend(value: unknown, budget: number): number {
  if (typeof value === 'string') return budget - 1 - value.length / 8;
  if (typeof value !== 'object' || value === null) return budget - 1;
  let left = budget - 1;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1) left = spend(value[index], left - 1);
    return left;
  }
  for (const key in value) {
    left = spend((value as Record<string, unknown>)[key], left - 1);
    if (left < 0) break;
  }
  return left;
}

/** Whether a value can be serialized in one step. */
export const isSmall = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || spend(value, stepSize) >= 0;

/**
 * Serializes a value in short steps. The parts in order are the text that `JSON.stringify` returns. A part is at least
 * a few thousand characters long, unless it is the last.
 */
function* serializeJson(value: unknown): Generator<string> {
  let part = '';
  for (const piece of toPieces(value)) {
    part += piece;
    if (part.length < minPartLength) continue;
    yield part;
    part = '';
  }
  yield part;
}

const minPartLength = 16 * 1024;
/** Estimated duration of serializing a part. */
const partMicroseconds = 200;

function* toPieces(value: unknown): Generator<string> {
  if (isSmall(value) || 'toJSON' in (value as object)) yield JSON.stringify(value) ?? '';
  else if (Array.isArray(value)) yield* toArrayPieces(value);
  else yield* toObjectPieces(value as Record<string, unknown>);
}

function* toArrayPieces(items: unknown[]): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before;
    if (isSerialized(item)) yield* toPieces(item);
    else yield 'null';
    before = ',';
  }
  yield ']';
}

function* toObjectPieces(value: Record<string, unknown>): Generator<string> {
  let before = '{';
  for (const [key, each] of Object.entries(value)) {
    if (!isSerialized(each)) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* toPieces(each);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

const isSerialized = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';

/** Serializes a value to UTF-8, in slices. */
export const toJsonBytes = (value: unknown): Promise<Uint8Array<ArrayBuffer>> => runInSlices(encodeParts(value));

function* encodeParts(value: unknown): Steps<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  const encoder = new TextEncoder();
  for (const part of serializeJson(value)) {
    parts.push(encoder.encode(part));
    yield partMicroseconds;
  }
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
