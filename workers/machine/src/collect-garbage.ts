const intervalMilliseconds = 3_000;
/** Maximum number of requests in an interval without load. A monitor may send some. */
const maxIdleRequests = 3;
/**
 * Minimum number of requests between collections. After fewer requests, there is too little garbage for a pause of
 * about 50 ms.
 */
const minRequests = 200;

/**
 * The number of requests since the last collection. The initial value is high, because the start leaves as much garbage
 * as many requests.
 */
let requests = minRequests;

export function countRequest(): void {
  requests += 1;
}

/** V8's function, which exists with the flag `--expose-gc` (see packages/platform/src/workerd-process.ts). */
type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void;

/**
 * Collects all garbage after the start, and whenever many requests are followed by some seconds with hardly any. V8
 * itself only collects while it allocates, so a server would otherwise keep the memory of its busiest minute.
 */
export function collectWhenIdle(): void {
  const collect = (globalThis as { gc?: Collect }).gc;
  if (collect === undefined) return;
  let requestsBefore = requests;
  setInterval(() => {
    const isIdle = requests - requestsBefore <= maxIdleRequests;
    if (isIdle && requests >= minRequests) {
      requests = 0;
      collect({ type: 'major', flavor: 'last-resort' });
    }
    requestsBefore = requests;
  }, intervalMilliseconds);
}
