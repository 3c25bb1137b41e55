import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { until } from './own-platform.ts';
import { platform } from './platform.ts';

/** Where a log stands; undefined while it moves. */
const placeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino;

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** All whole lines of a platform's log, also of the file that it moved to when it was full. */
export function logOf(dataDir: string): string {
  const file = path.join(dataDir, 'octavo.log');
  for (;;) {
    const place = placeOf(file);
    const text = textOf(`${file}.1`) + textOf(file);
    // What moves between two reads would be read twice, or not at all.
    if (place !== undefined && place === placeOf(file)) return text.slice(0, text.lastIndexOf('\n') + 1);
  }
}

/** The lines of a platform's log that hold a text, read as JSON. */
export const loggedLines = <Line>(dataDir: string, text: string): Line[] =>
  logOf(dataDir)
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => JSON.parse(line) as Line);

/** The log of the shared platform, once it tells of the request that was answered so. */
export function logAfter(answer: Response): Promise<string> {
  const id = answer.headers.get('octavo-request-id') ?? 'none';
  return until(() => {
    const text = logOf(platform().dataDir);
    return text.includes(id) ? text : undefined;
  });
}
