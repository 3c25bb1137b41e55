import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { receive } from './receiver.ts';
import { feedEvents, subscribe } from './subscribers.ts';
import { getWebhooks, sweepDeliveries } from './webhook-client.ts';

/** Creates an organization whose feed is always active, because another subscription listens. */
async function createSubscribedOrganization(): Promise<TestOrganization> {
  const organization = await platform().makeOrganization();
  await getWebhooks(organization).create('http://127.0.0.1:9/', { events: ['member.removed'] });
  return organization;
}

const isFeedDistributed = (organization: TestOrganization) =>
  until(async () => {
    if (query('SELECT 1 FROM feed WHERE organization = ?', organization.id).length === 0) return true;
    await sweepDeliveries();
    return undefined;
  });

const listDeliveryTypes = (id: string): string[] =>
  query<{ event: string }>(
    "SELECT event FROM deliveries WHERE subscription = ? AND type = 'space.updated' ORDER BY seq",
    id,
  ).map(({ event }) => event);

test.each(Object.entries(subscribe))(
  '%s receives the events before a pause and none during it, whenever they are dispatched',
  async (_, make) => {
    const organization = await createSubscribedOrganization();
    const receiver = await receive();
    const { id, activate } = await make(organization, receiver.url);
    const expectedEvents: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      expectedEvents.push(...(await feedEvents(organization, [`spc_${turn}`, 'spc_same'])));
      await activate(false);
      await feedEvents(organization, [`spc_${turn}`, 'spc_same']);
      await activate(true);
    }
    expectedEvents.push(...(await feedEvents(organization, ['spc_same'])));
    await isFeedDistributed(organization);

    expect(listDeliveryTypes(id)).toEqual(expectedEvents);
    expect(query('SELECT seq FROM former_statuses WHERE organization = ?', organization.id)).toEqual([]);
  },
);

test.each(Object.entries(subscribe))(
  '%s that is still paused receives the events from before the pause when it resumes',
  async (_, make) => {
    const organization = await createSubscribedOrganization();
    const receiver = await receive();
    const { id, activate } = await make(organization, receiver.url);
    const expectedEvents = await feedEvents(organization, ['spc_a']);
    await activate(false);
    await feedEvents(organization, ['spc_a']);
    await isFeedDistributed(organization);
    expect(listDeliveryTypes(id)).toEqual(expectedEvents);
    const countReceived = () => receiver.received.filter(({ type }) => type === 'space.updated').length;
    expect(countReceived()).toBe(0);

    await activate(true);
    await receiver.until(() => countReceived() === 1);
  },
);

test.each(Object.entries(subscribe))('a new subscription, %s, gets no earlier events', async (_, make) => {
  const organization = await createSubscribedOrganization();
  const receiver = await receive();
  await feedEvents(organization, ['spc_a', 'spc_b']);
  const { id } = await make(organization, receiver.url);
  const expectedEvents = await feedEvents(organization, ['spc_a']);
  await isFeedDistributed(organization);

  expect(listDeliveryTypes(id)).toEqual(expectedEvents);
});
