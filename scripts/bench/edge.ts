import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildPlatform, callOperator, startPlatform } from '@octavo/platform';
import { outDir, root } from '../settings.ts';
import { octavo } from './adapters/octavo.ts';
import { type Api, type ApiRequest, call, callJson, counter, createAuthorization } from './api.ts';
import { commonWord, createCorpus } from './corpus.ts';
import { copyWithLatencies } from './latency.ts';
import { readCosts } from './measure.ts';
import { formatColumns } from './report.ts';
import { getMedian } from './result.ts';
import { findFreePort, withFolder } from './servers.ts';

const SIZE = 0.2;
const CALLS = 5;
/** The wait before some calls. It is longer than the time for which the gateway and workers cache a site's version. */
const VERSION_LIFETIME_MS = 6000;

interface EdgeOperation {
  title: string;
  /** Runs before each call. Its result is passed to `request`. */
  prepare?: () => Promise<string | undefined>;
  request: (prepared: string) => ApiRequest;
  /** The number of calls; 5 by default. */
  calls?: number;
}

type Ids = Awaited<ReturnType<typeof octavo.seed>>;

const get = (path: string): ApiRequest => ({ method: 'GET', path });
const post = (path: string, body: unknown = {}): ApiRequest => ({ method: 'POST', path, body });

function createEdgeOperations(api: Api, ids: Ids): EdgeOperation[] {
  const { organization, space, writeSpace, pages, parents, published } = ids;
  const [page = '', other = ''] = pages;
  const inSpace = `/v1/spaces/${space}`;
  const edit = (target: string, id: string) =>
    post(`/v1/spaces/${target}/content`, {
      changes: [{ operation: 'update_page', page: id, document: { markdown: `# Part 1\n\nEdit ${counter}.\n` } }],
    });
  const parts = parents.map((_, index) => `part-${index + 1}`).slice(1);
  const writeNextPart = async () => parts.shift();
  const run = async (...requests: ApiRequest[]) => {
    for (const request of requests) await call(api, request);
    return undefined;
  };
  const openChange = async () => {
    const { id } = await callJson<{ id: string }>(api, { ...post(`${inSpace}/change-requests`), status: 201 });
    const changes = [
      { operation: 'update_page', page: other, document: { markdown: `# Other\n\nEdit ${counter}.\n` } },
    ];
    await call(api, post(`${inSpace}/change-requests/${id}/content`, { changes }));
    return id;
  };
  return [
    { title: 'published page, first of a site', calls: 1, request: () => get(published) },
    { title: 'published page, next page', prepare: writeNextPart, request: (part) => get(`${published}${part}`) },
    { title: 'published page, cached', prepare: () => run(get(published)), request: () => get(published) },
    {
      title: 'published page, version expired',
      calls: 1,
      prepare: () => run(get(published)).then(() => delay(VERSION_LIFETIME_MS, undefined)),
      request: () => get(published),
    },
    {
      title: 'published page, after an edit',
      calls: 1,
      prepare: () => run(edit(writeSpace, parents[0] ?? '')).then(() => delay(VERSION_LIFETIME_MS, undefined)),
      request: () => get(published),
    },
    { title: 'site search', request: () => get(`${published}~/search?query=part`) },
    { title: 'read a page by id', request: () => get(`${inSpace}/content/page/${page}`) },
    { title: 'read a page by path', request: () => get(`${inSpace}/content/path/document-1`) },
    { title: 'list pages', request: () => get(`${inSpace}/content/pages?depth=0`) },
    { title: 'read a revision', request: () => get(`${inSpace}/content`) },
    { title: 'read a space', request: () => get(inSpace) },
    { title: 'list spaces', request: () => get(`/v1/orgs/${organization}/spaces?limit=50`) },
    { title: 'search in a space', request: () => get(`${inSpace}/search?query=${commonWord}`) },
    { title: 'comment on a page', request: () => octavo.comment(ids, 0) },
    { title: 'list comments', request: () => get(`${inSpace}/comments`) },
    { title: 'update a page', request: () => edit(space, page) },
    {
      title: 'merge a change request',
      prepare: openChange,
      request: (id) => post(`${inSpace}/change-requests/${id}/merge`),
    },
  ];
}

/** Calls an operation several times, and returns its costs and its time in milliseconds as medians. */
async function measureOperation(
  api: Api,
  { title, prepare, request, calls = CALLS }: EdgeOperation,
): Promise<string[]> {
  const headers: Headers[] = [];
  const times: number[] = [];
  for (let index = 0; index < calls; index += 1) {
    const prepared = await prepare?.();
    const started = performance.now();
    headers.push((await call(api, request(prepared ?? ''))).headers);
    times.push(performance.now() - started);
  }
  const cost = readCosts(headers);
  const numbers = [cost?.sequentialTrips, cost?.trips, cost?.rowsRead, cost?.rowsWritten, getMedian(times)];
  return [title, ...numbers.map((value) => (value == null ? '' : String(Math.round(value))))];
}

/** Runs separate workers on a data folder. */
async function withServer<Value>(dataDir: string, build: string, work: (api: Api) => Promise<Value>): Promise<Value> {
  const testKey = randomUUID();
  const port = await findFreePort();
  const vars = { OCTAVO_RATE_LIMITS: 'off' };
  const { url, stop } = await startPlatform({ root, dataDir, outDir: build, port, testKey, shape: 'workers', vars });
  try {
    const { token } = await callOperator(dataDir, '/token', { email: 'bench@octavo.local', displayName: 'Benchmark' });
    return await work({ url, headers: { ...createAuthorization(token), 'octavo-test-key': testKey } });
  } finally {
    await stop();
  }
}

/**
 * Measures the most frequent operations as a client far from the database sees them, and prints the sequential round
 * trips to the database and the time of each. The content is created without latencies.
 */
export const runEdgeBench = (): Promise<void> =>
  withFolder(async (folder) => {
    await buildPlatform({ root, outDir, scope: 'all' });
    const dataDir = path.join(folder, 'data');
    const ids = await withServer(dataDir, outDir, async (api) => {
      await call(api, { ...post('/v1/orgs', { title: 'Bench' }), status: 201 });
      return octavo.seed(api, createCorpus(SIZE));
    });
    const delayed = await copyWithLatencies(outDir, path.join(folder, 'build'));
    const rows = await withServer(dataDir, delayed, async (api) => {
      const measured: string[][] = [];
      for (const operation of createEdgeOperations(api, ids)) measured.push(await measureOperation(api, operation));
      return measured;
    });
    console.log(formatColumns([['', 'sequential', 'trips', 'rows read', 'written', 'ms'], ...rows]));
  });
