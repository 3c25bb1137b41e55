import { ApiError } from '@octavo/schema';

/** In milliseconds. After a write that failed for lack of space, no write is tried for this long. */
const pauseMilliseconds = 5000;

let problem: string | undefined;
let pausedUntil = 0;

const fullMessage = 'The disk of the server is full. Free space on it, then repeat the request.';

/** Stores what Node.js reports about the disk: why nothing may be written, or undefined if there is space. */
export function setStorageProblem(reported: string | undefined): void {
  problem = reported;
  if (reported === undefined) pausedUntil = 0;
}

/** Returns why nothing can be written now, or undefined. */
export function getStorageProblem(): string | undefined {
  return problem ?? (Date.now() < pausedUntil ? fullMessage : undefined);
}

/** The messages of SQLite, D1 and the operating system. */
const fullPattern = /SQLITE_FULL|database or disk is full|Exceeded maximum DB size|No space left on device/;
const maxCauses = 5;

/** Whether an error means that the disk or the database is full. */
export function isStorageFull(error: unknown): boolean {
  let each: unknown = error;
  for (let depth = 0; each instanceof Error && depth < maxCauses; depth += 1) {
    if (fullPattern.test(each.message)) return true;
    each = each.cause;
  }
  return false;
}

/**
 * Pauses writes after one failed for lack of space. A failed commit ends the object that holds the database, with all
 * of its requests, so reads must not cause another one, for example by recording when their token was used.
 */
export function pauseWrites(): void {
  pausedUntil = Date.now() + pauseMilliseconds;
}

/** The error of a write for which there is no space. */
export const storageFull = (): ApiError => new ApiError('storage_full', getStorageProblem() ?? fullMessage);

/** The error that SQLite has when the disk is full, for a write that is not tried. */
export const createFullError = (): Error => new Error('database or disk is full: SQLITE_FULL');
