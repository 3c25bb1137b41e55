import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPast, writePast } from '../support/database.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { ownPlatform, until } from '../support/own-platform.ts';

const second = 1000;
const minute = 60 * second;
const started = Date.now();
const settles = JSON.stringify({ revision: 'rev_none', pages: [] });
/** Event data that no consumer can parse. */
const malformed = '{}';

interface Kept {
  sentAt: number;
  attempts: number;
  doneAt: number | null;
}

/** Events by the time since they were written and last sent. */
const events = {
  taken: { created: 40 * second, sent: 30 * second, data: settles, attempts: 0 },
  fails: { created: 40 * second, sent: 30 * second, data: malformed, attempts: 0 },
  failedNine: { created: 60 * minute, sent: 30 * minute, data: malformed, attempts: 9 },
  dead: { created: 60 * minute, sent: 30 * minute, data: malformed, attempts: 10 },
  old: { created: 60 * minute, sent: 20 * minute, data: settles, attempts: 0 },
  oldSentLately: { created: 60 * minute, sent: 10 * minute, data: settles, attempts: 0 },
};
type Name = keyof typeof events;

let server: OwnPlatform;
beforeAll(async () => {
  server = await ownPlatform();
  for (const [id, { created, sent, data, attempts }] of Object.entries(events)) {
    await writePast(
      server,
      `INSERT INTO outbox (id, type, space, actor, request_id, data, created_at, sent_at, attempts)
        VALUES (?, 'content.changed', 'spc_none', '', '', ?, ?, ?, ?)`,
      id,
      data,
      started - created,
      started - sent,
      attempts,
    );
  }
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
});
afterAll(() => server?.remove());

function kept(id: Name): Kept {
  const [row] = readPast<Kept>(
    server.dataDir,
    'SELECT sent_at AS sentAt, attempts, done_at AS doneAt FROM outbox WHERE id = ?',
    id,
  );
  if (row === undefined) throw new Error(`There is no event ${id}.`);
  return row;
}
const isSent = (id: Name) => kept(id).sentAt > started - events[id].sent;
const settled = (id: Name) => until(() => (kept(id).doneAt === null ? undefined : kept(id)));

test('an event counts once when it is taken and settled', async () => {
  expect(await settled('taken')).toMatchObject({ attempts: 1 });
});

test('an event that its consumer cannot parse counts each time', async () => {
  const failed = await until(() => (kept('fails').attempts >= 2 ? kept('fails') : undefined));

  expect(failed.doneAt).toBeNull();
});

test('sends an event ten times at most', async () => {
  expect(isSent('failedNine')).toBe(true);
  expect(isSent('dead')).toBe(false);
  await until(() => (kept('failedNine').attempts >= 10 ? true : undefined));
});

test('waits longer the older an event is', async () => {
  expect(await settled('old')).toMatchObject({ attempts: 1 });
  expect(isSent('oldSentLately')).toBe(false);
  expect(kept('oldSentLately').attempts).toBe(0);
});
