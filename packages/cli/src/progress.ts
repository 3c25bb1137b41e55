import type { Output } from './terminal.ts';

const width = 30;
const linesAtMost = 10;

/** Shows how far a work is: a bar on a terminal, else a plain line now and then. */
export function showProgress(what: string, stream: Output) {
  let shown = -1;
  return (done: number, total: number): void => {
    const share = total === 0 ? 1 : Math.min(done / total, 1);
    if (stream.isTTY) {
      const bar = '#'.repeat(Math.round(share * width)).padEnd(width, '.');
      stream.write(`\r${what} [${bar}] ${done} of ${total}${share === 1 ? '\n' : ''}`);
      return;
    }
    const step = Math.floor(share * linesAtMost);
    if (step === shown) return;
    shown = step;
    stream.write(`${what}: ${done} of ${total}\n`);
  };
}
