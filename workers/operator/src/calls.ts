import { isHalted, log, setStorage, toApiError } from '@octavo/runtime';
import { type ChosenLetters, deleteDeadLetters, listDeadLetters, retryDeadLetters } from './dead-letters.ts';
import type { Body, OperatorEnvironment } from './environment.ts';
import { describeInstallation, pauseInstallation, resumeInstallation } from './transfer/export.ts';
import { beginFile, endFile, listFiles, readPart, writeFile, writePart } from './transfer/files.ts';
import { beginImport, clearTable, finishImport, insertRows, setSequence } from './transfer/import.ts';
import { findTable, readTable } from './transfer/tables.ts';

export const refuse = (status: number, message: string): Response => Response.json({ error: { message } }, { status });

async function runCron(env: OperatorEnvironment, { worker, cron }: Body): Promise<Response> {
  const target = env[`worker:${worker}`];
  if (target === undefined) return refuse(404, `There is no worker "${worker}".`);
  const { outcome } = await target.scheduled({ scheduledTime: new Date(), cron: String(cron) });
  return Response.json({ outcome });
}

async function runStatements({ DB }: OperatorEnvironment, body: Body): Promise<Response> {
  const statements = body.statements as { sql: string; values?: unknown[] }[];
  try {
    const batchResults = await DB.batch(statements.map(({ sql, values = [] }) => DB.prepare(sql).bind(...values)));
    return Response.json({ rows: batchResults.map(({ results }) => results) });
  } catch (error) {
    return refuse(422, error instanceof Error ? error.message : String(error));
  }
}

async function recover(env: OperatorEnvironment, body: Body): Promise<Response> {
  // Nothing can be resumed while the installation is paused or being imported.
  if (await isHalted(env)) return Response.json({});
  const { CONTENT, ORG_ADMIN, PUBLISHING, INTEGRATIONS } = env;
  await Promise.all([CONTENT, ORG_ADMIN, PUBLISHING, INTEGRATIONS].map((service) => service.recover(body)));
  return Response.json({});
}

/** Stores the state of the disk. On one machine, all workers share it. */
async function reportStorage(_: OperatorEnvironment, { problem, freeBytes, totalBytes }: Body): Promise<Response> {
  const text = typeof problem === 'string' ? problem : undefined;
  setStorage({ problem: text, freeBytes: Number(freeBytes), totalBytes: Number(totalBytes) });
  return Response.json({});
}

const toResponse = async (result: Promise<unknown>): Promise<Response> => Response.json(await result);

const exportRows = async (env: OperatorEnvironment, { table, after }: Body) =>
  readTable(env, await findTable(env, table), (after ?? []) as (string | number)[]);

type Call = (env: OperatorEnvironment, body: Body) => Promise<Response>;

/** The calls for operators, by path. They exist on one machine and on Cloudflare. */
export const remoteCalls: Record<string, Call | undefined> = {
  '/token': ({ ORG_ADMIN }, body) => toResponse(ORG_ADMIN.issueToken(body)),
  '/login-link': ({ ORG_ADMIN }, body) => toResponse(ORG_ADMIN.createLoginLink(body)),
  '/metrics': ({ CONTENT }, body) => toResponse(CONTENT.readMetrics(body)),
  '/status': ({ CONTENT }, body) => toResponse(CONTENT.readHealth(body)),
  '/jobs': ({ CONTENT }, body) => toResponse(CONTENT.listJobs(body)),
  '/jobs/replay': ({ CONTENT }, body) => toResponse(CONTENT.replayJobs(body)),
  '/dead-letters': (env) => toResponse(listDeadLetters(env)),
  '/dead-letters/retry': (env, body) => toResponse(retryDeadLetters(env, body as ChosenLetters)),
  '/dead-letters/delete': (env, body) => toResponse(deleteDeadLetters(env, body as ChosenLetters)),
  '/data/check': ({ CONTENT }, body) => toResponse(CONTENT.checkData(body)),
  '/search/rebuild': ({ CONTENT }, body) => toResponse(CONTENT.rebuildSearch(body)),
  '/export/describe': (env) => toResponse(describeInstallation(env)),
  '/export/pause': (env) => toResponse(pauseInstallation(env)),
  '/export/resume': (env) => toResponse(resumeInstallation(env)),
  '/export/rows': (env, body) => toResponse(exportRows(env, body)),
  '/export/files': (env, body) => toResponse(listFiles(env, body)),
  '/export/part': (env, body) => toResponse(readPart(env, body)),
  '/import/begin': (env, body) => toResponse(beginImport(env, body)),
  '/import/clear': (env, body) => toResponse(clearTable(env, body)),
  '/import/rows': (env, body) => toResponse(insertRows(env, body)),
  '/import/sequence': (env, body) => toResponse(setSequence(env, body)),
  '/import/file': (env, body) => toResponse(writeFile(env, body)),
  '/import/file/begin': (env, body) => toResponse(beginFile(env, body)),
  '/import/file/part': (env, body) => toResponse(writePart(env, body)),
  '/import/file/end': (env, body) => toResponse(endFile(env, body)),
  '/import/finish': (env, body) => toResponse(finishImport(env, body)),
};

/** The calls of the control channel on one machine, by path. */
export const localCalls: Record<string, Call | undefined> = {
  ...remoteCalls,
  '/check': async () => Response.json({}),
  '/cron': runCron,
  '/database': runStatements,
  '/recover': recover,
  '/storage': reportStorage,
};

/** Runs a call, and returns errors as JSON. */
export async function handleCall(call: Call, env: OperatorEnvironment, body: string): Promise<Response> {
  try {
    return await call(env, JSON.parse(body) as Body);
  } catch (error) {
    const { type, message } = toApiError(error);
    if (type !== 'internal') return refuse(400, message);
    log('error', 'operator call failed', { cause: error instanceof Error ? error.stack : String(error) });
    return refuse(500, 'The server failed. See its log.');
  }
}
