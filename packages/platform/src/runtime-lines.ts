import { logLine } from './log-file.ts';

const LINE_LIMIT = 256 * 1024;

/** What the runtime says of itself to its developers, with no use for who runs it. */
const noise =
  /LLVM_SYMBOLIZER is not set|took recursive isolate lock|CODE_MOVED for unknown code block|NOSENTRY per-isolate bootstrap/;

/** What each line begins with that the workers log. */
const begins = '{"time":"';

/**
 * A line of the runtime's output as a line of the log. What workers log is one already, unless workerd was asked to wrap
 * it; of itself workerd writes as text.
 */
function toLogLine(line: string): string {
  if (line.startsWith(begins)) return `${line}\n`;
  if (line === '' || noise.test(line)) return '';
  try {
    const { level, message } = JSON.parse(line) as { level?: unknown; message?: unknown };
    if (typeof level === 'string' && typeof message === 'string') return logLine(level, message);
  } catch {
    return logLine('error', line);
  }
  return logLine('error', line);
}

/** Cuts the runtime's output into lines of the log; of a line without an end it keeps the beginning. */
export class RuntimeLines {
  #begun = '';

  /** The whole lines of what was said so far. */
  take(output: string): string {
    const lines = (this.#begun + output).split('\n');
    this.#begun = (lines.pop() ?? '').slice(0, LINE_LIMIT);
    return lines.map(toLogLine).join('');
  }

  /** What is left, as a line. */
  end(): string {
    return this.take('\n');
  }
}
