import { type Api, call } from './api.ts';
import { type Load, runLoad } from './load.ts';
import type { Operation, OperationName } from './operations.ts';
import { getUsage, measureMegabytes, type Usage, waitUntilIdle } from './processes.ts';
import { type Cell, getMedian, type OperationCost } from './result.ts';

const CALLS_FOR_COSTS = 5;
const MEMORY_EVERY_MS = 1000;
/**
 * Duration of the warm-up before each measurement, as a share of the measurement, so that no code runs for the first
 * time while it is measured.
 */
const WARM_UP_SHARE = 0.2;

/** A server that is measured. */
export interface Subject {
  name: string;
  api: Api;
  operations: Operation[];
  /** The id of its first process, if known. */
  pid?: number;
}

interface MeasuredLoad extends Load {
  usage: Usage | undefined;
  megabytes: number;
}

const getDifference = (before: Usage, after: Usage): Usage => ({
  cpuSeconds: after.cpuSeconds - before.cpuSeconds,
  writtenBytes: after.writtenBytes - before.writtenBytes,
  writes: after.writes - before.writes,
});

/** Watches the memory of a process tree until the returned function is called, which returns the maximum. */
function watchMemory(pid: number): () => Promise<number> {
  let highest = 0;
  let looking = Promise.resolve();
  const sample = async () => {
    highest = Math.max(highest, await measureMegabytes(pid));
  };
  const timer = setInterval(() => {
    looking = sample();
  }, MEMORY_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await looking;
    await sample();
    return highest;
  };
}

/**
 * Loads a server with one operation. Its usage is measured until it is idle again, so that it includes work after the
 * responses.
 */
export async function measure(
  { api, pid }: Subject,
  { requests }: Operation,
  connections: number,
  seconds: number,
): Promise<MeasuredLoad> {
  const before = pid === undefined ? undefined : await getUsage(pid);
  const highest = pid === undefined ? undefined : watchMemory(pid);
  const warm = await runLoad({ api, requests, connections, seconds: seconds * WARM_UP_SHARE });
  const result = await runLoad({ api, requests, connections, seconds });
  const megabytes = (await highest?.()) ?? 0;
  const after = pid === undefined ? undefined : await waitUntilIdle(pid);
  const failures = { ...result.failures };
  for (const [reason, times] of Object.entries(warm.failures)) failures[reason] = (failures[reason] ?? 0) + times;
  return {
    ...result,
    succeeded: warm.succeeded + result.succeeded,
    failures,
    megabytes,
    usage: before && after ? getDifference(before, after) : undefined,
  };
}

const getNumber = (headers: Headers, name: string): number | undefined => {
  const digits = new RegExp(`${name};desc="(\\d+)"`).exec(headers.get('server-timing') ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/** Calls an operation a few times, validates its complete responses, and returns the costs that the server reports. */
export async function measureCost({ api }: Subject, { requests }: Operation): Promise<OperationCost | null> {
  const headersList: Headers[] = [];
  for (let index = 0; index < CALLS_FOR_COSTS; index += 1) {
    const request = requests[index % requests.length];
    if (request) headersList.push((await call(api, request)).headers);
  }
  return readCosts(headersList);
}

/** Returns the medians of the costs that responses report, or null if one of them reports none. */
export function readCosts(headersList: Headers[]): OperationCost | null {
  const readMetric = (name: string): number | null => {
    const values = headersList.map((headers) => getNumber(headers, name));
    return values.includes(undefined) ? null : getMedian(values.map(Number));
  };
  const roundTrips = readMetric('d1-trips');
  if (roundTrips === null) return null;
  return {
    trips: roundTrips,
    sequentialTrips: readMetric('d1-sequential-trips'),
    rowsRead: readMetric('d1-rows-read'),
    rowsWritten: readMetric('d1-rows-written'),
  };
}

/** One operation of one server with one number of connections. */
interface Measurement {
  subject: Subject;
  operation: OperationName;
  connections: number;
}

interface MeasuredCell extends Measurement {
  rounds: MeasuredLoad[];
}

interface RoundOptions {
  rounds: number;
  connections: number[];
  only: OperationName[];
  seconds: number;
  onProgress(doneCount: number, total: number, label: string): void;
}

interface Row {
  subject: string;
  operation: OperationName;
  cells: Cell[];
}

export interface Rounds {
  rows: Row[];
  /** The highest memory of each server, and the operation that caused it. */
  peaks: Map<string, { megabytes: number; operation: string }>;
}

/** The name of the server that is the baseline of all others, and of its only operation. */
export const floorName = 'floor';

const rotate = <Value>(values: readonly Value[], by: number): Value[] => {
  const start = by % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
};

/**
 * Returns all measurements. Those of different servers alternate, so that disturbances of the machine affect all of
 * them.
 */
function listMeasurements(subjects: Subject[], { connections, only }: RoundOptions): Measurement[] {
  const floors = subjects.filter(({ name }) => name === floorName);
  const others = subjects.filter(({ name }) => name !== floorName);
  return connections.flatMap((count) => [
    ...floors.map((subject): Measurement => ({ subject, operation: 'constant', connections: count })),
    ...only.flatMap((operation) =>
      others
        .filter(({ operations }) => operations.some(({ name }) => name === operation))
        .map((subject) => ({ subject, operation, connections: count })),
    ),
  ]);
}

async function measureCell({ subject, operation, connections }: Measurement, seconds: number): Promise<MeasuredLoad> {
  const operationToRun = subject.operations.find(({ name }) => name === operation);
  if (operationToRun === undefined) throw new Error(`${subject.name} does not support ${operation}.`);
  return measure(subject, operationToRun, connections, seconds);
}

function getCell({ connections, rounds }: MeasuredCell, floor: number): Cell {
  const rates = rounds.map(({ perSecond }) => perSecond);
  const getMedianUsage = (take: (usage: NonNullable<MeasuredLoad['usage']>) => number): number | null => {
    const values = rounds.flatMap(({ usage, succeeded }) => (usage && succeeded > 0 ? [take(usage) / succeeded] : []));
    return values.length > 0 ? getMedian(values) : null;
  };
  const cpu = getMedianUsage(({ cpuSeconds }) => cpuSeconds);
  const failures: Record<string, number> = {};
  for (const round of rounds)
    for (const [reason, times] of Object.entries(round.failures)) failures[reason] = (failures[reason] ?? 0) + times;
  return {
    connections,
    median: getMedian(rates),
    best: Math.max(...rates),
    rounds: rates,
    p50: getMedian(rounds.map(({ p50 }) => p50)),
    p99: getMedian(rounds.map(({ p99 }) => p99)),
    share: floor > 0 ? getMedian(rates) / floor : 0,
    cpuSeconds: cpu === null ? null : cpu * 1000,
    writtenBytes: getMedianUsage(({ writtenBytes }) => writtenBytes),
    writes: getMedianUsage(({ writes }) => writes),
    failures,
  };
}

function getRows(measuredCells: MeasuredCell[]): Row[] {
  const getFloorRate = (connections: number): number => {
    const floorCell = measuredCells.find((each) => each.subject.name === floorName && each.connections === connections);
    return getMedian(floorCell?.rounds.map(({ perSecond }) => perSecond) ?? []);
  };
  const groups = Map.groupBy(measuredCells, ({ subject, operation }) => `${subject.name} ${operation}`);
  return [...groups.values()].flatMap((groupCells) => {
    const [first] = groupCells;
    if (first === undefined) return [];
    const cells = groupCells.map((cell) => getCell(cell, getFloorRate(cell.connections)));
    return [{ subject: first.subject.name, operation: first.operation, cells }];
  });
}

/** Measures everything in each round. Each round starts with a different measurement. */
export async function measureRounds(subjects: Subject[], options: RoundOptions): Promise<Rounds> {
  const cells = listMeasurements(subjects, options).map(
    (measurement): MeasuredCell => ({ ...measurement, rounds: [] }),
  );
  const peaks: Rounds['peaks'] = new Map();
  const total = cells.length * options.rounds;
  let doneCount = 0;
  for (let round = 0; round < options.rounds; round += 1) {
    const start = Math.floor((cells.length * round) / options.rounds);
    for (const cell of rotate(cells, start)) {
      const { subject, operation, connections } = cell;
      options.onProgress(doneCount, total, `${subject.name} ${operation}, ${connections} connections`);
      const round = await measureCell(cell, options.seconds);
      cell.rounds.push(round);
      if (round.megabytes > (peaks.get(subject.name)?.megabytes ?? 0))
        peaks.set(subject.name, { megabytes: round.megabytes, operation });
      doneCount += 1;
    }
  }
  return { rows: getRows(cells), peaks };
}
