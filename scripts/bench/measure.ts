import { type Api, call } from './api.ts';
import { type Load, load } from './load.ts';
import type { Operation, OperationName } from './operations.ts';
import { getUsage, measureMegabytes, type Usage, waitUntilIdle } from './processes.ts';
import { type Cell, median, type OperationCost } from './result.ts';

const CALLS_FOR_COSTS = 5;
const MEMORY_EVERY_MS = 1000;
/** Warm-up before each measurement, so that no code runs for the first time during it. */
const WARM_UP_SHARE = 0.2;

/** A server that is measured. */
export interface Subject {
  name: string;
  api: Api;
  operations: Operation[];
  /** The first of its processes, if known. */
  pid?: number;
}

interface Measured extends Load {
  usage: Usage | undefined;
  megabytes: number;
}

const between = (before: Usage, after: Usage): Usage => ({
  cpuSeconds: after.cpuSeconds - before.cpuSeconds,
  writtenBytes: after.writtenBytes - before.writtenBytes,
  writes: after.writes - before.writes,
});

/** Watches the memory of a process tree until the returned function is called, which returns the maximum. */
function watchMemory(pid: number): () => Promise<number> {
  let highest = 0;
  let looking = Promise.resolve();
  const look = async () => {
    highest = Math.max(highest, await measureMegabytes(pid));
  };
  const timer = setInterval(() => {
    looking = look();
  }, MEMORY_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await looking;
    await look();
    return highest;
  };
}

/**
 * Loads a server with one operation. Its usage is counted until it is idle again, to include work after the responses.
 */
export async function measure(
  { api, pid }: Subject,
  { requests }: Operation,
  connections: number,
  seconds: number,
): Promise<Measured> {
  const before = pid === undefined ? undefined : await getUsage(pid);
  const highest = pid === undefined ? undefined : watchMemory(pid);
  const warm = await load({ api, requests, connections, seconds: seconds * WARM_UP_SHARE });
  const done = await load({ api, requests, connections, seconds });
  const megabytes = (await highest?.()) ?? 0;
  const after = pid === undefined ? undefined : await waitUntilIdle(pid);
  const failures = { ...done.failures };
  for (const [reason, times] of Object.entries(warm.failures)) failures[reason] = (failures[reason] ?? 0) + times;
  return {
    ...done,
    succeeded: warm.succeeded + done.succeeded,
    failures,
    megabytes,
    usage: before && after ? between(before, after) : undefined,
  };
}

const getNumber = (headers: Headers, name: string): number | undefined => {
  const found = new RegExp(`${name};desc="(\\d+)"`).exec(headers.get('server-timing') ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
};

/** Calls an operation a few times, validates its complete responses, and returns the costs that the server reports. */
export async function measureCost({ api }: Subject, { requests }: Operation): Promise<OperationCost | null> {
  const answers: Headers[] = [];
  for (let nth = 0; nth < CALLS_FOR_COSTS; nth += 1) {
    const request = requests[nth % requests.length];
    if (request) answers.push((await call(api, request)).headers);
  }
  const readMetric = (name: string): number | null => {
    const found = answers.map((headers) => getNumber(headers, name));
    return found.includes(undefined) ? null : median(found.map(Number));
  };
  const trips = readMetric('d1-trips');
  if (trips === null) return null;
  return { trips, rowsRead: readMetric('d1-rows-read'), rowsWritten: readMetric('d1-rows-written') };
}

/** One operation of one server with one number of connections. */
interface Measurement {
  subject: Subject;
  operation: OperationName;
  connections: number;
}

interface MeasuredCell extends Measurement {
  rounds: Measured[];
}

interface RoundOptions {
  rounds: number;
  connections: number[];
  only: OperationName[];
  seconds: number;
  onProgress(done: number, total: number, what: string): void;
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

const rotated = <Value>(values: readonly Value[], by: number): Value[] => {
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

async function measureCell({ subject, operation, connections }: Measurement, seconds: number): Promise<Measured> {
  const found = subject.operations.find(({ name }) => name === operation);
  if (found === undefined) throw new Error(`${subject.name} does not support ${operation}.`);
  return measure(subject, found, connections, seconds);
}

function getCell({ connections, rounds }: MeasuredCell, floor: number): Cell {
  const rates = rounds.map(({ perSecond }) => perSecond);
  const used = (take: (usage: NonNullable<Measured['usage']>) => number): number | null => {
    const counted = rounds.flatMap(({ usage, succeeded: answered }) =>
      usage && answered > 0 ? [take(usage) / answered] : [],
    );
    return counted.length > 0 ? median(counted) : null;
  };
  const cpu = used(({ cpuSeconds }) => cpuSeconds);
  const failures: Record<string, number> = {};
  for (const round of rounds)
    for (const [reason, times] of Object.entries(round.failures)) failures[reason] = (failures[reason] ?? 0) + times;
  return {
    connections,
    median: median(rates),
    best: Math.max(...rates),
    rounds: rates,
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    share: floor > 0 ? median(rates) / floor : 0,
    cpuSeconds: cpu === null ? null : cpu * 1000,
    writtenBytes: used(({ writtenBytes }) => writtenBytes),
    writes: used(({ writes }) => writes),
    failures,
  };
}

function getRows(measured: MeasuredCell[]): Row[] {
  const rateOfFloor = (connections: number): number => {
    const found = measured.find((each) => each.subject.name === floorName && each.connections === connections);
    return median(found?.rounds.map(({ perSecond }) => perSecond) ?? []);
  };
  const groups = Map.groupBy(measured, ({ subject, operation }) => `${subject.name} ${operation}`);
  return [...groups.values()].flatMap((places) => {
    const [first] = places;
    if (first === undefined) return [];
    const cells = places.map((place) => getCell(place, rateOfFloor(place.connections)));
    return [{ subject: first.subject.name, operation: first.operation, cells }];
  });
}

/** Measures everything in each round. Each round starts with another measurement. */
export async function measureRounds(subjects: Subject[], options: RoundOptions): Promise<Rounds> {
  const places = listMeasurements(subjects, options).map((place): MeasuredCell => ({ ...place, rounds: [] }));
  const peaks: Rounds['peaks'] = new Map();
  const total = places.length * options.rounds;
  let done = 0;
  for (let round = 0; round < options.rounds; round += 1) {
    const start = Math.floor((places.length * round) / options.rounds);
    for (const place of rotated(places, start)) {
      const { subject, operation, connections } = place;
      options.onProgress(done, total, `${subject.name} ${operation}, ${connections} connections`);
      const measured = await measureCell(place, options.seconds);
      place.rounds.push(measured);
      if (measured.megabytes > (peaks.get(subject.name)?.megabytes ?? 0))
        peaks.set(subject.name, { megabytes: measured.megabytes, operation });
      done += 1;
    }
  }
  return { rows: getRows(places), peaks };
}
