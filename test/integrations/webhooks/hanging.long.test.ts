import { expect, test } from 'vitest';
import { query, writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { Received } from './receiver.ts';
import { receive } from './receiver.ts';
import { copyWebhook } from './subscribers.ts';
import { getWebhooks } from './webhook-client.ts';

const rounds = 10;
/**
 * Maximum delay: half of the delivery timeout. A delivery that waits for an unresponsive receiver takes the whole
 * timeout.
 */
const mostDelay = 5000;

const getMedian = (times: number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;

const countAttempts = ({ received }: { received: Received[] }): number =>
  new Set(received.map(({ delivery }) => delivery)).size;

/** Measures the median time in milliseconds from a write to its delivery. */
async function measureDelay(
  organization: TestOrganization,
  receiver: { until: (isEnough: (all: Received[]) => boolean) => Promise<Received[]> },
  look = () => {},
) {
  const delays: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = Date.now();
    const { id } = await platform().makeSpace({ organization });
    const all = await receiver.until((each) => each.some(({ body }) => body.space === id));
    delays.push((all.find(({ body }) => body.space === id)?.at ?? 0) - begun);
    look();
  }
  return getMedian(delays);
}

test('thirty receivers that never respond do not delay other receivers', async () => {
  const healthy = await platform().makeOrganization();
  const receiver = await receive();
  await getWebhooks(healthy).create(receiver.url, { events: ['space.created'] });

  const hanging = await receive(() => undefined);
  const organizations = await Promise.all([1, 2].map(() => platform().makeOrganization()));
  for (const organization of organizations)
    for (let index = 0; index < 15; index += 1)
      await getWebhooks(organization).create(hanging.url, { events: ['space.created'] });
  for (const organization of organizations) await platform().makeSpace({ organization });
  await hanging.until(() => countAttempts(hanging) === 30);
  const beside = await measureDelay(healthy, receiver);

  expect(beside).toBeLessThan(mostDelay);
  expect(countAttempts(hanging)).toBe(30);
});

test('unresponsive receivers leave slots to other organizations and to responding receivers of their own', async () => {
  const [healthy, slow] = [await platform().makeOrganization(), await platform().makeOrganization()];
  const receiver = await receive();
  await getWebhooks(healthy).create(receiver.url, { events: ['space.created'] });
  const hanging = await receive(() => undefined);
  const { id } = await getWebhooks(slow).create(hanging.url, { events: ['space.created'] });
  await copyWebhook(id, 59);
  await platform().makeSpace({ organization: slow });
  const sentAtOnce = new Set<number>();
  const checkProgress = () => {
    sentAtOnce.add(query("SELECT 1 FROM subscriptions WHERE id GLOB ? || '*' AND lease IS NOT NULL", id).length);
  };
  await hanging.until(() => countAttempts(hanging) >= 20);
  checkProgress();
  const beside = await measureDelay(healthy, receiver, checkProgress);

  expect(beside).toBeLessThan(mostDelay);
  await until(() => {
    checkProgress();
    return countAttempts(hanging) === 60 ? true : undefined;
  });
  expect(Math.max(...sentAtOnce)).toBeLessThan(40);
  await writeDatabase(platform(), "UPDATE subscriptions SET status = 'ended' WHERE id GLOB ? || '*'", id);
}, 240_000);

test('times out after ten seconds without a response, and retries', async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  let calls = 0;
  const receiver = await receive((_, response) => {
    calls += 1;
    if (calls > 1) response.end();
  });
  const { id } = await hooks.create(receiver.url, { events: ['webhook.created'] });
  const { id: delivery } = await until(async () =>
    (await hooks.deliveries(id)).items.find(({ status }) => status === 'delivered'),
  );
  const { log } = await hooks.delivery(id, delivery);

  expect(log.map(({ status, error }) => error ?? status)).toEqual(['did not respond within 10 s', 200]);
  expect(log[0]?.milliseconds).toBeGreaterThan(9_900);
  expect(log[0]?.milliseconds).toBeLessThan(25_000);
});
