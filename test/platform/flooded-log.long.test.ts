import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform } from '../support/own-platform.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server?.remove());

const everyMinute = ['content', 'org-admin', 'publishing'].map((worker) => ({ worker, cron: '* * * * *' }));
/** Each request writes a log line about as long as its path. */
const longPath = `/v1/${'x'.repeat(14_000)}`;

/** Sends `atOnce` concurrent requests until `work` has ended. Returns the number of responses, which `work` can read. */
async function sendRequestsDuring(
  work: (countResponses: () => number) => Promise<unknown>,
  atOnce = 32,
): Promise<number> {
  let isOver = false;
  let responses = 0;
  const sendRequests = async () => {
    while (!isOver) {
      await (await server.request(longPath)).arrayBuffer();
      responses += 1;
    }
  };
  const floods = Array.from({ length: atOnce }, sendRequests);
  await work(() => responses).finally(() => {
    isOver = true;
  });
  await Promise.all(floods);
  return responses;
}

test('runs ten concurrent crons while the log is flooded', { timeout: 300_000 }, async () => {
  const responses = await sendRequestsDuring(async (countResponses) => {
    for (let round = 0; round < 10 || countResponses() <= 100; round += 1) {
      const crons = Array.from({ length: 10 }, (_, index) => everyMinute[index % everyMinute.length]);
      const outcomes = await Promise.all(crons.map((cron) => callOperator(server.dataDir, '/cron', cron)));
      expect(outcomes).toEqual(crons.map(() => ({ outcome: 'ok' })));
    }
  });

  expect(responses).toBeGreaterThan(100);
  expect((await server.request('/health')).status).toBe(200);
});
