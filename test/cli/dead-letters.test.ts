import { callOperator } from '@octavo/platform';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../support/database.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform, until } from '../support/own-platform.ts';
import { octavo } from './octavo.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server?.remove());

const run = (...args: string[]) => octavo({ OCTAVO_DATA: server.dataDir }, ...args);

/** Inserts an event that no cron sends, and the message for it as a dead letter. */
async function insertDeadLetter(id: string): Promise<void> {
  await writeDatabase(
    server,
    `INSERT INTO outbox (id, type, space, actor, request_id, data, created_at, sent_at)
      VALUES (?, 'content.changed', 'spc_none', '', '', '{"revision":"rev","pages":[]}', ?, ?)`,
    id,
    Date.now() - 90_060_000,
    Date.now() + 3_600_000,
  );
  await writeDatabase(
    server,
    'INSERT INTO dead_letters (id, queue, body, received_at) VALUES (?, ?, ?, ?)',
    `msg_${id}`,
    'events',
    JSON.stringify({ id, type: 'content.changed' }),
    Date.now() - 90_060_000,
  );
}

const isDone = (id: string) =>
  queryDatabase(server.dataDir, 'SELECT done_at FROM outbox WHERE id = ?', id)[0]?.done_at != null;

test('lists dead letters, and sends one or all of them again', async () => {
  expect(await run('dead-letters')).toMatchObject({ code: 0, stdout: 'No dead letters.\n' });
  for (const id of ['evt_1', 'evt_2', 'evt_3']) await insertDeadLetter(id);

  const { stdout } = await run('dead-letters');
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['ID', 'QUEUE', 'AGE', 'MESSAGE'],
    ...['evt_1', 'evt_2', 'evt_3'].map((id) => [
      ...[`msg_${id}`, 'events', '1d 1h', `{"id":"${id}","type":"content.changed"}`],
    ]),
    [''],
  ]);
  expect(await run('dead-letters', 'retry', 'msg_evt_2')).toMatchObject({
    code: 0,
    stdout: '1 dead letter was sent again.\n',
  });
  await until(() => isDone('evt_2') || undefined);
  expect(isDone('evt_1')).toBe(false);
  expect(JSON.parse((await run('dead-letters', 'retry', '--all', '--json')).stdout)).toEqual({
    retried: 2,
    skipped: [],
  });
  await until(() => (isDone('evt_1') && isDone('evt_3')) || undefined);
  expect(await run('dead-letters')).toMatchObject({ stdout: 'No dead letters.\n' });
});

test('refuses an unknown dead letter, and a call without a choice', async () => {
  expect(await run('dead-letters', 'retry', 'msg_none')).toMatchObject({ code: 1 });
  expect(await run('dead-letters', 'retry')).toMatchObject({ code: 2 });
  expect(await run('dead-letters', 'delete', 'msg_none')).toMatchObject({ code: 1 });
});

test('reports the ages of queues and crons, and problems', async () => {
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
  const healthy = await run('health');

  expect(healthy).toMatchObject({ code: 0, stdout: expect.stringContaining('No problems.') });
  expect(healthy.stdout).toMatch(/^events +0 +- +0 +0$/m);
  expect(healthy.stdout).toMatch(/^content +\* \* \* \* \* +\d+s ago +\d+s +0$/m);

  await insertDeadLetter('evt_old');
  await writeDatabase(
    server,
    "UPDATE cron_runs SET started_at = 1, failed = 2 WHERE worker = 'content' AND cron = '* * * * *'",
  );
  const { code, stdout } = await run('health', '--json');
  const { status, problems, queues } = JSON.parse(stdout) as { status: string; problems: string[]; queues: object[] };

  expect([code, status]).toEqual([1, 'problems']);
  expect(queues).toContainEqual(expect.objectContaining({ queue: 'events', waiting: 1, deadLetters: 1 }));
  expect(problems).toEqual([
    'The oldest message for the queue `events` has waited for 1501 minutes.',
    'The queue `events` has given up 1 message. List them: `octavo dead-letters`.',
    expect.stringMatching(/^The cron "\* \* \* \* \*" of content has not run for \d+ minutes\.$/),
    '2 tasks of the cron "* * * * *" of content have failed. The log has the reason.',
  ]);
});
