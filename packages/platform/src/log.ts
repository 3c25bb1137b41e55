import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { getLogFile } from './data-folder.ts';

const FILE_LIMIT_BYTES = 10_000_000;

/** A line of the log: a message that is a JSON line stays as it is. */
export function toLogEntry(level: string, message: string): string {
  const isJsonLine = message.startsWith('{') && message.endsWith('}') && !message.includes('\n');
  if (isJsonLine) return `${message}\n`;
  return `${JSON.stringify({ time: new Date().toISOString(), level, message })}\n`;
}

/** Appends lines to a file, which moves to `<file>.1` when full: two files of 10 MB at most. */
export class LogFile {
  readonly #file: string;
  #handle: number;
  #bytes: number;

  constructor(file: string) {
    this.#file = file;
    this.#handle = openSync(file, 'a', 0o600);
    this.#bytes = fstatSync(this.#handle).size;
  }

  append(lines: string): void {
    try {
      if (this.#bytes > FILE_LIMIT_BYTES) this.#rotate();
      this.#bytes += writeSync(this.#handle, lines);
    } catch {
      // A full disk must not stop the server that reports it.
    }
  }

  close(): void {
    closeSync(this.#handle);
  }

  #rotate(): void {
    if (existsSync(this.#file)) renameSync(this.#file, `${this.#file}.1`);
    const full = this.#handle;
    this.#handle = openSync(this.#file, 'a', 0o600);
    this.#bytes = 0;
    closeSync(full);
  }
}

const LINE_LIMIT = 256 * 1024;

/** What the runtime says of itself to its developers, with no use for who runs it. */
const ignoredLines =
  /LLVM_SYMBOLIZER is not set|took recursive isolate lock|CODE_MOVED for unknown code block|NOSENTRY per-isolate bootstrap/;

/** What each line begins with that the workers log. */
const logLineStart = '{"time":"';

/**
 * A line of the runtime's output as a line of the log. What workers log is one already, unless workerd was asked to wrap
 * it; of itself workerd writes as text.
 */
function toLogLine(line: string): string {
  if (line.startsWith(logLineStart)) return `${line}\n`;
  if (line === '' || ignoredLines.test(line)) return '';
  try {
    const { level, message } = JSON.parse(line) as { level?: unknown; message?: unknown };
    if (typeof level === 'string' && typeof message === 'string') return toLogEntry(level, message);
  } catch {
    return toLogEntry('error', line);
  }
  return toLogEntry('error', line);
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

export interface Log {
  write(level: string, message: string): void;
}

export interface OpenLog extends Log {
  /** Takes what the runtime says of itself and of what its workers log, to its end. */
  read(output: Readable): void;
  close(): Promise<void>;
}

/** Opens the log of a data folder. */
export function openLog(dataDir: string): OpenLog {
  const file = new LogFile(getLogFile(dataDir));
  return {
    write: (level, message) => file.append(toLogEntry(level, message)),
    read(output) {
      const lines = new RuntimeLines();
      const decoder = new StringDecoder('utf8');
      output.on('data', (chunk: Buffer) => file.append(lines.take(decoder.write(chunk))));
      output.on('end', () => file.append(lines.end()));
    },
    async close() {
      file.close();
    },
  };
}
