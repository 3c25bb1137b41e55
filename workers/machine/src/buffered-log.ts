import { bufferLog } from '@octavo/runtime';

const mostLines = 64;
const milliseconds = 20;

/*
 * Lines of the log are written together, as each write costs a fifth of a short answer. What a killed runtime had gathered
 * in its last moment is not in the log; errors are written at once, past all this.
 */
let lines: string[] = [];
let since = 0;

/** Writes what was gathered. */
function write(): void {
  if (lines.length > 0) console.log(lines.join('\n'));
  lines = [];
}

/** Gathers the log from now on. The timer of a request that is over does not go off: then the next line sees to it. */
export function startGathering(): void {
  bufferLog((line) => {
    const now = performance.now();
    const isFirst = lines.push(line) === 1;
    if (isFirst) {
      since = now;
      setTimeout(write, milliseconds);
    } else if (lines.length >= mostLines || now - since > 2 * milliseconds) write();
  });
}

let seenTo = 0;

/** Keeps the context of one request in a while until what is gathered by then is written. */
export function writeLater(context: ExecutionContext): void {
  const now = performance.now();
  if (lines.length === 0 || now < seenTo) return;
  seenTo = now + milliseconds;
  context.waitUntil(scheduler.wait(milliseconds).then(write));
}
