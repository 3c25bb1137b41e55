import type { OperationName } from './operations.ts';

/** What one operation reached with so many connections, over all rounds; times in milliseconds. */
export interface Cell {
  connections: number;
  /** Requests a second. */
  median: number;
  best: number;
  rounds: number[];
  p50: number;
  p99: number;
  /** The median as a share of what the bare worker reached with as many connections. */
  share: number;
  /** Of all processes, for 1,000 requests, with the work that they leave; null where the processes are not known. */
  cpuSeconds: number | null;
  /** For one request. */
  writtenBytes: number | null;
  writes: number | null;
  failures: Record<string, number>;
}

/** What a single call costs, as the server tells it. */
export interface OperationCost {
  trips: number;
  rowsRead: number | null;
  rowsWritten: number | null;
}

export interface Row {
  /** `floor`, `octavo`, or the name of another program. */
  subject: string;
  operation: OperationName;
  cells: Cell[];
  cost: OperationCost | null;
  /** How often a request waits for the disk. */
  syncs: number | null;
}

/** Megabytes of all processes. */
export interface Memory {
  idle: number;
  peak: number;
  /** The operation that was under load when it was highest. */
  peakIn: string;
  after: number;
}

/** Whether something reaches what it should. */
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
  /** Seconds from the start to the first answer with data, one for each of the starts. */
  starts: number[];
  memory: Memory | null;
  /** The share of the processors that others took while all of this was measured; null where it was not counted. */
  others: number | null;
  rows: Row[];
  verdicts: Verdict[];
}

export interface Result {
  date: string;
  machine: { processor: string; processors: number; megabytes: number; kernel: string; load: number };
  /** `shape` is how the workers run (OCTAVO_SHAPE). */
  versions: { octavo: string; shape: string; node: string; workerd: string; generator: string };
  options: { seconds: number; rounds: number; connections: number[]; only: string[] };
  sizes: SizeResult[];
}

export const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
};
