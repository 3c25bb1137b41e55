import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { until } from './own-platform.ts';
import { platform } from './platform.ts';

/** The inode of a log file, or undefined while it is being rotated. */
const placeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino;

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Returns all complete lines of a platform's log, including the rotated file. */
export function logOf(dataDir: string): string {
  const file = path.join(dataDir, 'octavo.log');
  for (;;) {
    const place = placeOf(file);
    const text = textOf(`${file}.1`) + textOf(file);
    // A rotation between the two reads would return lines twice or not at all.
    if (place !== undefined && place === placeOf(file)) return text.slice(0, text.lastIndexOf('\n') + 1);
  }
}

/** Parses the lines of a platform's log that contain a text. */
export const loggedLines = <Line>(dataDir: string, text: string): Line[] =>
  logOf(dataDir)
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => JSON.parse(line) as Line);

/** Waits until the shared platform has logged the request behind a response, and returns the log. */
export function logAfter(answer: Response): Promise<string> {
  const id = answer.headers.get('octavo-request-id') ?? 'none';
  return until(() => {
    const text = logOf(platform().dataDir);
    return text.includes(id) ? text : undefined;
  });
}
