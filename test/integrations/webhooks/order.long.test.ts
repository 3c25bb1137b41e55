import { expect, test } from 'vitest';
import { waitUntilMidMinute } from '../../support/between-minutes.ts';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { receive } from './receiver.ts';
import { getWebhooks, makeDeliveriesDue, sweepDeliveries } from './webhook-client.ts';

test('a failing event delays only later events of the same object', async () => {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const hooks = getWebhooks(organization);
  const [first, second] = [await platform().makeSpace({ organization }), await platform().makeSpace({ organization })];
  let isDown = true;
  const receiver = await receive(({ body }, response) =>
    response.writeHead(isDown && body.space === first.id ? 500 : 200).end(),
  );
  const { id } = await hooks.create(receiver.url, { events: ['space.updated'] });
  const rename = (space: string, title: string) =>
    json(`/v1/spaces/${space}`, { token, method: 'PATCH', body: { title } });
  await rename(first.id, 'A');
  await receiver.until((all) => all.length >= 1);
  for (const title of ['B', 'C']) {
    await rename(first.id, title);
    await rename(second.id, title);
  }
  await receiver.until((all) => all.filter(({ body }) => body.space === second.id).length === 2);
  expect(new Set(receiver.received.filter(({ body }) => body.space === first.id).map(({ body }) => body.id)).size).toBe(
    1,
  );

  isDown = false;
  await makeDeliveriesDue(id);
  await receiver.until(
    (all) => new Set(all.filter(({ body }) => body.space === first.id).map(({ body }) => body.id)).size === 3,
  );
  const delivered = receiver.received.filter(({ body }) => body.space === first.id).map(({ body }) => body.id);
  expect(delivered).toEqual(delivered.toSorted());
});

test('the sweep finds events and due subscriptions whose queue message was lost', async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  const receiver = await receive();
  const { id } = await hooks.create(receiver.url, { events: ['organization.updated'] });
  const event = `evt_lost${organization.id}`;
  await waitUntilMidMinute();
  await writeDatabase(
    platform(),
    `INSERT INTO outbox (id, type, organization, actor, request_id, data, created_at, done_at)
      VALUES (?, 'organization.updated', ?, 'system', 'req_x', '{}', ?, 1)`,
    ...[event, organization.id, Date.now()],
  );
  expect(query('SELECT event FROM feed WHERE event = ?', event)).toHaveLength(1);
  await sweepDeliveries();
  await receiver.until((all) => all.some(({ body }) => body.id === event));
  await until(async () => ((await hooks.deliveries(id)).items[0]?.status === 'delivered' ? true : undefined));

  expect(query('SELECT event FROM feed WHERE organization = ?', organization.id)).toEqual([]);
});

test('an abandoned lease expires', async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  const receiver = await receive();
  const { id } = await hooks.create(receiver.url, { events: ['space.created'] });
  const setLease = (wakeAt: number) =>
    writeDatabase(platform(), "UPDATE subscriptions SET lease = 'left', wake_at = ? WHERE id = ?", wakeAt, id);
  await setLease(Date.now() + 3_600_000);
  await platform().makeSpace({ organization });
  await until(() => (query('SELECT seq FROM deliveries WHERE subscription = ?', id).length === 1 ? true : undefined));
  await sweepDeliveries();
  expect(query('SELECT lease FROM subscriptions WHERE id = ?', id)).toEqual([{ lease: 'left' }]);
  expect(receiver.received).toEqual([]);

  await setLease(Date.now() - 1);
  await sweepDeliveries();
  await receiver.got('space.created');
});

test('a first failure delays later events of the object, and a queue message does not end a lease early', async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  const receiver = await receive((_, response) => response.writeHead(500).end());
  const { id } = await hooks.create(receiver.url, { events: ['space.updated'] });
  const space = await platform().makeSpace({ organization });
  const setLease = (text: string | null, wakeAt: number) =>
    writeDatabase(platform(), 'UPDATE subscriptions SET lease = ?, wake_at = ? WHERE id = ?', text, wakeAt, id);
  await setLease('held', Date.now() + 3_600_000);
  for (const title of ['A', 'B', 'C'])
    await json(`/v1/spaces/${space.id}`, { token: organization.token, method: 'PATCH', body: { title } });
  await until(() => (query('SELECT seq FROM deliveries WHERE subscription = ?', id).length === 3 ? true : undefined));
  await hooks.update(id, { active: true });
  const beside = await receive();
  await hooks.create(beside.url, { events: ['webhook.created'] });
  await beside.got('webhook.created');
  expect(receiver.received).toEqual([]);

  await setLease(null, 1);
  await sweepDeliveries();
  await until(async () => (await hooks.deliveries(id)).items.find(({ attempts }) => attempts > 0));
  expect(new Set(receiver.received.map(({ delivery }) => delivery)).size).toBe(1);
});
