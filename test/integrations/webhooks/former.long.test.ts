import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { receive } from './receiver.ts';
import { feedEvents, subscribe } from './subscribers.ts';
import { getWebhooks, sweepDeliveries } from './webhook-client.ts';

/** Creates an organization whose feed is always active, because another subscription listens. */
async function heard(): Promise<TestOrganization> {
  const organization = await platform().makeOrganization();
  await getWebhooks(organization).create('http://127.0.0.1:9/', { events: ['member.removed'] });
  return organization;
}

const isHandedOut = (organization: TestOrganization) =>
  until(async () => {
    if (query('SELECT 1 FROM feed WHERE organization = ?', organization.id).length === 0) return true;
    await sweepDeliveries();
    return undefined;
  });

const handedTo = (id: string): string[] =>
  query<{ event: string }>(
    "SELECT event FROM deliveries WHERE subscription = ? AND type = 'space.updated' ORDER BY seq",
    id,
  ).map(({ event }) => event);

test.each(Object.entries(subscribe))(
  '%s receives the events before a pause and none during it, whenever they are dispatched',
  async (_, make) => {
    const organization = await heard();
    const receiver = await receive();
    const { id, activate } = await make(organization, receiver.url);
    const wanted: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      wanted.push(...(await feedEvents(organization, [`spc_${turn}`, 'spc_same'])));
      await activate(false);
      await feedEvents(organization, [`spc_${turn}`, 'spc_same']);
      await activate(true);
    }
    wanted.push(...(await feedEvents(organization, ['spc_same'])));
    await isHandedOut(organization);

    expect(handedTo(id)).toEqual(wanted);
    expect(query('SELECT seq FROM former_statuses WHERE organization = ?', organization.id)).toEqual([]);
  },
);

test.each(Object.entries(subscribe))(
  '%s that is still paused receives the events from before the pause when it resumes',
  async (_, make) => {
    const organization = await heard();
    const receiver = await receive();
    const { id, activate } = await make(organization, receiver.url);
    const wanted = await feedEvents(organization, ['spc_a']);
    await activate(false);
    await feedEvents(organization, ['spc_a']);
    await isHandedOut(organization);
    expect(handedTo(id)).toEqual(wanted);
    const got = () => receiver.received.filter(({ type }) => type === 'space.updated').length;
    expect(got()).toBe(0);

    await activate(true);
    await receiver.until(() => got() === 1);
  },
);

test.each(Object.entries(subscribe))('a new subscription, %s, gets no earlier events', async (_, make) => {
  const organization = await heard();
  const receiver = await receive();
  await feedEvents(organization, ['spc_a', 'spc_b']);
  const { id } = await make(organization, receiver.url);
  const wanted = await feedEvents(organization, ['spc_a']);
  await isHandedOut(organization);

  expect(handedTo(id)).toEqual(wanted);
});
