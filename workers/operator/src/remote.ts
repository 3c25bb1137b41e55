import { WorkerEntrypoint } from 'cloudflare:workers';
import { connect, operatorCalls, readRow, selection } from '@octavo/db';
import { buildHeader, deleteInBatches, deriveText, deriveTextFrom, hashText } from '@octavo/runtime';
import { operatorPath, operatorPurpose, operatorSignatureHeader } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { handleCall, refuse, remoteCalls } from './calls.ts';
import type { OperatorEnvironment } from './environment.ts';

/** Maximum difference between the time of a call and the worker's clock. */
const maxAgeMilliseconds = 5 * 60_000;
const signaturePattern = /^(\d{13})\.([\w-]{16,64})\.([0-9a-f]{64})\.([\w-]{43})$/;

/** The calls that write nothing, so that they may be repeated. */
const repeatable = /^\/(?:jobs|status|metrics|dead-letters|data\/check|export\/(?:describe|rows|files|part))$/;
/** The path that a deployment requests from a new version. */
const smokeTestPath = '/smoke-test';

const callRow = selection({ nonce: operatorCalls.nonce });

/** Records a call that writes. Returns false if it was recorded before: the request is a copy. */
async function recordCall({ DB }: OperatorEnvironment, nonce: string, path: string): Promise<boolean> {
  const { db } = connect(DB, { intent: 'write' });
  const insert = db.insert(operatorCalls).values({ nonce, path, calledAt: Date.now() });
  return (await readRow(db, callRow.query(insert.onConflictDoNothing().returning()))) !== undefined;
}

/**
 * Returns the body of a request that was signed with the secret of the installation in the last minutes. Returns
 * undefined for all other requests, whose bodies are not read.
 */
async function readSigned(env: OperatorEnvironment, request: Request, path: string): Promise<string | undefined> {
  const [, time = '', nonce = '', hash = '', signature = ''] =
    signaturePattern.exec(request.headers.get(operatorSignatureHeader) ?? '') ?? [];
  if (Math.abs(Date.now() - Number(time)) > maxAgeMilliseconds) return undefined;
  const key = await deriveText(env, operatorPurpose);
  const { host } = new URL(env.OCTAVO_PUBLIC_URL);
  const expected = await deriveTextFrom(key, [time, nonce, host, path, hash].join('\n'));
  // Hashes are compared, because this takes the same time for each wrong signature.
  if ((await hashText(signature)) !== (await hashText(expected))) return undefined;
  const body = await request.text();
  if ((await hashText(body)) !== hash) return undefined;
  return repeatable.test(path) || (await recordCall(env, nonce, path)) ? body : undefined;
}

/**
 * The operator's calls on Cloudflare, which the gateway forwards. Each is signed with a key that is derived from the
 * secret of the installation, so that no token of a user gives access. To all other callers, the path does not exist.
 */
export class RemoteOperator extends WorkerEntrypoint<OperatorEnvironment> {
  override async fetch(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname.slice(operatorPath.length);
    const body = await readSigned(this.env, request, path);
    const response = body === undefined ? refuse(404, 'Not found.') : await this.#respond(path, body);
    if (body !== undefined || path === smokeTestPath) response.headers.set(buildHeader, this.env.OCTAVO_BUILD ?? '');
    return response;
  }

  async #respond(path: string, body: string): Promise<Response> {
    const call = remoteCalls[path];
    if (call === undefined)
      return refuse(404, `This platform has no operation ${path}. Deploy the version of this command.`);
    return handleCall(call, this.env, body);
  }
}

export const deleteOldCalls = (env: OperatorEnvironment): Promise<void> =>
  deleteInBatches(
    env,
    'calls of the operator',
    (limit) => sql`DELETE FROM operator_calls WHERE nonce IN (
      SELECT nonce FROM operator_calls WHERE called_at < ${Date.now() - 2 * maxAgeMilliseconds}
      ORDER BY called_at LIMIT ${limit}) RETURNING 1`,
  );
