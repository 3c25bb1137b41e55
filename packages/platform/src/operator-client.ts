import { request } from 'node:http';
import type { ExportedFile, ExportedRows, ExportStart, Health, ListedLetter } from '@octavo/schema';
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
  '/login-link': { url: string; expiresAt: string };
  '/cron': { outcome: string };
  '/metrics': { text: string };
  '/status': Health;
  '/dead-letters': { letters: ListedLetter[]; count: number; time: number };
  '/dead-letters/retry': { retried: number; skipped: { queue: string; count: number }[]; hasMore: boolean };
  '/dead-letters/delete': { deleted: number; hasMore: boolean };
  '/export/describe': ExportStart;
  '/export/pause': object;
  '/export/resume': object;
  '/export/rows': ExportedRows;
  '/export/files': { files: ExportedFile[]; cursor: string | null };
  '/export/part': { base64: string | null };
  '/import/begin': ExportStart & { run: string };
  '/import/clear': { hasMore: boolean };
  '/import/rows': object;
  '/import/sequence': object;
  '/import/file': object;
  '/import/file/begin': { upload: string };
  '/import/file/part': { part: unknown };
  '/import/file/end': object;
  '/import/finish': object;
  '/jobs': { jobs: ListedJob[] };
  '/jobs/replay': { replayed: number };
  '/data/check': CheckedChunk;
  '/search/rebuild': { queued: number };
  '/database': { rows: unknown[][] };
  '/health': { pid: number; url: string | null };
}

/** Calls the operator channel of an installation, wherever it runs. */
export type CallOperator = <Path extends keyof OperatorResponses>(
  path: Path,
  body?: unknown,
) => Promise<OperatorResponses[Path]>;

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

export const isNotRunningError = (error: unknown): boolean =>
  ['ENOENT', 'ECONNREFUSED'].includes(getErrorCode(error) ?? '');

/**
 * Calls the operator channel. Socket errors are not converted, so that callers can recognize that no server is running.
 */
export async function sendToOperator<Path extends keyof OperatorResponses>(
  dataDir: string,
  path: Path,
  body?: unknown,
): Promise<OperatorResponses[Path]> {
  const { status, text } = await send(dataDir, path, body);
  return getResult(status, JSON.parse(text)) as OperatorResponses[Path];
}

/** Returns the body of a successful response. @throws PlatformError with the message of an error */
export function getResult(status: number, body: unknown): unknown {
  if (status < 400) return body;
  const { error } = body as { error?: { message: string } };
  throw new PlatformError(error?.message ?? `The server returned ${status}.`);
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
    if (isNotRunningError(error))
      throw new PlatformError(`Octavo is not running on the data folder ${dataDir}. Start it with npm start.`);
    throw error;
  }
}
