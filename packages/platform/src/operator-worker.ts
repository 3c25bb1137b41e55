import { randomBytes } from 'node:crypto';
import type { WorkerOptions } from './local-runtime.ts';
import { MAIL_WORKER } from './mail-worker.ts';
import type { Manifest } from './manifest.ts';

export const OPERATOR_WORKER = 'octavo-operator';
export const OPERATOR_KEY_HEADER = 'octavo-operator-key';

const SCRIPT = `
const refuse = (status, message) => Response.json({ error: { message } }, { status });
async function runCron(env, { worker, cron }) {
  const target = env['worker:' + worker];
  if (!target) return refuse(404, 'There is no worker "' + worker + '".');
  const { outcome } = await target.scheduled({ scheduledTime: new Date(), cron });
  return Response.json({ outcome });
}
async function runStatements(env, { statements }) {
  try {
    const answers = await env.DB.batch(statements.map(({ sql, values = [] }) => env.DB.prepare(sql).bind(...values)));
    return Response.json({ rows: answers.map(({ results }) => results) });
  } catch (error) {
    return refuse(422, error.message);
  }
}
const calls = {
  '/check': async () => Response.json({}),
  '/cron': runCron,
  '/database': runStatements,
  '/token': async (env, body) => Response.json(await env.ORG_ADMIN.issueToken(body)),
  '/jobs': async (env) => Response.json(await env.CONTENT.listJobs()),
  '/jobs/replay': async (env, body) => Response.json(await env.CONTENT.replayJobs(body)),
  '/data/check': async (env, body) => Response.json(await env.CONTENT.checkData(body)),
  '/search/rebuild': async (env, body) => Response.json(await env.CONTENT.rebuildSearch(body)),
  '/recover': async (env, body) => {
    await Promise.all([env.CONTENT, env.ORG_ADMIN, env.PUBLISHING].map((each) => each.recover(body)));
    return Response.json({});
  },
};
export default {
  async fetch(request, env) {
    if (request.headers.get('${OPERATOR_KEY_HEADER}') !== env.KEY) return refuse(404, 'Not found.');
    try {
      const call = calls[new URL(request.url).pathname];
      return await call(env, await request.json());
    } catch (error) {
      if (error.name === 'ApiError') return refuse(400, error.message);
      console.error(JSON.stringify({ level: 'error', message: 'operator call failed', cause: String(error.stack) }));
      return refuse(500, 'The server failed; its log tells why.');
    }
  },
  queue(batch) {
    for (const { id, body, attempts } of batch.messages)
      console.error(JSON.stringify({ level: 'error', message: 'dead letter', queue: batch.queue, id, attempts, body }));
  },
};
`;

function unconsumedDeadLetters({ workers }: Manifest): string[] {
  const consumed = new Set(workers.flatMap((worker) => worker.consumedQueues));
  return workers.flatMap((worker) => worker.deadLetterQueues).filter((queue) => !consumed.has(queue));
}

/**
 * A worker of the local platform only, and the one way from Node into the runtime: it hands the operator's calls and the
 * crons to the workers, migrates the database, and takes the dead letters that no other worker consumes (Miniflare would
 * drop them) into the log. The key keeps out whoever finds Miniflare's own port.
 */
export function operatorWorker(manifest: Manifest): { key: string; options: WorkerOptions } {
  const key = randomBytes(24).toString('base64url');
  const databases = manifest.workers.find(({ name }) => name === 'gateway')?.options.d1Databases;
  const options: WorkerOptions = {
    name: OPERATOR_WORKER,
    compatibilityDate: '2026-08-01',
    compatibilityFlags: ['service_binding_extra_handlers'],
    modulesRoot: '/',
    modules: [{ type: 'ESModule', path: '/operator.mjs', contents: SCRIPT }],
    bindings: { KEY: key },
    ...(databases ? { d1Databases: databases } : {}),
    serviceBindings: {
      ...Object.fromEntries(
        [...manifest.workers.map(({ name }) => name), MAIL_WORKER].map((name) => [`worker:${name}`, name]),
      ),
      ORG_ADMIN: { name: 'org-admin', entrypoint: 'Operator' },
      CONTENT: { name: 'content', entrypoint: 'Operator' },
      PUBLISHING: { name: 'publishing', entrypoint: 'Operator' },
    },
    queueConsumers: Object.fromEntries(
      unconsumedDeadLetters(manifest).map((queue) => [queue, { maxBatchSize: 10, maxBatchTimeout: 1 }]),
    ),
  };
  return { key, options };
}
