import { expect, test } from 'vitest';
import { query, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { receive } from './receiver.ts';
import { feedEvents, getSubscription, subscribe } from './subscribers.ts';
import { getWebhooks, makeDeliveriesDue, sweepDeliveries } from './webhook-client.ts';

test.each(Object.entries(subscribe))(
  'an event that arrives while %s is in backoff schedules another check',
  async (_, make) => {
    const organization = await platform().makeOrganization();
    const receiver = await receive();
    const { id } = await make(organization, receiver.url);
    const heldUntil = Date.now() + 3_600_000;
    await writeDatabase(
      platform(),
      'UPDATE subscriptions SET held_until = ?, wake_at = NULL WHERE id = ?',
      heldUntil,
      id,
    );
    const [event] = await feedEvents(organization, ['spc_held']);
    await sweepDeliveries();
    await until(() => (query('SELECT seq FROM deliveries WHERE subscription = ?', id).length === 1 ? true : undefined));
    expect(getSubscription(id).wake_at).toBe(heldUntil);
    expect(receiver.received).toEqual([]);

    await writeDatabase(
      platform(),
      'UPDATE subscriptions SET held_until = 1, wake_at = 1 WHERE id = ? AND wake_at = held_until',
      id,
    );
    await sweepDeliveries();
    await receiver.until((all) => all.length === 1);
    const { body } = receiver.received[0] ?? {};
    expect([body?.id, (body as unknown as { eventId?: string })?.eventId]).toContain(event);
  },
);

test('reports a webhook whose secret cannot be decrypted, and sends again after the secret is replaced', async () => {
  const organization = await platform().makeOrganization();
  const receiver = await receive();
  const hooks = getWebhooks(organization);
  const { id } = await hooks.create(receiver.url, { events: ['space.updated'] });
  await writeDatabase(platform(), "UPDATE subscriptions SET secret = 's1.strange.AAAA' WHERE id = ?", id);
  await feedEvents(organization, ['spc_sealed']);
  await sweepDeliveries();
  const findFailedDeliveries = () =>
    query("SELECT id FROM deliveries WHERE subscription = ? AND error LIKE '%decrypted%'", id);
  await until(() => (findFailedDeliveries().length === 1 ? true : undefined));
  expect(receiver.received).toEqual([]);

  await hooks.rotate(id);
  await makeDeliveriesDue(id);
  await receiver.until((all) => all.length === 1);
});

test('the sweep finds active webhooks even if many are paused', async () => {
  const organization = await platform().makeOrganization();
  const receiver = await receive();
  const { id } = await getWebhooks(organization).create(receiver.url, { events: ['webhook.created'] });
  await receiver.until((all) => all.length === 1);
  await until(() => (getSubscription(id).lease === null ? true : undefined));
  const other = await platform().makeOrganization();
  await writeDatabase(
    platform(),
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 501)
      INSERT INTO subscriptions (id, organization, kind, status, sealed_for, wake_at, created_by, created_at, updated_at)
      SELECT ? || i, ?, 'webhook', 'paused', '', 1, 'usr_x', 1, 1 FROM n`,
    ...[`whk_${other.id}`, other.id],
  );
  await writeDatabase(platform(), "UPDATE deliveries SET status = 'pending', due_at = 2 WHERE subscription = ?", id);
  await writeDatabase(platform(), 'UPDATE subscriptions SET wake_at = 2 WHERE id = ?', id);
  await sweepDeliveries();
  await receiver.until((all) => all.length === 2);
  await writeDatabase(platform(), 'DELETE FROM subscriptions WHERE organization = ?', other.id);
});

test('a paused webhook with a new URL is not scheduled until it resumes', async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  const { id } = await hooks.create('http://127.0.0.1:9/', { active: false });
  await hooks.update(id, { url: 'http://127.0.0.1:9/other' });
  expect(getSubscription(id).wake_at).toBeNull();

  await hooks.update(id, { active: true });
  expect((await hooks.get(id)).active).toBe(true);
});

test.each(Object.entries(subscribe))(
  '%s that was in backoff for more than a month continues with the remaining events',
  async (_, make) => {
    const organization = await platform().makeOrganization();
    const receiver = await receive();
    const { id, activate } = await make(organization, receiver.url);
    await writeDatabase(platform(), 'UPDATE subscriptions SET held_until = ? WHERE id = ?', Date.now() + 3_600_000, id);
    const [first, ...left] = await feedEvents(organization, ['spc_same', 'spc_same', 'spc_same']);
    await sweepDeliveries();
    await until(() => (getSubscription(id).waiting === 3 ? true : undefined));
    await activate(false);
    await writeDatabase(platform(), 'DELETE FROM deliveries WHERE subscription = ? AND event = ?', id, first ?? '');
    await writeDatabase(platform(), 'UPDATE subscriptions SET clean_at = 1, held_until = NULL WHERE id = ?', id);
    await activate(true);
    await until(async () => {
      await sweepDeliveries();
      return getSubscription(id).waiting === 0 ? true : undefined;
    });

    const sent = query<{ event: string }>(
      "SELECT event FROM deliveries WHERE subscription = ? AND status = 'delivered' AND type = 'space.updated' ORDER BY seq",
      id,
    );
    expect(sent.map(({ event }) => event)).toEqual(left);
  },
);
