import { randomBytes } from 'node:crypto';
import type { WorkerOptions } from './manifest.ts';

export const OPERATOR_WORKER = 'octavo-operator';

const SCRIPT = `
const refuse = (status, message) => Response.json({ error: { message } }, { status });
const calls = {
  '/token': (env, body) => env.ORG_ADMIN.issueToken(body),
  '/jobs': (env) => env.CONTENT.listJobs(),
  '/jobs/replay': (env, body) => env.CONTENT.replayJobs(body),
  '/search/rebuild': (env, body) => env.CONTENT.rebuildSearch(body),
  '/recover': (env, body) => Promise.all([env.CONTENT, env.ORG_ADMIN, env.PUBLISHING].map((it) => it.recover(body))),
};
export default {
  async fetch(request, env) {
    if (request.headers.get('octavo-operator-key') !== env.KEY) return refuse(404, 'Not found.');
    try {
      const call = calls[new URL(request.url).pathname];
      return Response.json(await call(env, await request.json()));
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

/**
 * A worker of the local platform only: it hands the operator's calls to the workers, and takes the dead letters that no
 * other worker consumes (Miniflare would drop them) into the log. The key keeps out whoever finds Miniflare's own port.
 */
export function operatorWorker(deadLetterQueues: string[]): { key: string; options: WorkerOptions } {
  const key = randomBytes(24).toString('base64url');
  const options: WorkerOptions = {
    name: OPERATOR_WORKER,
    compatibilityDate: '2026-08-01',
    modulesRoot: '/',
    modules: [{ type: 'ESModule', path: '/operator.mjs', contents: SCRIPT }],
    bindings: { KEY: key },
    serviceBindings: {
      ORG_ADMIN: { name: 'org-admin', entrypoint: 'Operator' },
      CONTENT: { name: 'content', entrypoint: 'Operator' },
      PUBLISHING: { name: 'publishing', entrypoint: 'Operator' },
    },
    queueConsumers: Object.fromEntries(
      deadLetterQueues.map((queue) => [queue, { maxBatchSize: 10, maxBatchTimeout: 1 }]),
    ),
  };
  return { key, options };
}
