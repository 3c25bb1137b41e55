import type { OperationName } from './operations.ts';

/** The result of one operation with one number of connections, over all rounds. Times are in milliseconds. */
export interface Cell {
  connections: number;
  /** Requests per second. */
  median: number;
  best: number;
  rounds: number[];
  p50: number;
  p99: number;
  /** The median, as a share of the bare worker's median with the same number of connections. */
  share: number;
  /**
   * CPU seconds of all processes for 1,000 requests, including work after the responses; null if the processes are
   * unknown.
   */
  cpuSeconds: number | null;
  /** Bytes written per request. */
  writtenBytes: number | null;
  writes: number | null;
  failures: Record<string, number>;
}

/** The cost of a single call, as the server reports it. */
export interface OperationCost {
  trips: number;
  sequentialTrips?: number | null;
  rowsRead: number | null;
  rowsWritten: number | null;
}

export interface Row {
  /** The measured server: `floor`, `octavo`, or the name of another product. */
  subject: string;
  operation: OperationName;
  cells: Cell[];
  cost: OperationCost | null;
  /** The number of times that a request waits for the disk. */
  syncs: number | null;
}

/** Megabytes of all processes. */
export interface Memory {
  idle: number;
  peak: number;
  /** The operation that was running at the maximum. */
  peakIn: string;
  after: number;
}

/** A target and whether it is met. */
export interface Verdict {
  what: string;
  measured: number;
  target: number;
  isMet: boolean;
}

export interface SizeResult {
  size: number;
  documents: number;
  seedSeconds: number;
  /** Seconds from each start to the first response with data. */
  starts: number[];
  memory: Memory | null;
  /** The share of the processors that other processes used during the measurements; null if it was not measured. */
  others: number | null;
  rows: Row[];
  verdicts: Verdict[];
}

export interface Result {
  date: string;
  machine: { processor: string; processors: number; megabytes: number; kernel: string; load: number };
  /** `shape` is the arrangement of the workers (OCTAVO_SHAPE). */
  versions: { octavo: string; shape: string; node: string; workerd: string; generator: string };
  options: { seconds: number; rounds: number; connections: number[]; only: string[] };
  sizes: SizeResult[];
}

export const getMedian = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
};
