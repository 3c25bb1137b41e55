import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import type { Received } from './receiver.ts';
import { isSignedWith, receive } from './receiver.ts';
import { feedEvents } from './subscribers.ts';
import type { ShownDelivery } from './webhook-client.ts';
import { getWebhooks, makeDeliveriesDue, sweepDeliveries } from './webhook-client.ts';

type Hostile = (response: ServerResponse, received: Received) => unknown;

/** Creates a webhook for one event, whose receiver sends these responses in order. */
async function createHostileReceiver(...hostileResponses: Hostile[]) {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  let calls = 0;
  const receiver = await receive((received, response) => {
    const hostileResponse = hostileResponses[Math.min(calls, hostileResponses.length - 1)];
    calls += 1;
    hostileResponse?.(response, received);
  });
  const { id, secret } = await hooks.create(receiver.url, { events: ['webhook.created'] });
  const findDelivery = (isWanted: (each: ShownDelivery) => boolean) =>
    until(async () => (await hooks.deliveries(id)).items.find(isWanted));
  return { ...receiver, id, secret, hooks, delivery: findDelivery };
}

const respondWithStatus =
  (code: number, headers: Record<string, string> = {}): Hostile =>
  (response) =>
    response.writeHead(code, headers).end('an answer');
const fine = respondWithStatus(200);
const ignoreRequest: Hostile = () => undefined;

const failing: Record<string, { answer: Hostile; told: object }> = {
  'that fails': { answer: respondWithStatus(500), told: { answered: 500, error: 'returned 500' } },
  'that is busy': { answer: respondWithStatus(503), told: { answered: 503 } },
  'that asks to come again': { answer: respondWithStatus(408), told: { answered: 408 } },
  'that closes the connection': {
    answer: (response) => response.destroy(),
    told: { error: 'could not be reached' },
  },
  'that redirects': { answer: respondWithStatus(302, { location: 'http://127.0.0.1:1/' }), told: { answered: 302 } },
};

test.each(Object.entries(failing))(
  'a receiver %s gets the event again, with the same ID and a new signature',
  async (_, { answer: hostileResponse, told }) => {
    const seen = Promise.withResolvers<void>();
    const respondOnceSeen: Hostile = (response, got) => seen.promise.then(() => fine(response, got));
    const {
      id,
      secret,
      delivery,
      received,
      until: got,
    } = await createHostileReceiver(hostileResponse, respondOnceSeen);
    const failed = await delivery(({ attempts }) => attempts === 1);
    expect(failed).toMatchObject({ status: 'pending', dueAt: expect.any(String), ...told });
    seen.resolve();
    await makeDeliveriesDue(id);
    await got((all) => all.length === 2);
    const settled = await delivery((each) => each.status === 'delivered');

    expect(settled.attempts).toBe(2);
    expect(new Set(received.map((each) => each.delivery))).toEqual(new Set([settled.id]));
    expect(new Set(received.map(({ text }) => text)).size).toBe(1);
    expect(received.every((each) => isSignedWith(secret, each))).toBe(true);
  },
);

test.each([400, 401, 404, 422])('gives up on an event rejected with %i, and redelivers it on request', async (code) => {
  const { id, hooks, delivery, received } = await createHostileReceiver(respondWithStatus(code), fine);
  const dead = await delivery((each) => each.status === 'dead');
  expect(dead).toMatchObject({ attempts: 1, answered: code, settledAt: expect.any(String) });
  expect((await hooks.get(id)).failing).toEqual({ attempts: 1, givenUp: 1, since: dead.settledAt });

  expect(await hooks.redeliver(id, dead.id)).toMatchObject({ id: dead.id, status: 'pending' });
  const settled = await delivery((each) => each.status === 'delivered');
  expect([settled.id, settled.attempts, received.length]).toEqual([dead.id, 2, 2]);
});

test('honors Retry-After up to an hour', async () => {
  const measureRetryAfter = async (value: string) => {
    const { delivery, id, hooks } = await createHostileReceiver(
      respondWithStatus(429, { 'retry-after': value }),
      ignoreRequest,
    );
    const { dueAt = '' } = await delivery(({ attempts }) => attempts === 1);
    return { seconds: (Date.parse(dueAt) - Date.now()) / 1000, held: (await hooks.get(id)).failing?.heldUntil };
  };
  const [some, tooMany, wrong] = await Promise.all([
    measureRetryAfter('600'),
    measureRetryAfter('999999'),
    measureRetryAfter('soon'),
  ]);

  expect(some.seconds).toBeGreaterThan(580);
  expect(some.seconds).toBeLessThan(605);
  expect(some.held).toBeDefined();
  expect(tooMany.seconds).toBeLessThan(3605);
  expect(tooMany.seconds).toBeGreaterThan(3500);
  expect(wrong.seconds).toBeLessThan(5);
});

const megabyte = Buffer.alloc(2 ** 20, 'x');
// Compressed in advance, so that compression does not add to the response time.
const bomb = gzipSync(Buffer.alloc(2 ** 27));

function respondEndlessly(response: ServerResponse): void {
  const writeEndlessly = () => {
    while (!response.destroyed && response.write(megabyte));
    if (!response.destroyed) response.once('drain', writeEndlessly);
  };
  writeEndlessly();
}

const lying: Record<string, Hostile> = {
  'an endless body': (response) => respondEndlessly(response.writeHead(200)),
  'a gigabyte': (response) => respondEndlessly(response.writeHead(200, { 'content-length': String(2 ** 30) })),
  'fewer bytes than its Content-Length': (response) =>
    response.writeHead(200, { 'content-length': '1000' }).write('x', () => response.destroy()),
  'a body that decompresses to a gigabyte': (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  'a body that is not valid gzip': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
};

test.each(Object.entries(lying))(
  'a receiver that sends %s has accepted the event, and only a limited part of it is read',
  async (_, hostileResponse) => {
    const { delivery, hooks, id } = await createHostileReceiver(hostileResponse);
    const settled = await delivery((each) => each.status !== 'pending');
    const { log } = await hooks.delivery(id, settled.id);

    expect(settled).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(log[0]?.milliseconds).toBeLessThan(9000);
    expect((log[0]?.answer ?? '').length).toBeLessThanOrEqual(1024);
  },
);

test('three consecutive failures start a backoff for the webhook, and a success ends it', async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  let isDown = true;
  const receiver = await receive((_, response) => response.writeHead(isDown ? 500 : 200).end());
  const { id } = await hooks.create(receiver.url, { events: ['space.updated'] });
  // All events are written at once. With separate writes, a retry that becomes due in between would add an attempt.
  await feedEvents(
    organization,
    Array.from({ length: 30 }, (_, index) => `spc_${index}`),
  );
  await sweepDeliveries();
  const failing = await until(async () => {
    const webhook = await hooks.get(id);
    return (webhook.failing?.attempts ?? 0) >= 3 && webhook.failing?.heldUntil ? webhook.failing : undefined;
  });

  expect(receiver.received.length).toBeLessThan(12);
  expect(failing.attempts).toBeLessThan(12);
  isDown = false;
  await makeDeliveriesDue(id);
  await receiver.until((all) => new Set(all.map(({ delivery }) => delivery)).size === 30);
  const { items } = await until(async () => {
    const deliveries = await hooks.deliveries(id);
    return deliveries.items.every(({ status: each }) => each === 'delivered') ? deliveries : undefined;
  });
  expect(items).toHaveLength(30);
  expect((await hooks.get(id)).failing).toBeUndefined();
});
