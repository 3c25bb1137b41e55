import { expect, test } from 'vitest';
import { waitUntilMidMinute } from '../../support/between-minutes.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { makeIntegration } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { sweepDeliveries } from '../webhooks/webhook-client.ts';
import { publishScript } from './scripted.ts';

const server = platform();

const fails = getScript(`throw new Error('not now');`);
const countWaitingTasks = (name: string) =>
  query<{ attempts: number; run_at: number }>(
    'SELECT attempts, run_at FROM integration_tasks WHERE integration = ?',
    name,
  );
const makeDue = (name: string) =>
  writeDatabase(server, 'UPDATE integration_tasks SET run_at = 1 WHERE integration = ?', name);
const getRuns = (name: string) =>
  query<{ status: string }>('SELECT status FROM integration_events WHERE integration = ?', name).length;

const queueTask = (name: string, token: string, body: object) =>
  server.request(`/v1/integrations/${name}/tasks`, { token, body });

test('retries a failing task with increasing delays, and finally gives up', async () => {
  const { name, owner } = await publishScript(server, fails);
  expect((await queueTask(name, owner.token, { task: { a: 1 }, schedule: 3600 })).status).toBe(204);
  await sweepDeliveries();
  expect(countWaitingTasks(name)).toMatchObject([{ attempts: 0 }]);

  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const before = Date.now();
    await makeDue(name);
    await sweepDeliveries();
    // The cron that runs each minute may have started the task first.
    await until(() => (getRuns(name) >= attempt ? true : undefined));
    expect(getRuns(name)).toBe(attempt);
    if (attempt === 5) break;
    const [{ attempts, run_at } = { attempts: 0, run_at: 0 }] = countWaitingTasks(name);
    expect(attempts).toBe(attempt);
    const wait = attempt * 2 * 60_000;
    expect(run_at).toBeGreaterThanOrEqual(before + wait);
    expect(run_at).toBeLessThanOrEqual(Date.now() + wait);
  }
  await until(() => (countWaitingTasks(name).length === 0 ? true : undefined));
});

test('gives up on a task that crashes its runner', async () => {
  const { name, owner } = await publishScript(server, fails);
  await queueTask(name, owner.token, { task: {}, schedule: 3600 });
  await writeDatabase(server, 'UPDATE integration_tasks SET attempts = 5 WHERE integration = ?', name);
  await makeDue(name);

  await sweepDeliveries();
  await until(() => (countWaitingTasks(name).length === 0 ? true : undefined));

  expect(getRuns(name)).toBe(0);
});

test('a task runs at its scheduled time, at most a day later', async () => {
  const { name, owner } = await publishScript(server, fails);
  expect((await queueTask(name, owner.token, { task: {}, schedule: 86_401 })).status).toBe(400);
  expect((await queueTask(name, owner.token, { task: {}, schedule: -1 })).status).toBe(400);
  await waitUntilMidMinute();
  const before = Date.now();
  expect((await queueTask(name, owner.token, { task: {}, schedule: 1.5 })).status).toBe(204);
  const after = Date.now();

  const [{ run_at } = { run_at: 0 }] = countWaitingTasks(name);
  expect(run_at).toBeGreaterThanOrEqual(before + 1500);
  expect(run_at).toBeLessThanOrEqual(after + 1500);
});

test('at most 1,000 tasks of an integration can wait, and other integrations do not affect this limit', async () => {
  const [{ name, owner }, other] = [await publishScript(server, fails), await publishScript(server, fails)];
  await queueTask(name, owner.token, { task: {}, schedule: 3600 });
  await writeDatabase(
    server,
    `INSERT INTO integration_tasks (id, integration, organization, task, run_at, attempts, created_at)
     SELECT t.id || value, integration, organization, task, run_at, attempts, created_at
     FROM integration_tasks t, json_each(?) WHERE integration = ?`,
    ...[JSON.stringify(Array.from({ length: 998 }, (_, at) => at)), name],
  );

  expect((await queueTask(name, owner.token, { task: {}, schedule: 3600 })).status).toBe(204);
  expect((await queueTask(name, owner.token, { task: {}, schedule: 3600 })).status).toBe(409);
  expect(countWaitingTasks(name)).toHaveLength(1000);
  expect((await queueTask(other.name, other.owner.token, { task: {}, schedule: 3600 })).status).toBe(204);
  for (const each of [name, other.name])
    await writeDatabase(server, 'DELETE FROM integration_tasks WHERE integration = ?', each);
});

test('only the integration itself can create its tasks, not even another integration', async () => {
  const { name } = await publishScript(server, fails, { visibility: 'public' });
  const stranger = await server.makeOrganization();
  const another = await makeIntegration(stranger);
  for (const token of [stranger.token, another.token])
    expect((await queueTask(name, token, { task: {}, schedule: 3600 })).status).toBeOneOf([403, 404]);
  expect(countWaitingTasks(name)).toEqual([]);
});
