import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { until } from './own-platform.ts';
import { platform } from './platform.ts';

/** The inode of a log file, or undefined while it is being rotated. */
const getInode = (file: string) => statSync(file, { throwIfNoEntry: false })?.ino;

function getText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Returns all complete lines of a platform's log, including the rotated file. */
export function getLog(dataDir: string): string {
  const file = path.join(dataDir, 'octavo.log');
  for (;;) {
    const place = getInode(file);
    const text = getText(`${file}.1`) + getText(file);
    // If the file was rotated between the two reads, lines would be returned twice or not at all.
    if (place !== undefined && place === getInode(file)) return text.slice(0, text.lastIndexOf('\n') + 1);
  }
}

/** Parses the lines of a platform's log that contain a text. */
export const readLogLines = <Line>(dataDir: string, text: string): Line[] =>
  getLog(dataDir)
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => JSON.parse(line) as Line);

/** Waits until the shared platform has logged the request behind a response, and returns the log. */
export function readLogOfRequest(response: Response): Promise<string> {
  const id = response.headers.get('octavo-request-id') ?? 'none';
  return until(() => {
    const text = getLog(platform().dataDir);
    return text.includes(id) ? text : undefined;
  });
}
