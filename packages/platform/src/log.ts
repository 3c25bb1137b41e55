import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { logFile } from './data-folder.ts';
import { LogFile, logLine } from './log-file.ts';
import { RuntimeLines } from './runtime-lines.ts';

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
  const file = new LogFile(logFile(dataDir));
  return {
    write: (level, message) => file.append(logLine(level, message)),
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
