import type { OperatorEnvironment } from './calls.ts';
import { calls, refuse } from './calls.ts';
import { deleteOldMails } from './mail.ts';

export { Mail } from './mail.ts';

const keyHeader = 'octavo-operator-key';

const failed = (message: string, details: Record<string, unknown>): void =>
  console.error(JSON.stringify({ time: new Date().toISOString(), level: 'error', message, ...details }));

/**
 * The entry point of the operator's control channel on one machine. Forwards calls and crons to the workers, runs SQL
 * for migrations, and logs dead letters that no other worker consumes.
 */
export default {
  async fetch(request: Request, env: OperatorEnvironment): Promise<Response> {
    const call = calls[new URL(request.url).pathname];
    if (call === undefined || request.headers.get(keyHeader) !== env.KEY) return refuse(404, 'Not found.');
    try {
      return await call(env, await request.json());
    } catch (error) {
      const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
      if (name === 'ApiError') return refuse(400, message);
      failed('operator call failed', { cause: String(stack) });
      return refuse(500, 'The server failed. See its log.');
    }
  },
  queue(batch: MessageBatch): void {
    for (const { id, body, attempts } of batch.messages)
      failed('dead letter', { queue: batch.queue, id, attempts, body });
  },
  scheduled: (_: unknown, env: OperatorEnvironment): Promise<void> => deleteOldMails(env),
};
