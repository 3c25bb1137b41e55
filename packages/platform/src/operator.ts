import type { Miniflare } from 'miniflare';
import { type OperatorAnswer, refusal } from './operator-server.ts';
import { OPERATOR_WORKER } from './operator-worker.ts';
import { PlatformError } from './platform-error.ts';

export interface Operator {
  answer(path: string, body: Record<string, unknown>): Promise<OperatorAnswer>;
  dispatchCron(worker: string, cron: string): Promise<string>;
}

interface OperatorOptions {
  miniflare: Miniflare;
  key: string;
  url: string | null;
}

/** What an operator may ask of a running platform, whichever way the question came in. */
export function operatorOf({ miniflare, key, url }: OperatorOptions): Operator {
  async function issueToken(body: Record<string, unknown>): Promise<OperatorAnswer> {
    if (typeof body.email !== 'string') return refusal(400, 'The body lacks "email".');
    const worker = await miniflare.getWorker(OPERATOR_WORKER);
    const answer = await worker.fetch('http://operator/token', {
      method: 'POST',
      headers: { 'octavo-operator-key': key },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  }

  async function dispatchCron(name: string, cron: string): Promise<string> {
    const worker = await miniflare.getWorker(name).catch(() => undefined);
    if (!worker) throw new PlatformError(`There is no worker "${name}".`);
    const { outcome } = await worker.scheduled({ cron, scheduledTime: new Date() });
    return outcome;
  }

  async function runCron({ worker, cron }: Record<string, unknown>): Promise<OperatorAnswer> {
    if (typeof worker !== 'string' || typeof cron !== 'string')
      return refusal(400, 'The body lacks "worker" or "cron".');
    const outcome = await dispatchCron(worker, cron);
    if (outcome !== 'ok') return refusal(502, `The cron "${cron}" of the worker "${worker}" ended with "${outcome}".`);
    return { status: 200, body: { outcome } };
  }

  return {
    dispatchCron,
    async answer(path, body) {
      if (path === '/health') return { status: 200, body: { pid: process.pid, url } };
      if (path === '/token') return issueToken(body);
      if (path === '/cron') return runCron(body);
      return refusal(404, `The operator channel has no ${path}.`);
    },
  };
}
