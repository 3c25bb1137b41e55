/*
 * JavaScript runs on one thread. While one request parses, builds or serializes something large, all others wait.
 * Long work is therefore cut into slices with a pause after each. All long work of an isolate shares one queue, so that
 * at most one slice runs between two turns of the event loop, however many requests have long work.
 */

/** Duration of a slice. A pause takes at least a millisecond, which is the resolution of timers. */
const sliceMilliseconds = 1;
/** A waiting slice checks the queue at least once in this time. */
const maxWaitMilliseconds = 30;
/** A slice that has not checked the queue for this time belongs to a canceled request. */
const maxSilenceMilliseconds = 10 * maxWaitMilliseconds;

/** A slice that waits for its turn. */
interface Waiting {
  /** The time of its last check of the queue. */
  looked: number;
}

const queue: Waiting[] = [];

/** Waits for the next slice of long work, behind those that wait already. */
export async function waitForSlice(): Promise<void> {
  const own: Waiting = { looked: performance.now() };
  queue.push(own);
  do {
    // Each request has a timer of its own, because a timer ends with its request.
    await wait(Math.min(queue.indexOf(own) * sliceMilliseconds, maxWaitMilliseconds));
    own.looked = performance.now();
    while (isCanceled(queue[0], own.looked)) queue.shift();
    if (!queue.includes(own)) queue.push(own);
  } while (queue[0] !== own);
  queue.shift();
}

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const isCanceled = (first: Waiting | undefined, now: number): boolean =>
  first !== undefined && now - first.looked > maxSilenceMilliseconds;

/** Work in short steps, with its result. A step may yield an estimate of its duration in microseconds. */
export type Steps<Result> = Generator<unknown, Result>;

/** The estimate for a step that yields none: a few properties of an object are read or written. */
const defaultEstimate = 4;
/**
 * The maximum sum of estimates in a slice. Cloudflare stops the clock while code runs, so only this limit ends a slice
 * there. On other platforms, the clock usually ends a slice first: estimates are rough, so the limit is twice the
 * duration of a slice.
 */
const maxSliceEstimate = 2000 * sliceMilliseconds;

/** Runs the steps of a generator in slices and returns its result. */
export async function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  let [start, estimate] = [performance.now(), 0];
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    estimate += typeof step.value === 'number' ? step.value : defaultEstimate;
    if (estimate < maxSliceEstimate && performance.now() - start < sliceMilliseconds) continue;
    await waitForSlice();
    [start, estimate] = [performance.now(), 0];
  }
}

/** Returns the estimated duration in microseconds of creating a result. */
type Estimate<Item, Result> = (item: Item, result: Result) => number;

/** Applies a function to each item, in slices. Items that may take longer than a few microseconds need an estimate. */
export const mapInSlices = <Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
  estimate?: Estimate<Item, Result>,
): Promise<Result[]> => runInSlices(mapEach(items, map, estimate));

function* mapEach<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
  estimate: Estimate<Item, Result> = () => defaultEstimate,
): Steps<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    const result = map(item);
    results.push(result);
    yield estimate(item, result);
  }
  return results;
}

/** Number of values and characters that are serialized in one step. */
const stepSize = 8_000;

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
