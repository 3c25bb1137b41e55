import { expect, test } from 'vitest';
import { query, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { receive } from './receiver.ts';
import { feedEvents } from './subscribers.ts';
import { getWebhooks, inAnHour, makeDeliveriesDue, sweepDeliveries } from './webhook-client.ts';

const haveStatus = (subscription: string, status: string) =>
  until(() =>
    query('SELECT seq FROM deliveries WHERE subscription = ? AND status <> ?', subscription, status).length === 0
      ? true
      : undefined,
  );

/** Creates a webhook whose receiver rejected six events of one space, and then responds with these statuses. */
async function createFailedDeliveries(...answers: number[]) {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  const codes = [...Array.from({ length: 6 }, () => 400), ...answers];
  const receiver = await receive((_, response) => {
    const code = codes.shift() ?? 200;
    response.writeHead(code, code === 500 ? inAnHour : {}).end();
  });
  const { id } = await hooks.create(receiver.url, { events: ['space.updated'] });
  const events = await feedEvents(
    organization,
    Array.from({ length: 6 }, () => 'spc_one'),
  );
  await sweepDeliveries();
  await receiver.until((all) => all.length === 6);
  await haveStatus(id, 'dead');
  return { id, hooks, receiver, events, organization };
}

const since = new Date(0).toISOString();

test('redelivers failed events in the order of their object, even if the first of them fails again', async () => {
  const { id, hooks, receiver, events } = await createFailedDeliveries(500);
  expect(await hooks.redeliverDead(id, since)).toEqual({ redelivered: 6, hasMore: false });
  await receiver.until((all) => all.length === 7);
  await until(async () => ((await hooks.get(id)).failing?.attempts === 7 ? true : undefined));
  await makeDeliveriesDue(id);
  await haveStatus(id, 'delivered');

  expect(receiver.received.slice(6).map(({ body }) => body.id)).toEqual([events[0], ...events]);
  // A redelivery gets a new id. Its retries keep that id.
  const [first, again, retried] = [0, 6, 7].map((index) => receiver.received[index]?.delivery);
  expect([again, retried]).toEqual([`${first}-1`, `${first}-1`]);
  expect(query('SELECT waiting FROM subscriptions WHERE id = ?', id)).toEqual([{ waiting: 0 }]);
});

test('writes nothing if no delivery was given up', async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  const { id } = await hooks.create('http://127.0.0.1:9/', { events: ['space.updated'] });
  expect(await hooks.redeliverDead(id, since)).toEqual({ redelivered: 0, hasMore: false });

  const eventRows = query(
    "SELECT 1 FROM outbox WHERE type = 'webhook.redelivered' AND organization = ?",
    organization.id,
  );
  expect(eventRows).toEqual([]);
});

test('a redelivered event is sent before waiting events of the same object', async () => {
  const { id, hooks, receiver, events, organization } = await createFailedDeliveries(500, 500);
  const [later = ''] = await feedEvents(organization, ['spc_one']);
  await sweepDeliveries();
  await receiver.until((all) => all.length === 7);
  const first = (await hooks.deliveries(id)).items.at(-1);
  await until(async () => ((await hooks.deliveries(id)).items[0]?.attempts ? true : undefined));
  await writeDatabase(platform(), 'UPDATE deliveries SET attempts = 20, tries = 20 WHERE id = ?', first?.id ?? '');
  const redelivery = await hooks.redeliver(id, first?.id ?? '');
  expect(redelivery).toMatchObject({ id: first?.id, status: 'pending', dueAt: expect.any(String) });
  await receiver.until((all) => all.length === 8);
  await until(async () => {
    const delivery = (await hooks.deliveries(id)).items.find((each) => each.id === first?.id);
    return delivery?.attempts === 21 ? true : undefined;
  });
  // The redelivery resets the counter that determines the delay before the next try.
  expect(query('SELECT tries FROM deliveries WHERE id = ?', first?.id ?? '')).toEqual([{ tries: 1 }]);
  await makeDeliveriesDue(id);
  await receiver.until((all) => all.length === 10);

  expect(receiver.received.slice(6).map(({ body }) => body.id)).toEqual([later, events[0], events[0], later]);
});
