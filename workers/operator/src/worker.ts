import { createCronRunner } from '@octavo/runtime';
import { handleCall, localCalls, refuse } from './calls.ts';
import { deleteOldDeadLetters, storeDeadLetters } from './dead-letters.ts';
import type { OperatorEnvironment } from './environment.ts';
import { deleteOldMails } from './mail.ts';
import { deleteOldCalls } from './remote.ts';

export { Mail } from './mail.ts';
export { RemoteOperator } from './remote.ts';

const keyHeader = 'octavo-operator-key';

const runCron = createCronRunner<OperatorEnvironment>('operator', {
  '53 3 * * *': [deleteOldMails, deleteOldDeadLetters, deleteOldCalls],
});

/**
 * The entry point of the operator's control channel on one machine. Forwards calls and crons to the workers, and runs
 * SQL for migrations. On both targets, it stores dead letters.
 */
export default {
  async fetch(request: Request, env: OperatorEnvironment): Promise<Response> {
    const call = localCalls[new URL(request.url).pathname];
    // Without a key, as on Cloudflare, this entry point serves no calls.
    const isOperator = env.KEY !== undefined && request.headers.get(keyHeader) === env.KEY;
    return call === undefined || !isOperator ? refuse(404, 'Not found.') : handleCall(call, env, await request.text());
  },
  queue: (batch: MessageBatch, env: OperatorEnvironment): Promise<void> => storeDeadLetters(batch, env),
  scheduled: ({ cron }: { cron: string }, env: OperatorEnvironment, background: ExecutionContext): Promise<void> =>
    runCron(cron, env, background),
};
