import path from 'node:path';
import { octavo } from './adapters/octavo.ts';
import type { ApiRequest } from './api.ts';
import { type Corpus, createCorpus } from './corpus.ts';
import { floorName, measure, measureCost, measureRounds, type Rounds, type Subject } from './measure.ts';
import { createOperations, type Operation, type OperationName } from './operations.ts';
import type { BenchOptions } from './options.ts';
import { countSyncs, measureMegabytes, waitUntilIdle, watchOtherProcesses } from './processes.ts';
import { getMedian, type Memory, type Row, type SizeResult } from './result.ts';
import { type OctavoServer, startFloor, startOctavo, withFolder } from './servers.ts';
import { judge } from './verdicts.ts';

const STARTS = 3;
const SYNC_CONNECTIONS = 8;

interface ReportFunctions {
  /** Shows the current step. */
  say(message: string): void;
}

/** Creates the corpus in a data folder with a server that is stopped afterwards. */
async function seedOctavo(dataDir: string, size: number): Promise<{ operations: Operation[]; seconds: number }> {
  const corpus = createCorpus(size);
  const server = await startOctavo(dataDir);
  try {
    const began = performance.now();
    const ids = await octavo.seed(server.api, corpus);
    const seconds = (performance.now() - began) / 1000;
    await waitUntilIdle(server.pid);
    return { operations: createOperations(octavo, ids, corpus), seconds };
  } finally {
    await server.stop();
  }
}

/** Starts a server several times on existing data, and leaves the last one running. */
async function restartServer(
  dataDir: string,
  request: ApiRequest,
): Promise<{ server: OctavoServer; starts: number[] }> {
  const starts: number[] = [];
  for (;;) {
    const server = await startOctavo(dataDir, {}, request);
    starts.push(server.started);
    if (starts.length === STARTS) return { server, starts };
    await waitUntilIdle(server.pid);
    await server.stop();
  }
}

const seedPeers = ({ peers }: BenchOptions, corpus: Corpus): Promise<Subject[]> =>
  Promise.all(peers.map(async ({ name, url, token, seed }) => ({ name, ...(await seed(url, token, corpus)) })));

async function measureIdleMegabytes({ pid }: OctavoServer): Promise<number> {
  await waitUntilIdle(pid);
  return measureMegabytes(pid);
}

async function getSyncs(
  subject: Subject,
  name: OperationName,
  seconds: number,
  folder: string,
): Promise<number | null> {
  const operation = subject.operations.find((operation) => operation.name === name);
  if (operation === undefined || subject.pid === undefined) return null;
  let succeeded = 0;
  const syncs = await countSyncs(subject.pid, folder, async () => {
    succeeded = (await measure(subject, operation, SYNC_CONNECTIONS, seconds)).succeeded;
  });
  return succeeded > 0 ? syncs / succeeded : null;
}

interface MeasureContext {
  options: BenchOptions;
  folder: string;
  say: ReportFunctions['say'];
}

/** Measures all operations. Measures the costs of single calls first, because the later rounds change the content. */
async function measureSubjects(subjects: Subject[], { options, folder, say }: MeasureContext) {
  const costs = new Map<string, Row['cost']>();
  for (const subject of subjects)
    for (const operation of subject.operations.filter(({ name }) => options.only.includes(name)))
      costs.set(`${subject.name} ${operation.name}`, await measureCost(subject, operation));
  const measurements = await measureRounds(subjects, {
    ...options,
    onProgress: (doneCount, total, label) => say(`${doneCount + 1} of ${total}: ${label}`),
  });
  const rows: Row[] = [];
  for (const row of measurements.rows) {
    const subject = subjects.find(({ name }) => name === row.subject);
    const isTraced = options.countsSyncs && row.subject === 'octavo' && subject !== undefined;
    const syncs = isTraced ? await getSyncs(subject, row.operation, options.seconds, folder) : null;
    rows.push({ ...row, cost: costs.get(`${row.subject} ${row.operation}`) ?? null, syncs });
  }
  return { rows, peaks: measurements.peaks };
}

function getMemory(idle: number, after: number, peaks: Rounds['peaks']): Memory {
  const { megabytes = 0, operation = '' } = peaks.get('octavo') ?? {};
  return { idle, peak: Math.max(idle, megabytes, after), peakIn: operation, after };
}

async function measureServer(
  server: OctavoServer,
  operations: Operation[],
  measuring: MeasureContext & { size: number },
): Promise<Pick<SizeResult, 'memory' | 'rows' | 'others'>> {
  const { folder, options, size } = measuring;
  const idle = await measureIdleMegabytes(server);
  const floor = await startFloor(folder);
  try {
    const constant: Operation = { name: 'constant', requests: [{ method: 'GET', path: '/' }] };
    const subjects: Subject[] = [
      { name: floorName, api: floor.api, pid: floor.pid, operations: [constant] },
      { name: 'octavo', api: server.api, pid: server.pid, operations },
      ...(await seedPeers(options, createCorpus(size))),
    ];
    const others = await watchOtherProcesses();
    const { rows, peaks } = await measureSubjects(subjects, measuring);
    return { rows, others: await others(), memory: getMemory(idle, await measureIdleMegabytes(server), peaks) };
  } finally {
    await floor.stop();
  }
}

async function measureInFolder(
  folder: string,
  size: number,
  options: BenchOptions,
  { say }: ReportFunctions,
): Promise<SizeResult> {
  const dataDir = path.join(folder, 'data');
  const documents = createCorpus(size).documents.length;
  say(`seeding ${documents} documents`);
  const { operations, seconds } = await seedOctavo(dataDir, size);
  const [request] = operations.find(({ name }) => name === 'read')?.requests ?? [];
  if (request === undefined) throw new Error('The site has no page to read.');
  say('starting on the data');
  const { server, starts } = await restartServer(dataDir, request);
  const measuring = { options, folder, say, size };
  const sizeResult = await measureServer(server, operations, measuring).finally(server.stop);
  const result = { size, documents, seedSeconds: seconds, starts, ...sizeResult };
  return { ...result, verdicts: judge({ ...result, start: getMedian(starts) }) };
}

/** Measures everything at one size, on a separate server and data folder. */
export const measureSize = (size: number, options: BenchOptions, report: ReportFunctions): Promise<SizeResult> =>
  withFolder((folder) => measureInFolder(folder, size, options, report));
