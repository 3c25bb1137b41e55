interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Where a command runs, such as a process: its environment, and where it writes. */
export interface Terminal {
  env: Record<string, string | undefined>;
  stdout: Output;
  stderr: Output;
}

/** What is written may be a stranger's, and these would steer the terminal; a new line and a tab do no harm. */
const steering = /(?!\t|\n|\r\n)\p{Cc}/gu;

/** Written as JSON has it, so that what is JSON stays so. */
const harmless = (text: string): string =>
  text.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const print = ({ stdout }: Terminal, line: string): void => {
  stdout.write(`${harmless(line)}\n`);
};

export const warn = ({ stderr }: Terminal, line: string): void => {
  stderr.write(`${harmless(line)}\n`);
};

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

/** As many times a command is asked to end until it is made to, whatever it has begun. */
const patience = 3;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves when somebody ends the command, by Ctrl-C or a signal: what it has begun is to be ended then. While it does that
 * it is not cut off by one more; the third ends it.
 */
export const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    let asked = 0;
    function ask(signal: NodeJS.Signals): void {
      asked += 1;
      resolve();
      if (asked < patience) return;
      for (const each of signals) process.off(each, ask);
      process.kill(process.pid, signal);
    }
    for (const signal of signals) process.on(signal, ask);
  });

/**
 * Ends a program whose output nobody reads any more, as of `octavo … | head -1`: that is no failure. A command that looks to
 * its own end is asked for that.
 */
export function untilRead(program: NodeJS.Process): void {
  let isRead = true;
  function end(error: NodeJS.ErrnoException): void {
    if (error.code !== 'EPIPE') throw error;
    if (!isRead) return;
    isRead = false;
    if (program.listenerCount('SIGTERM') === 0) program.exit(0);
    program.kill(program.pid, 'SIGTERM');
  }
  for (const output of [program.stdout, program.stderr]) output.on('error', end);
}
