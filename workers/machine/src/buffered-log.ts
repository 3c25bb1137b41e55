import { bufferLog } from '@octavo/runtime';

const maxBufferedLines = 64;
const milliseconds = 20;

/*
 * Log lines are written together, because each write takes a fifth of the time of a short response. If the runtime is
 * killed, the lines of its last moment are lost. Errors are written immediately and are not buffered.
 */
let lines: string[] = [];
let flushedAt = 0;

/** Writes the buffered lines. */
function writeLines(): void {
  if (lines.length > 0) console.log(lines.join('\n'));
  lines = [];
}

/**
 * Buffers the log from now on. If the timer does not fire because its request has completed, the next line causes the
 * write.
 */
export function startBuffering(): void {
  bufferLog((line) => {
    const now = performance.now();
    const isFirst = lines.push(line) === 1;
    if (isFirst) {
      flushedAt = now;
      setTimeout(writeLines, milliseconds);
    } else if (lines.length >= maxBufferedLines || now - flushedAt > 2 * milliseconds) writeLines();
  });
}

let nextWriteAt = 0;

/** From time to time, keeps the context of one request alive until the lines buffered so far are written. */
export function writeLater(context: ExecutionContext): void {
  const now = performance.now();
  if (lines.length === 0 || now < nextWriteAt) return;
  nextWriteAt = now + milliseconds;
  context.waitUntil(scheduler.wait(milliseconds).then(writeLines));
}
