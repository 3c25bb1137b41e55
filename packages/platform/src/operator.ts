import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { getOperatorSocket } from './data-folder.ts';
import { PlatformError } from './platform-error.ts';

const BODY_LIMIT_BYTES = 16_000_000;

interface OperatorResponse {
  status: number;
  body: unknown;
}

export type OperatorHandler = (path: string, body: Record<string, unknown>) => Promise<OperatorResponse>;

export const createRefusal = (status: number, message: string): OperatorResponse => ({
  status,
  body: { error: { message } },
});

async function readBody(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > BODY_LIMIT_BYTES) return undefined;
  }
  try {
    const body: unknown = JSON.parse(text || '{}');
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : undefined;
  } catch {
    return undefined;
  }
}

async function respond(request: IncomingMessage, handle: OperatorHandler): Promise<OperatorResponse> {
  if (request.method !== 'POST') return createRefusal(405, 'The operator channel accepts only POST.');
  const body = await readBody(request);
  if (!body) return createRefusal(400, 'The body must be a JSON object.');
  try {
    return await handle(request.url ?? '/', body);
  } catch (error) {
    return createRefusal(500, error instanceof Error ? error.message : String(error));
  }
}

/** Listens on the data folder's socket, which only the owner of the folder can open. */
export async function serveOperator(dataDir: string, handle: OperatorHandler): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { status, body } = await respond(request, handle);
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
  });
  const path = getOperatorSocket(dataDir);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  return server;
}

/** The state of the data folder's disk. */
export interface StorageReport {
  /** The reason why the server cannot write; undefined if there is space. */
  problem: string | undefined;
  freeBytes: number;
  totalBytes: number;
}

export interface Operator {
  answer(path: string, body: Record<string, unknown>): Promise<OperatorResponse>;
  dispatchCron(worker: string, cron: string): Promise<string>;
  /**
   * Resumes the work that was interrupted when the previous runtime ended; `started` is the start of the new one in
   * milliseconds.
   */
  recover(started: number): Promise<void>;
  /** Reports the free space of the disk and, if the server cannot write, the reason. */
  reportStorage(report: StorageReport): Promise<void>;
}

/** Calls the operator's worker in the runtime. */
export type CallWorker = (path: string, body: Record<string, unknown>) => Promise<OperatorResponse>;

interface OperatorOptions {
  call: CallWorker;
  url: string | null;
  /** For tests: callers with this key can run statements on the database. If it is not set, no caller can. */
  testKey?: string | undefined;
}

const isCount = ({ body }: OperatorResponse, field: string, count: number): boolean =>
  typeof body === 'object' && body !== null && (body as Record<string, unknown>)[field] === count;

async function replayJobs(call: CallWorker, { id, all }: Record<string, unknown>): Promise<OperatorResponse> {
  if (all === true && id === undefined) return call('/jobs/replay', { all });
  if (typeof id !== 'string' || all !== undefined)
    return createRefusal(400, 'The body must have either "id" or "all": true.');
  const response = await call('/jobs/replay', { id });
  return isCount(response, 'replayed', 0) ? createRefusal(404, `There is no pending job ${id}.`) : response;
}

async function changeDeadLetters(
  call: CallWorker,
  path: string,
  { id, until }: Record<string, unknown>,
): Promise<OperatorResponse> {
  const isValid = id === undefined ? typeof until === 'number' : typeof id === 'string' && until === undefined;
  if (!isValid) return createRefusal(400, 'The body must have either "id" or "until", a time in milliseconds.');
  return call(path, { id, until });
}

async function rebuildSearch(call: CallWorker, { space }: Record<string, unknown>): Promise<OperatorResponse> {
  if (space !== undefined && typeof space !== 'string') return createRefusal(400, '"space" must be a string.');
  const response = await call('/search/rebuild', { space });
  return isCount(response, 'queued', 0) ? createRefusal(404, `Space ${space} not found.`) : response;
}

async function checkData(call: CallWorker, { from }: Record<string, unknown>): Promise<OperatorResponse> {
  const isPosition = typeof from === 'object' && from !== null && 'table' in from && 'after' in from;
  if (from !== undefined && !isPosition)
    return createRefusal(400, '"from" must be the position that a check returned.');
  return call('/data/check', { from });
}

/** Calls whose bodies are validated by the operator's worker itself. */
const unchangedCalls = /^\/(?:metrics|status|jobs|dead-letters|(?:export|import)\/[a-z/]+)$/;

/** Returns the functions that operators can call on a running platform, regardless of the channel. */
export function createOperator({ call, url, testKey }: OperatorOptions): Operator {
  async function callForAddress(path: string, body: Record<string, unknown>): Promise<OperatorResponse> {
    if (typeof body.email !== 'string') return createRefusal(400, '"email" is required.');
    return call(path, body);
  }

  async function dispatchCron(worker: string, cron: string): Promise<string> {
    const { status, body } = await call('/cron', { worker, cron });
    const { outcome, error } = body as { outcome?: string; error?: { message: string } };
    if (outcome === undefined) throw new PlatformError(error?.message ?? `The server returned ${status}.`);
    return outcome;
  }

  async function runCron({ worker, cron }: Record<string, unknown>): Promise<OperatorResponse> {
    if (typeof worker !== 'string' || typeof cron !== 'string')
      return createRefusal(400, '"worker" and "cron" are required.');
    const outcome = await dispatchCron(worker, cron);
    if (outcome !== 'ok')
      return createRefusal(502, `The cron "${cron}" of the worker "${worker}" ended with "${outcome}".`);
    return { status: 200, body: { outcome } };
  }

  return {
    dispatchCron,
    async recover(started) {
      const { status } = await call('/recover', { started });
      if (status !== 200) throw new PlatformError('Interrupted work could not be resumed. See the log.');
    },
    async reportStorage(report) {
      const { status } = await call('/storage', { ...report });
      if (status !== 200) throw new PlatformError(`The server returned ${status}.`);
    },
    async answer(path, body) {
      if (path === '/health') return { status: 200, body: { pid: process.pid, url } };
      if (path === '/token' || path === '/login-link') return callForAddress(path, body);
      if (path === '/cron') return runCron(body);
      if (unchangedCalls.test(path)) return call(path, body);
      if (/^\/dead-letters\/(?:retry|delete)$/.test(path)) return changeDeadLetters(call, path, body);
      if (path === '/jobs/replay') return replayJobs(call, body);
      if (path === '/data/check') return checkData(call, body);
      if (path === '/search/rebuild') return rebuildSearch(call, body);
      if (path === '/database' && testKey !== undefined && body.key === testKey)
        return call(path, { statements: body.statements });
      return createRefusal(404, `The operator channel has no operation ${path}.`);
    },
  };
}
