import { readFile } from 'node:fs/promises';
import { cronRecordFile } from './data-folder.ts';
import { writeWhole } from './write-whole.ts';

/** When each cron that waits for its hour last ran, kept in the data folder. */
export interface CronRecord {
  last(name: string): Date | undefined;
  note(name: string, time: Date): Promise<void>;
}

async function read(file: string): Promise<Record<string, string>> {
  try {
    const times: unknown = JSON.parse(await readFile(file, 'utf8'));
    return Object.fromEntries(Object.entries(times ?? {}).filter(([, time]) => typeof time === 'string'));
  } catch {
    // What is not there or cannot be read counts as a first start.
    return {};
  }
}

export async function openCronRecord(dataDir: string): Promise<CronRecord> {
  const file = cronRecordFile(dataDir);
  const times = await read(file);
  let written = Promise.resolve();
  return {
    last(name) {
      const time = new Date(times[name] ?? '');
      return Number.isNaN(time.getTime()) ? undefined : time;
    },
    note(name, time) {
      times[name] = time.toISOString();
      written = written
        .catch(() => undefined)
        .then(() => writeWhole(file, `${JSON.stringify(times, null, 2)}\n`, 0o600));
      return written;
    },
  };
}
