interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** The environment variables and output streams of a command, such as those of the process. */
export interface Terminal {
  env: Record<string, string | undefined>;
  stdout: Output;
  stderr: Output;
}

/** Control characters in untrusted output, which could control the terminal. Newlines and tabs are harmless. */
const controlCharacter = /(?!\t|\n|\r\n)\p{Cc}/gu;

/** Escapes control characters as JSON does, so that JSON output remains valid. */
const escapeControlCharacters = (text: string): string =>
  text.replace(controlCharacter, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const print = ({ stdout }: Terminal, line: string): void => {
  stdout.write(`${escapeControlCharacters(line)}\n`);
};

export const warn = ({ stderr }: Terminal, line: string): void => {
  stderr.write(`${escapeControlCharacters(line)}\n`);
};

const width = 30;
const linesAtMost = 10;

/** Shows progress: as a bar on a terminal, otherwise as an occasional plain line. */
export function showProgress(label: string, stream: Output) {
  let shownPercent = -1;
  return (doneCount: number, total: number): void => {
    const share = total === 0 ? 1 : Math.min(doneCount / total, 1);
    if (stream.isTTY) {
      const bar = '#'.repeat(Math.round(share * width)).padEnd(width, '.');
      stream.write(`\r${label} [${bar}] ${doneCount} of ${total}${share === 1 ? '\n' : ''}`);
      return;
    }
    const step = Math.floor(share * linesAtMost);
    if (step === shownPercent) return;
    shownPercent = step;
    stream.write(`${label}: ${doneCount} of ${total}\n`);
  };
}

/**
 * `maxSignals` is the number of signals after which a command ends immediately. `signals` are the signals that a
 * command handles.
 */
const maxSignals = 3;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves when the command is interrupted by Ctrl-C or a signal, so that the command can clean up. A second signal
 * does not interrupt the cleanup. The third signal terminates the command.
 */
export const waitForInterrupt = (): Promise<void> =>
  new Promise((resolve) => {
    let signalCount = 0;
    function requestStop(signal: NodeJS.Signals): void {
      signalCount += 1;
      resolve();
      if (signalCount < maxSignals) return;
      for (const each of signals) process.off(each, requestStop);
      process.kill(process.pid, signal);
    }
    for (const signal of signals) process.on(signal, requestStop);
  });

/**
 * Ends a program when its output is closed, as in `octavo … | head -1`, which is not a failure. A command that handles
 * SIGTERM receives that signal, so that it can clean up.
 */
export function endWhenOutputCloses(program: NodeJS.Process): void {
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
