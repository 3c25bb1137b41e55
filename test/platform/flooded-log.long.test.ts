import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OwnPlatform } from '../support/own-platform.ts';
import { ownPlatform } from '../support/own-platform.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await ownPlatform();
});
afterAll(() => server?.remove());

const everyMinute = ['content', 'org-admin', 'publishing'].map((worker) => ({ worker, cron: '* * * * *' }));
/** Each request writes a log line about as long as its path. */
const longPath = `/v1/${'x'.repeat(14_000)}`;

/** Sends `atOnce` concurrent requests until the work has ended. The work can read the number of responses so far. */
async function flooded(work: (answeredSoFar: () => number) => Promise<unknown>, atOnce = 32): Promise<number> {
  let isOver = false;
  let answered = 0;
  const flood = async () => {
    while (!isOver) {
      await (await server.request(longPath)).arrayBuffer();
      answered += 1;
    }
  };
  const floods = Array.from({ length: atOnce }, flood);
  await work(() => answered).finally(() => {
    isOver = true;
  });
  await Promise.all(floods);
  return answered;
}

test('runs ten concurrent crons while the log is flooded', { timeout: 300_000 }, async () => {
  const answered = await flooded(async (answeredSoFar) => {
    for (let round = 0; round < 10 || answeredSoFar() <= 100; round += 1) {
      const crons = Array.from({ length: 10 }, (_, index) => everyMinute[index % everyMinute.length]);
      const outcomes = await Promise.all(crons.map((cron) => callOperator(server.dataDir, '/cron', cron)));
      expect(outcomes).toEqual(crons.map(() => ({ outcome: 'ok' })));
    }
  });

  expect(answered).toBeGreaterThan(100);
  expect((await server.request('/health')).status).toBe(200);
});
