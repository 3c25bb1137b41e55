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
 * The maximum sum of estimates in a slice. Cloudflare stops the clock while code runs, so there only this limit ends a
 * slice. Estimates are rough, so the limit is twice the duration, and elsewhere the clock usually ends a slice first.
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
