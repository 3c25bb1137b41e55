import type { OperatorEnvironment } from './calls.ts';
import { calls, refuse } from './calls.ts';
import { deleteOldMails } from './delete-old-mails.ts';

export { Mail } from './mail.ts';

const keyHeader = 'octavo-operator-key';

const failed = (message: string, more: Record<string, unknown>): void =>
  console.error(JSON.stringify({ time: new Date().toISOString(), level: 'error', message, ...more }));

/**
 * The one way from outside into the platform of one machine: it hands the operator's calls and the crons to the workers,
 * migrates the database, and takes the dead letters that no other worker consumes into the log.
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
      return refuse(500, 'The server failed; its log tells why.');
    }
  },
  queue(batch: MessageBatch): void {
    for (const { id, body, attempts } of batch.messages)
      failed('dead letter', { queue: batch.queue, id, attempts, body });
  },
  scheduled: (_: unknown, env: OperatorEnvironment): Promise<void> => deleteOldMails(env),
};
