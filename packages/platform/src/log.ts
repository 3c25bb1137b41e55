import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { getLogFile } from './data-folder.ts';

const FILE_LIMIT_BYTES = 10_000_000;

/** Formats a message as a line of the log. A message that is already a JSON line is not changed. */
export function toLogEntry(level: string, message: string): string {
  const isJsonLine = message.startsWith('{') && message.endsWith('}') && !message.includes('\n');
  if (isJsonLine) return `${message}\n`;
  return `${JSON.stringify({ time: new Date().toISOString(), level, message })}\n`;
}

/** Appends lines to a file. A full file is renamed to `<file>.1`, so that there are at most two files of 10 MB. */
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

/** Messages of the runtime that help only its developers, not operators. */
const ignoredLines =
  /LLVM_SYMBOLIZER is not set|took recursive isolate lock|CODE_MOVED for unknown code block|NOSENTRY per-isolate bootstrap/;

/** The start of each line that the workers log. */
const logLineStart = '{"time":"';

/**
 * Converts a line of the runtime's output to a line of the log. Lines of workers already have this form, unless workerd
 * wraps them. workerd's own messages are plain text.
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

/** Splits the runtime's output into log lines. Only the start of an overlong line is logged. */
export class RuntimeLines {
  #startedLine = '';

  /** Returns the complete lines so far. */
  readLines(output: string): string {
    const lines = (this.#startedLine + output).split('\n');
    this.#startedLine = (lines.pop() ?? '').slice(0, LINE_LIMIT);
    return lines.map(toLogLine).join('');
  }

  /** Returns the incomplete last line as a log line. */
  end(): string {
    return this.readLines('\n');
  }
}

export interface Log {
  write(level: string, message: string): void;
}

export interface OpenLog extends Log {
  /** Reads the output of the runtime and its workers to the end. */
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
      output.on('data', (chunk: Buffer) => file.append(lines.readLines(decoder.write(chunk))));
      output.on('end', () => file.append(lines.end()));
    },
    async close() {
      file.close();
    },
  };
}
