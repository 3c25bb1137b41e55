import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { isSignedWith, receive } from './receiver.ts';
import { feedEvents, getSubscription, subscribe } from './subscribers.ts';
import { getWebhooks, sweepDeliveries } from './webhook-client.ts';

const spaces = Array.from({ length: 30 }, (_, index) => `spc_${index}`);

const getStatuses = (subscription: string): string[] =>
  query<{ status: string }>('SELECT DISTINCT status FROM deliveries WHERE subscription = ?', subscription).map(
    ({ status }) => status,
  );

test('a receiver that only accepts the new secret misses no event', async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  let secret: string | undefined;
  const receiver = await receive((received, response) =>
    setTimeout(() => {
      const isTaken = secret === undefined || isSignedWith(secret, received);
      response.writeHead(isTaken ? 200 : 401).end();
    }, 300),
  );
  const { id } = await hooks.create(receiver.url, { events: ['space.updated'] });
  await feedEvents(organization, spaces);
  await sweepDeliveries();
  await receiver.until((all) => all.length >= 5);
  ({ secret } = await hooks.rotate(id));
  await until(() => (getStatuses(id).includes('pending') ? undefined : true));

  expect(getStatuses(id)).toEqual(['delivered']);
});

test('deleting a webhook stops its deliveries soon', async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  const removed = Promise.withResolvers<void>();
  // Each response takes a second, so even a round that continues ends before it has sent all events that it leased.
  const receiver = await receive((_, response) => removed.promise.then(() => setTimeout(() => response.end(), 1000)));
  const { id } = await hooks.create(receiver.url, { events: ['space.updated'] });
  await feedEvents(organization, spaces);
  await sweepDeliveries();
  await receiver.until((all) => all.length >= 5);
  await hooks.remove(id);
  removed.resolve();
  await until(() => (getSubscription(id).lease === null ? true : undefined));

  expect(receiver.received.length).toBeLessThanOrEqual(15);
});

test.each(Object.entries(subscribe))(
  'a late response from the former URL does not delay %s at its new URL',
  async (_, make) => {
    const organization = await platform().makeOrganization();
    const responses: ServerResponse[] = [];
    const former = await receive((__, response) => responses.push(response));
    const { id, moveTo } = await make(organization, former.url);
    await feedEvents(organization, ['spc_a']);
    await sweepDeliveries();
    await former.until((all) => all.length === 1);
    const receiver = await receive();
    await moveTo(receiver.url);
    responses[0]?.writeHead(503, { 'retry-after': '600' }).end();
    await receiver.until((all) => all.length === 1);
    await until(() => (getSubscription(id).lease === null ? true : undefined));

    expect(getSubscription(id)).toMatchObject({ failures: 0, failing_since: null, held_until: null });
    expect(receiver.received[0]?.delivery).toBe(former.received[0]?.delivery);
    expect(getStatuses(id)).toEqual(['delivered']);
  },
);
