import { request } from 'node:http';
import { getOperatorSocket } from './data-folder.ts';
import { getErrorCode, PlatformError } from './platform-error.ts';

/** An unsettled event or job, as the server lists it; `age` is in milliseconds. */
export interface ListedJob {
  id: string;
  type: string;
  organization: string | null;
  space: string | null;
  age: number;
  attempts: number;
  interruptions: number;
  dead: boolean;
  error: string | null;
}

/** The result of one step of the check of stored JSON values; `next` is the position at which the next step starts. */
export interface CheckedChunk {
  table: string;
  rows: number;
  faults: { table: string; key: string; path: string; message: string }[];
  next: { table: string; after: (string | number)[] } | null;
}

export interface OperatorResponses {
  '/token': { token: string; user: string; organization?: string };
  '/cron': { outcome: string };
  '/metrics': { text: string };
  '/jobs': { jobs: ListedJob[] };
  '/jobs/replay': { replayed: number };
  '/data/check': CheckedChunk;
  '/search/rebuild': { queued: number };
  '/database': { rows: unknown[][] };
  '/health': { pid: number; url: string | null };
}

const HEALTH_PATIENCE_MS = 10_000;

const send = (dataDir: string, path: string, body: unknown) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const call = request({ socketPath: getOperatorSocket(dataDir), path, method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    call.on('error', reject);
    const hangs = new PlatformError(
      `Octavo is running on the data folder ${dataDir} but does not respond. Stop it first.`,
    );
    if (path === '/health') call.setTimeout(HEALTH_PATIENCE_MS, () => call.destroy(hangs));
    call.end(JSON.stringify(body ?? {}));
  });

export const isNotRunning = (error: unknown): boolean => ['ENOENT', 'ECONNREFUSED'].includes(getErrorCode(error) ?? '');

/**
 * Calls the operator channel. Socket errors are not converted, so that callers can recognize that no server is running.
 */
export async function sendToOperator<Path extends keyof OperatorResponses>(
  dataDir: string,
  path: Path,
  body?: unknown,
): Promise<OperatorResponses[Path]> {
  const { status, text } = await send(dataDir, path, body);
  const response = JSON.parse(text) as OperatorResponses[Path] & { error?: { message: string } };
  if (status >= 400) throw new PlatformError(response.error?.message ?? `The server returned ${status}.`);
  return response;
}

/** Calls the operator channel of the Octavo server that uses a data folder. */
export async function callOperator<Path extends keyof OperatorResponses>(
  dataDir: string,
  path: Path,
  body?: unknown,
): Promise<OperatorResponses[Path]> {
  try {
    return await sendToOperator(dataDir, path, body);
  } catch (error) {
    if (isNotRunning(error))
      throw new PlatformError(`Octavo is not running on the data folder ${dataDir}. Start it with npm start.`);
    throw error;
  }
}
