import { type Api, call } from './api.ts';
import type { Load } from './load/load.ts';
import { load } from './load/load.ts';
import { median } from './load/percentile.ts';
import { requestBytes } from './load/request-bytes.ts';
import { loadByWrk } from './load/wrk.ts';
import { megabytesOf, type Usage, untilQuiet, usageOf } from './machine/processes.ts';
import type { Operation } from './operations.ts';
import type { OperationCost } from './result.ts';

const CALLS_FOR_COSTS = 5;
const MEMORY_EVERY_MS = 1000;
/** Before each measurement, so that no code runs for the first time in it. */
const WARM_UP_SHARE = 0.2;

/** A program that is measured. */
export interface Subject {
  name: string;
  api: Api;
  operations: Operation[];
  /** The first of its processes, where they are known. */
  pid?: number;
}

/** How the load is made. */
export interface Generator {
  seconds: number;
  /** The folder that wrk's files may lie in; without it, the load is made by this program. */
  wrkFolder?: string;
}

export interface Measured extends Load {
  usage: Usage | undefined;
  megabytes: number;
}

// Numbers go on from one measurement to the next, so that no edit writes what is there already.
let next = 1;

async function loadFor(
  { api }: Subject,
  { requests }: Operation,
  connections: number,
  generator: Generator,
): Promise<Load> {
  const { hostname: host, port } = new URL(api.url);
  const bytes = requests.map((request) => requestBytes(api, request));
  const { seconds, wrkFolder } = generator;
  const options = { host, port: Number(port || 80), requests: bytes, connections, seconds, first: next };
  const done = wrkFolder === undefined ? await load(options) : await loadByWrk(options, wrkFolder);
  next = done.next;
  return done;
}

const between = (before: Usage, after: Usage): Usage => ({
  cpuSeconds: after.cpuSeconds - before.cpuSeconds,
  writtenBytes: after.writtenBytes - before.writtenBytes,
  writes: after.writes - before.writes,
});

/** Watches the memory of a tree of processes until it is told to stop, and tells the highest. */
function watchMemory(pid: number): () => Promise<number> {
  let highest = 0;
  let looking = Promise.resolve();
  const look = async () => {
    highest = Math.max(highest, await megabytesOf(pid));
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

/** Loads a program with one operation; what it uses is counted until it is quiet again, for all that it answered. */
export async function measure(
  subject: Subject,
  operation: Operation,
  connections: number,
  generator: Generator,
): Promise<Measured> {
  const { pid } = subject;
  const before = pid === undefined ? undefined : await usageOf(pid);
  const highest = pid === undefined ? undefined : watchMemory(pid);
  const warmUp = { ...generator, seconds: generator.seconds * WARM_UP_SHARE };
  const warm = await loadFor(subject, operation, connections, warmUp);
  const done = await loadFor(subject, operation, connections, generator);
  const megabytes = (await highest?.()) ?? 0;
  const after = pid === undefined ? undefined : await untilQuiet(pid);
  const failures = { ...done.failures };
  for (const [reason, times] of Object.entries(warm.failures)) failures[reason] = (failures[reason] ?? 0) + times;
  return {
    ...done,
    answered: warm.answered + done.answered,
    failures,
    megabytes,
    usage: before && after ? between(before, after) : undefined,
  };
}

const numberOf = (headers: Headers, name: string): number | undefined => {
  const found = new RegExp(`${name};desc="(\\d+)"`).exec(headers.get('server-timing') ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
};

/** Calls an operation a few times, checks its answers whole, and gives what the server tells of their costs. */
export async function costOf({ api }: Subject, { requests }: Operation): Promise<OperationCost | null> {
  const answers: Headers[] = [];
  for (let nth = 0; nth < CALLS_FOR_COSTS; nth += 1) {
    const request = requests[nth % requests.length];
    if (request) answers.push((await call(api, request)).headers);
  }
  const told = (name: string): number | null => {
    const found = answers.map((headers) => numberOf(headers, name));
    return found.includes(undefined) ? null : median(found.map(Number));
  };
  const trips = told('d1-trips');
  if (trips === null) return null;
  return { trips, rowsRead: told('d1-rows-read'), rowsWritten: told('d1-rows-written') };
}
