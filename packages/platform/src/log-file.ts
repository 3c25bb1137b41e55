import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

const FILE_LIMIT_BYTES = 10_000_000;

/** A line of the log: a message that is a JSON line stays as it is. */
export function logLine(level: string, message: string): string {
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
