import { callOperator } from '@octavo/platform';
import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { receive } from './receiver.ts';
import { feedEvents } from './subscribers.ts';
import type { ShownDelivery } from './webhook-client.ts';
import { getWebhooks, inAnHour, makeDeliveriesDue, sweepDeliveries } from './webhook-client.ts';

const server = platform();
const day = 86_400_000;

const rename = ({ token }: TestOrganization, space: string, title: string) =>
  json(`/v1/spaces/${space}`, { token, method: 'PATCH', body: { title } });

/** Creates a webhook whose receiver accepted the creation of three spaces and rejected their renaming. */
async function createWithDeadDelivery() {
  const organization = await server.makeOrganization();
  const hooks = getWebhooks(organization);
  const refused = { is: true };
  const receiver = await receive(({ type }, response) =>
    response.writeHead(refused.is && type === 'space.updated' ? 422 : 200).end(),
  );
  const { id } = await hooks.create(receiver.url, { events: ['space.created', 'space.updated'] });
  for (const title of ['A', 'B', 'C']) await rename(organization, (await server.makeSpace({ organization })).id, title);
  const waitForFailedDeliveries = () =>
    until(async () => {
      const { items } = await hooks.deliveries(id);
      return items.length === 6 && items.every(({ status }) => status !== 'pending') ? items : undefined;
    });
  return {
    organization,
    hooks,
    receiver,
    refused,
    id,
    settled: waitForFailedDeliveries,
    items: await waitForFailedDeliveries(),
  };
}

const getIds = (items: ShownDelivery[]) => items.map(({ id }) => id);

test('lists deliveries newest first, each once, and filters by status and type', async () => {
  const { hooks, id, items } = await createWithDeadDelivery();
  const listDeliveries = async (filter: string) => (await hooks.deliveries(id, filter)).items;
  const selectIds = (isOne: (each: ShownDelivery) => boolean) => getIds(items.filter(isOne));

  expect(getIds(await listDeliveries('?status=dead'))).toEqual(selectIds(({ status }) => status === 'dead'));
  expect(getIds(await listDeliveries('?status=delivered&type=space.created'))).toEqual(
    selectIds(({ event }) => event.type === 'space.created'),
  );
  expect(await listDeliveries('?status=dead&type=space.created')).toEqual([]);
  expect(await listDeliveries('?status=pending')).toEqual([]);
  const paged: string[] = [];
  for (let page: string | undefined = ''; page !== undefined; ) {
    const cursor: string = page === '' ? '' : `&page=${encodeURIComponent(page)}`;
    const list = await hooks.deliveries(id, `?limit=2${cursor}`);
    paged.push(...getIds(list.items));
    page = list.next?.page;
  }
  expect(paged).toEqual(getIds(items));
});

test('redelivers all failed deliveries since a timestamp, but none in progress', async () => {
  const { hooks, receiver, refused, id, items, settled } = await createWithDeadDelivery();
  const dead = items.filter(({ status }) => status === 'dead');
  const last = Math.max(...dead.map(({ settledAt = '' }) => Date.parse(settledAt)));
  expect(await hooks.redeliverDead(id, new Date(last + 1000).toISOString())).toEqual({
    ...{ redelivered: 0, hasMore: false },
  });
  refused.is = false;
  expect(await hooks.redeliverDead(id, '2020-01-01T00:00:00.000Z')).toEqual({ redelivered: 3, hasMore: false });
  await receiver.until((all) => all.length === 9);
  const again = await settled();

  expect(again.map(({ status }) => status)).toEqual(Array(6).fill('delivered'));
  expect(getIds(again)).toEqual(getIds(items));
  expect(receiver.received.slice(6).map(({ delivery }) => delivery)).toEqual(
    expect.arrayContaining(getIds(dead).map((each) => `${each}-1`)),
  );
});

test('does not redeliver waiting deliveries, nor any delivery while the webhook is paused', async () => {
  const { organization, hooks, id, items } = await createWithDeadDelivery();
  const redeliver = async (delivery: string) =>
    (
      await server.request(`${hooks.path}/${id}/deliveries/${delivery}/redeliver`, {
        ...{ token: organization.token, method: 'POST' },
      })
    ).status;
  expect(await redeliver('dlv_none')).toBe(404);
  await hooks.update(id, { active: false });
  expect(await redeliver(items[0]?.id ?? '')).toBe(409);
  await hooks.update(id, { active: true, url: 'http://127.0.0.1:9/' });
  const { id: waiting } = await hooks.redeliver(id, items[0]?.id ?? '');
  expect(await redeliver(waiting)).toBe(409);
});

test('pauses and reports a webhook that delivered nothing for a week, and it can be resumed', async () => {
  const organization = await server.makeOrganization();
  const hooks = getWebhooks(organization);
  let isDown = true;
  const receiver = await receive((_, response) => {
    if (isDown) response.writeHead(500, inAnHour).end();
    else response.end();
  });
  const { id } = await hooks.create(receiver.url, { events: ['space.created'] });
  await server.makeSpace({ organization });
  const waitForFailures = (attempts: number) =>
    until(() =>
      query('SELECT 1 FROM subscriptions WHERE id = ? AND lease IS NULL AND failures = ?', id, attempts)[0] ===
      undefined
        ? undefined
        : true,
    );
  const setFailingSince = (milliseconds: number) =>
    writeDatabase(server, 'UPDATE subscriptions SET failing_since = ? WHERE id = ?', Date.now() - milliseconds, id);
  await waitForFailures(1);
  await setFailingSince(7 * day - 60_000);
  await makeDeliveriesDue(id);
  await waitForFailures(2);
  expect(await hooks.get(id)).toMatchObject({ active: true, failing: { attempts: 2, givenUp: 0 } });
  await setFailingSince(7 * day);
  await makeDeliveriesDue(id);
  await waitForFailures(3);

  const paused = { active: false, pausedReason: 'failing', pausedSince: expect.any(String) };
  expect(await hooks.get(id)).toMatchObject({ ...paused, failing: { attempts: 3, givenUp: 0 } });
  expect((await hooks.list()).items).toEqual([expect.objectContaining({ id, ...paused })]);
  expect(query("SELECT actor FROM outbox WHERE type = 'webhook.paused' AND data LIKE ?", `%${id}%`)).toEqual([
    { actor: 'system' },
  ]);
  isDown = false;
  const goingOn = await hooks.update(id, { active: true });
  for (const gone of ['failing', 'pausedReason', 'pausedSince']) expect(goingOn).not.toHaveProperty(gone);
  await makeDeliveriesDue(id);
  await until(async () => ((await hooks.deliveries(id)).items[0]?.status === 'delivered' ? true : undefined));
});

test.each([401, 404, 500])(
  'pauses a receiver that only returned %i for a week, but not one that accepted a delivery',
  async (code) => {
    const organization = await server.makeOrganization();
    const hooks = getWebhooks(organization);
    let status = code;
    const receiver = await receive((_, response) => response.writeHead(status, status === 500 ? inAnHour : {}).end());
    const rests = `SELECT 1 FROM subscriptions WHERE id = ? AND lease IS NULL
      AND (waiting = 0 OR held_until > ? OR status = 'paused')
      AND NOT EXISTS (SELECT 1 FROM feed WHERE feed.organization = subscriptions.organization)`;
    const { id } = await hooks.create(receiver.url, { events: ['space.created'] });
    const deliverEvent = async () => {
      const before = receiver.received.length;
      await server.makeSpace({ organization });
      await makeDeliveriesDue(id);
      await receiver.until((all) => all.length > before);
      await until(() => query(rests, id, Date.now())[0]);
    };
    const setFailingSince = (milliseconds: number) =>
      writeDatabase(server, 'UPDATE subscriptions SET failing_since = ? WHERE id = ?', Date.now() - milliseconds, id);
    await deliverEvent();
    status = 200;
    await setFailingSince(8 * day);
    await deliverEvent();
    expect(await hooks.get(id)).toMatchObject({ active: true });
    expect(await hooks.get(id)).not.toHaveProperty('failing');
    const delivered = receiver.received.length;
    status = code;
    await deliverEvent();
    await setFailingSince(7 * day);
    await deliverEvent();

    const attempts = receiver.received.length - delivered;
    expect(await hooks.get(id)).toMatchObject({ active: false, pausedReason: 'failing', failing: { attempts } });
    expect(
      query("SELECT data FROM outbox WHERE type = 'webhook.paused' AND organization = ?", organization.id),
    ).toEqual([{ data: JSON.stringify({ webhook: id, reason: 'failing' }) }]);
  },
);

test('pauses a webhook whose receiver returns 410, and sends the waiting events to its new URL', async () => {
  const organization = await server.makeOrganization();
  const hooks = getWebhooks(organization);
  const receiver = await receive((_, response) => response.writeHead(410).end());
  const { id } = await hooks.create(receiver.url, { events: ['space.updated'] });
  const events = await feedEvents(
    organization,
    Array.from({ length: 30 }, (_, index) => `spc_${index}`),
  );
  await sweepDeliveries();
  await until(async () => ((await hooks.get(id)).active ? undefined : true));
  await until(() => query('SELECT 1 FROM subscriptions WHERE id = ? AND lease IS NULL', id)[0] ?? undefined);
  const refused = receiver.received.length;
  expect(refused).toBeLessThanOrEqual(5);
  expect(query("SELECT data FROM outbox WHERE type = 'webhook.paused' AND organization = ?", organization.id)).toEqual([
    { data: JSON.stringify({ webhook: id, reason: 'gone' }) },
  ]);
  expect(await hooks.get(id)).toMatchObject({ pausedReason: 'gone', failing: { attempts: refused, givenUp: refused } });

  const other = await receive();
  await hooks.update(id, { active: true, url: other.url });
  await other.until((all) => all.length === events.length - refused);
  expect(receiver.received).toHaveLength(refused);
});

test('keeps completed deliveries with their attempts for thirty days, and waiting ones without a limit', async () => {
  const { hooks, id, items } = await createWithDeadDelivery();
  const [young, old] = [items[0]?.id ?? '', items[1]?.id ?? ''];
  const ageDelivery = (delivery: string, days: number) =>
    writeDatabase(server, 'UPDATE deliveries SET settled_at = ? WHERE id = ?', Date.now() - days * day, delivery);
  await ageDelivery(young, 29.9);
  await ageDelivery(old, 30.1);
  await callOperator(server.dataDir, '/cron', { worker: 'integrations', cron: '17 3 * * *' });

  expect(getIds((await hooks.deliveries(id)).items)).toEqual(getIds(items).filter((each) => each !== old));
  const getAttempts = (delivery: string) =>
    query('SELECT 1 FROM delivery_attempts WHERE delivery = ?', delivery).length;
  expect([getAttempts(young), getAttempts(old)]).toEqual([1, 0]);
});

test('deletes all data of a deleted webhook overnight', async () => {
  const { hooks, id, items } = await createWithDeadDelivery();
  await hooks.remove(id);
  expect(query('SELECT secret, previous_secret FROM subscriptions WHERE id = ?', id)).toEqual([
    { secret: null, previous_secret: null },
  ]);
  await callOperator(server.dataDir, '/cron', { worker: 'integrations', cron: '17 3 * * *' });

  expect(query('SELECT id FROM subscriptions WHERE id = ?', id)).toEqual([]);
  expect(query('SELECT id FROM deliveries WHERE subscription = ?', id)).toEqual([]);
  expect(query('SELECT delivery FROM delivery_attempts WHERE delivery = ?', items[0]?.id ?? '')).toEqual([]);
});
