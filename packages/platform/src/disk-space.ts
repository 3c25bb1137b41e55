import { statfs } from 'node:fs/promises';
import type { Log } from './log.ts';
import type { StorageReport } from './operator.ts';

const INTERVAL_MS = 1000;
/** Number of checks after which the free space is reported for the metrics. */
const CHECKS_PER_REPORT = 15;

/** The free space in MB below which a warning is logged, and below which all writes are refused. */
export interface DiskLimits {
  warningMegabytes: number;
  reserveMegabytes: number;
}

export const defaultDiskLimits: DiskLimits = { warningMegabytes: 1000, reserveMegabytes: 64 };

type SpaceLevel = 'ok' | 'low' | 'full';

/** Returns the size of a folder's disk, and the space that the server may still use. */
async function readDisk(folder: string): Promise<Omit<StorageReport, 'problem'>> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

function toState(free: number, { warningMegabytes, reserveMegabytes }: DiskLimits): SpaceLevel {
  if (free < reserveMegabytes) return 'full';
  return free < warningMegabytes ? 'low' : 'ok';
}

const describeFull = (free: number, { reserveMegabytes }: DiskLimits): string =>
  `The disk of the server is full: ${Math.floor(free)} MB are free, and writes need ${reserveMegabytes} MB. ` +
  'Free space on it, then repeat the request.';

const describe: Record<SpaceLevel, (free: string, limits: DiskLimits) => string> = {
  ok: (free) => `The disk has enough space again: ${free} MB are free.`,
  low: (free, { reserveMegabytes }) =>
    `The disk is nearly full: ${free} MB are free. Below ${reserveMegabytes} MB, Octavo accepts no writes.`,
  full: (free) => `The disk is full: ${free} MB are free. Octavo accepts no writes until there is more space.`,
};

interface WatchOptions {
  dataDir: string;
  limits: DiskLimits;
  /** Passes the state of the disk to the workers. */
  report(report: StorageReport): Promise<void>;
  log: Log;
  /** Prints on the terminal. */
  print(message: string): void;
}

/**
 * Checks the free space of the data folder's disk each second, until the returned function is called. The workers
 * refuse writes before the disk is completely full, so that the log and the database's own files still have space.
 */
export function watchDisk({ dataDir, limits, report, log, print }: WatchOptions): () => void {
  let last: SpaceLevel = 'ok';
  let isChecking = false;
  let checks = 0;
  const checkDisk = async () => {
    const disk = await readDisk(dataDir);
    const free = disk.freeBytes / 1_000_000;
    const state = toState(free, limits);
    // A restarted runtime does not know the state, so a full disk is reported after each check.
    const isDue = state === 'full' || state !== last || checks % CHECKS_PER_REPORT === 0;
    if (isDue) await report({ ...disk, problem: state === 'full' ? describeFull(free, limits) : undefined });
    checks += 1;
    if (state === last) return;
    last = state;
    const message = describe[state](String(Math.floor(free)), limits);
    log.write(state === 'full' ? 'error' : 'warn', message);
    print(message);
  };
  const timer = setInterval(async () => {
    if (isChecking) return;
    isChecking = true;
    await checkDisk().catch((error: unknown) =>
      log.write('error', `The free disk space could not be checked: ${error}`),
    );
    isChecking = false;
  }, INTERVAL_MS).unref();
  return () => clearInterval(timer);
}
