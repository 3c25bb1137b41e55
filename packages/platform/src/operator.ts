import type { Miniflare } from 'miniflare';
import { type OperatorAnswer, refusal } from './operator-server.ts';
import { OPERATOR_WORKER } from './operator-worker.ts';
import { PlatformError } from './platform-error.ts';

export interface Operator {
  answer(path: string, body: Record<string, unknown>): Promise<OperatorAnswer>;
  dispatchCron(worker: string, cron: string): Promise<string>;
  /** Takes up what was under way when the runtime before the one that started then (in milliseconds) ended. */
  recover(started: number): Promise<void>;
}

interface OperatorOptions {
  miniflare: Miniflare;
  key: string;
  url: string | null;
}

const isCount = ({ body }: OperatorAnswer, field: string, count: number): boolean =>
  typeof body === 'object' && body !== null && (body as Record<string, unknown>)[field] === count;

type CallWorker = (path: string, body: Record<string, unknown>) => Promise<OperatorAnswer>;

async function replayJobs(call: CallWorker, { id, all }: Record<string, unknown>): Promise<OperatorAnswer> {
  if (all === true && id === undefined) return call('/jobs/replay', { all });
  if (typeof id !== 'string' || all !== undefined) return refusal(400, 'The body needs either "id" or "all": true.');
  const answer = await call('/jobs/replay', { id });
  return isCount(answer, 'replayed', 0) ? refusal(404, `There is no job ${id} that waits.`) : answer;
}

async function rebuildSearch(call: CallWorker, { space }: Record<string, unknown>): Promise<OperatorAnswer> {
  if (space !== undefined && typeof space !== 'string') return refusal(400, 'The field "space" is no text.');
  const answer = await call('/search/rebuild', { space });
  return isCount(answer, 'queued', 0) ? refusal(404, `There is no space ${space}.`) : answer;
}

/** What an operator may ask of a running platform, whichever way the question came in. */
export function operatorOf({ miniflare, key, url }: OperatorOptions): Operator {
  async function callWorker(path: string, body: Record<string, unknown>): Promise<OperatorAnswer> {
    const worker = await miniflare.getWorker(OPERATOR_WORKER);
    const answer = await worker.fetch(`http://operator${path}`, {
      method: 'POST',
      headers: { 'octavo-operator-key': key },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  }

  async function issueToken(body: Record<string, unknown>): Promise<OperatorAnswer> {
    if (typeof body.email !== 'string') return refusal(400, 'The body lacks "email".');
    return callWorker('/token', body);
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
    async recover(started) {
      const { status } = await callWorker('/recover', { started });
      if (status !== 200) throw new PlatformError('What was under way could not be taken up; the log tells why.');
    },
    async answer(path, body) {
      if (path === '/health') return { status: 200, body: { pid: process.pid, url } };
      if (path === '/token') return issueToken(body);
      if (path === '/cron') return runCron(body);
      if (path === '/jobs') return callWorker(path, {});
      if (path === '/jobs/replay') return replayJobs(callWorker, body);
      if (path === '/search/rebuild') return rebuildSearch(callWorker, body);
      return refusal(404, `The operator channel has no ${path}.`);
    },
  };
}
