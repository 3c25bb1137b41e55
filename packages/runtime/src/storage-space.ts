import { type ApiError, storageFull } from '@octavo/schema';

/** After a write has failed for lack of space, no write is tried for this time, in milliseconds. */
const pauseMilliseconds = 5000;

/** The state of the disk as Node.js reports it. */
export interface DiskState {
  /** The reason why the server cannot write; undefined if there is space. */
  problem: string | undefined;
  freeBytes: number | undefined;
  totalBytes: number | undefined;
}

let storage: DiskState = { problem: undefined, freeBytes: undefined, totalBytes: undefined };
let pausedUntil = 0;

/** Stores a report of Node.js about the disk. */
export function setStorage(report: DiskState): void {
  storage = report;
  if (report.problem === undefined) pausedUntil = 0;
}

export const getStorage = (): DiskState => ({ ...storage, problem: getStorageError()?.message });

/** Returns the error for a write if nothing can be written now, otherwise undefined. */
export function getStorageError(): ApiError | undefined {
  if (storage.problem !== undefined) return storageFull(storage.problem);
  return Date.now() < pausedUntil ? storageFull() : undefined;
}

/**
 * Pauses writes after one failed for lack of space. A failed commit ends the object that holds the database, with all
 * of its requests. So a read must not cause another failed commit, for example by recording when its token was used.
 */
export function pauseWrites(): void {
  pausedUntil = Date.now() + pauseMilliseconds;
}
