import { expect, test } from 'vitest';
import { writeDatabase } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { receive } from './receiver.ts';
import { feedEvents } from './subscribers.ts';
import { getWebhooks, inAnHour, sweepDeliveries } from './webhook-client.ts';

const address = 'http://127.0.0.1:9/';

test('a webhook paused by a user shows this reason and a timestamp until it resumes', async () => {
  const hooks = getWebhooks(await platform().makeOrganization());
  const { id, pausedReason, pausedSince } = await hooks.create(address, { active: false });
  expect({ pausedReason, pausedSince }).toEqual({ pausedReason: 'requested', pausedSince: expect.any(String) });

  expect(await hooks.update(id, { active: true })).not.toHaveProperty('pausedReason');
  expect(await hooks.get(id)).not.toHaveProperty('pausedSince');
  const again = await hooks.update(id, { active: false });
  expect(again.pausedReason).toBe('requested');
  expect(Date.parse(again.pausedSince ?? '')).toBeGreaterThanOrEqual(Date.parse(pausedSince));
});

test.each(['failing', 'gone', 'full', 'requested'])(
  'a paused webhook keeps its reason through other changes: %s',
  async (reason) => {
    const hooks = getWebhooks(await platform().makeOrganization());
    const { id } = await hooks.create(address, { active: false });
    const written = 'UPDATE subscriptions SET paused_reason = ?, paused_since = 1000 WHERE id = ?';
    await writeDatabase(platform(), written, reason, id);

    for (const change of [{ active: false }, { description: 'Old' }, { url: `${address}b` }])
      expect(await hooks.update(id, change)).toMatchObject({
        ...{ active: false, pausedReason: reason, pausedSince: '1970-01-01T00:00:01.000Z' },
      });
  },
);

test('counts rejections and failures since the last successful delivery', async () => {
  const organization = await platform().makeOrganization();
  const hooks = getWebhooks(organization);
  const answers = [404, 404, 200, 422, 404, 500];
  const receiver = await receive((_, response) => {
    const code = answers.shift() ?? 500;
    response.writeHead(code, code === 500 ? inAnHour : {}).end();
  });
  const { id } = await hooks.create(receiver.url, { events: ['space.updated'] });
  const waitForCounts = async (events: number, attempts: number) => {
    await feedEvents(organization, new Array(events).fill('spc_same'));
    await sweepDeliveries();
    return until(async () => {
      const { failing } = await hooks.get(id);
      return (failing?.attempts ?? 0) === attempts && receiver.received.length > 0 ? { failing } : undefined;
    });
  };

  expect((await waitForCounts(2, 2)).failing).toMatchObject({ attempts: 2, givenUp: 2 });
  await feedEvents(organization, ['spc_same']);
  await sweepDeliveries();
  await until(async () => ((await hooks.get(id)).failing === undefined ? true : undefined));
  expect((await waitForCounts(3, 3)).failing).toMatchObject({ attempts: 3, givenUp: 2 });
});
