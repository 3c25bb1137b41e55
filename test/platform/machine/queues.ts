import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { getModule } from '../../support/transpiled.ts';
import type { cases } from './queue-cases.ts';

const files = ['workers/machine/src/local-queue.ts', 'test/platform/machine/queue-cases.ts'];

const worker = `
import { LocalQueue } from './local-queue.ts';
import { cases } from './queue-cases.ts';
const usual = { maxBatchSize: 10, maxBatchTimeout: 0, maxRetries: 3 };
const make = ({ delivery, consume, bury }) => new LocalQueue('tried', { ...usual, ...delivery }, {
  consume: async ({ messages }) => consume(messages),
  ...(bury === undefined ? {} : { deadLetters: async (body) => bury(body) }),
});
export default {
  fetch: async (request) => Response.json(await cases[await request.text()](make)),
};
`;

/** Starts the runtime with a worker that tests the machine's queue. */
export async function startQueues() {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      // The queue logs expected failures here.
      handleStructuredLogs: () => undefined,
      workers: [
        {
          name: 'queues',
          compatibilityDate: '2026-08-01',
          modulesRoot: '/',
          modules: [
            { type: 'ESModule', path: '/worker.js', contents: worker },
            ...(await Promise.all(files.map(getModule))),
          ],
        },
      ],
    }),
  );
  const run = async (name: keyof typeof cases): Promise<unknown> => {
    const response = await miniflare.dispatchFetch('http://queues/', { method: 'POST', body: name });
    if (response.status !== 200) throw new Error(await response.text());
    return response.json();
  };
  return { run, stop: () => miniflare.dispose() };
}
