import { setStorage } from '@octavo/runtime';
import type { MailEnvironment } from './mail.ts';

/** The RPC interface of a worker with crons. */
interface Scheduled {
  scheduled(options: { scheduledTime: Date; cron: string }): Promise<{ outcome: string }>;
}

type Body = Record<string, unknown>;
type Service<Method extends string> = Record<Method | 'recover', (body: Body) => Promise<unknown>>;

/** Workers are also bound as `worker:<name>`, for their crons. */
export interface OperatorEnvironment extends MailEnvironment {
  /** Rejects callers other than the operator. */
  KEY: string;
  DB: D1Database;
  ORG_ADMIN: Service<'issueToken'>;
  CONTENT: Service<'listJobs' | 'readMetrics' | 'replayJobs' | 'checkData' | 'rebuildSearch'>;
  PUBLISHING: Service<never>;
  INTEGRATIONS: Service<never>;
  [worker: `worker:${string}`]: Scheduled | undefined;
}

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

/** The calls of the control channel, by path. */
export const calls: Record<string, (env: OperatorEnvironment, body: Body) => Promise<Response>> = {
  '/check': async () => Response.json({}),
  '/cron': runCron,
  '/database': runStatements,
  '/token': ({ ORG_ADMIN }, body) => toResponse(ORG_ADMIN.issueToken(body)),
  '/metrics': ({ CONTENT }, body) => toResponse(CONTENT.readMetrics(body)),
  '/jobs': ({ CONTENT }, body) => toResponse(CONTENT.listJobs(body)),
  '/jobs/replay': ({ CONTENT }, body) => toResponse(CONTENT.replayJobs(body)),
  '/data/check': ({ CONTENT }, body) => toResponse(CONTENT.checkData(body)),
  '/search/rebuild': ({ CONTENT }, body) => toResponse(CONTENT.rebuildSearch(body)),
  '/recover': recover,
  '/storage': reportStorage,
};
