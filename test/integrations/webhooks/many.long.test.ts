import { expect, test } from 'vitest';
import { waitUntilMidMinute } from '../../support/between-minutes.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { readLogLines } from '../../support/log.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { receive } from './receiver.ts';
import { copyWebhook, feedEvents, getSubscription, subscribe } from './subscribers.ts';
import { getWebhooks, sweepDeliveries } from './webhook-client.ts';

const hour = 3_600_000;
const createSpaceIds = (count: number) => Array.from({ length: count }, (_, index) => `spc_${index}`);

/** Creates a webhook whose deliveries are held back for an hour. */
async function createHeldWebhook(organization: TestOrganization): Promise<string> {
  const { id } = await getWebhooks(organization).create('http://127.0.0.1:9/', { events: ['space.updated'] });
  await writeDatabase(platform(), 'UPDATE subscriptions SET held_until = ? WHERE id = ?', Date.now() + hour, id);
  return id;
}

/** Returns the log lines about dispatching the events of an organization. */
const readDispatchLines = ({ id }: TestOrganization) =>
  readLogLines<{ message: string; steps: number; trips: number }>(platform().dataDir, id).filter(
    ({ message }) => message === 'events dispatched',
  );

test('dispatches a hundred events to two hundred subscriptions in a limited number of round trips', async () => {
  const organization = await platform().makeOrganization();
  const id = await createHeldWebhook(organization);
  await copyWebhook(id, 220);
  await waitUntilMidMinute(20);
  await feedEvents(organization, createSpaceIds(100));
  await sweepDeliveries();
  const countRows = () =>
    query<{ of: number; all: number }>(
      "SELECT COUNT(DISTINCT subscription) AS 'of', COUNT(*) AS 'all' FROM deliveries WHERE subscription GLOB ? || '*'",
      id,
    );
  await until(() => (countRows()[0]?.all === 22_100 ? true : undefined));

  expect(countRows()).toEqual([{ of: 221, all: 22_100 }]);
  expect(getSubscription(`${id}-220`).waiting).toBe(100);
  const { steps = 0, trips = 0 } =
    (await until(() => readDispatchLines(organization).find((each) => each.steps > 1))) ?? {};
  // Two round trips per step. A step creates at most 4,000 deliveries and never splits the deliveries of an event.
  expect(steps).toBe(Math.ceil(100 / Math.floor(4000 / 221)));
  expect(trips).toBe(2 * steps);
  await writeDatabase(platform(), "UPDATE subscriptions SET status = 'ended' WHERE id GLOB ? || '*'", id);
}, 180_000);

test("the sweep finds a feed even if another organization's feed has more events than one batch", async () => {
  const [big, small] = [await platform().makeOrganization(), await platform().makeOrganization()];
  await createHeldWebhook(big);
  const id = await createHeldWebhook(small);
  await feedEvents(big, createSpaceIds(1200));
  await feedEvents(small, ['spc_small']);
  await sweepDeliveries();
  await until(() => (query('SELECT 1 FROM deliveries WHERE subscription = ?', id).length === 1 ? true : undefined));
});

test('the sweep finds due deliveries even if another organization has more of them than one batch', async () => {
  const [big, small] = [await platform().makeOrganization(), await platform().makeOrganization()];
  const held = await createHeldWebhook(big);
  await copyWebhook(held, 600);
  await writeDatabase(platform(), "UPDATE subscriptions SET wake_at = 1, lease = 'left' WHERE id GLOB ? || '-*'", held);
  const receiver = await receive();
  const { id } = await getWebhooks(small).create(receiver.url, { events: ['webhook.created'] });
  await receiver.until((all) => all.length === 1);
  await until(() => (getSubscription(id).lease === null ? true : undefined));
  await writeDatabase(platform(), "UPDATE deliveries SET status = 'pending', due_at = 2 WHERE subscription = ?", id);
  await writeDatabase(platform(), 'UPDATE subscriptions SET wake_at = 2 WHERE id = ?', id);
  await sweepDeliveries();
  await receiver.until((all) => all.length === 2);
  await writeDatabase(platform(), "UPDATE subscriptions SET status = 'ended' WHERE id GLOB ? || '*'", held);
});

const setWaiting = (id: string, waiting: number) =>
  writeDatabase(
    platform(),
    'UPDATE subscriptions SET waiting = ?, held_until = ? WHERE id = ?',
    waiting,
    Date.now() + hour,
    id,
  );

test.each(Object.entries(subscribe))('limits %s to 100,000 waiting events', async (_, make) => {
  const organization = await platform().makeOrganization();
  const { id, activate } = await make(organization, 'http://127.0.0.1:9/');
  await until(() =>
    query('SELECT 1 FROM feed WHERE organization = ?', organization.id).length === 0 ? true : undefined,
  );
  await setWaiting(id, 100_000);
  await getWebhooks(organization).create('http://127.0.0.1:9/', { events: ['member.removed'] });
  await feedEvents(organization, ['spc_a']);
  await sweepDeliveries();
  await until(() =>
    query('SELECT 1 FROM feed WHERE organization = ?', organization.id).length === 0 ? true : undefined,
  );
  const readKeptDeliveries = () =>
    query("SELECT 1 FROM deliveries WHERE subscription = ? AND type = 'space.updated'", id).length;
  expect(readKeptDeliveries()).toBe(0);

  await setWaiting(id, 0);
  await activate(true);
  await feedEvents(organization, ['spc_a']);
  await sweepDeliveries();
  await until(() => (readKeptDeliveries() === 1 ? true : undefined));
});

test('pauses a webhook with too many waiting events, with the reason', async () => {
  const organization = await platform().makeOrganization();
  const id = await createHeldWebhook(organization);
  await setWaiting(id, 99_998);
  await feedEvents(organization, ['spc_a']);
  await sweepDeliveries();
  await until(() => (getSubscription(id).waiting === 99_999 ? true : undefined));
  expect(getSubscription(id).status).toBe('active');
  await feedEvents(organization, ['spc_a']);
  await sweepDeliveries();
  await until(() => (getSubscription(id).status === 'paused' ? true : undefined));

  expect(
    query("SELECT actor, data FROM outbox WHERE organization = ? AND type = 'webhook.paused'", organization.id),
  ).toEqual([{ actor: 'system', data: JSON.stringify({ webhook: id, reason: 'full' }) }]);
  expect(await getWebhooks(organization).get(id)).toMatchObject({ active: false, pausedReason: 'full' });
});
