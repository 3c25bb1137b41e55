import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { installWithWebhook } from './installed.ts';
import { receive } from './receiver.ts';
import { feedEvents } from './subscribers.ts';
import { getWebhooks, sweepDeliveries } from './webhook-client.ts';

/** Creates an installation on a space, pauses it, adds an event of the space and removes it from the space. */
async function createPausedInstallation({ isHeard }: { isHeard: boolean }) {
  const organization = await platform().makeOrganization();
  if (isHeard) await getWebhooks(organization).create('http://127.0.0.1:9/', { events: ['member.removed'] });
  const receiver = await receive();
  const installed = await installWithWebhook(organization, {
    ...{ webhook: receiver.url, scopes: ['space:metadata:read'], spaceSelection: 'selected' },
  });
  const space = await platform().makeSpace({ organization });
  await installed.putOn(space.id);
  await receiver.got('space_installation_setup');
  await installed.update({ status: 'paused' });
  await feedEvents(organization, [space.id]);
  const path = `/v1/integrations/${installed.name}/installations/${installed.installation}/spaces/${space.id}`;
  const response = await platform().request(path, { token: organization.token, method: 'DELETE' });
  expect(response.ok).toBe(true);
  const listDeliveries = (kind: string) =>
    query<{ type: string }>(
      'SELECT type FROM deliveries WHERE subscription = ? ORDER BY seq',
      `${installed.installation}-${kind}`,
    )
      .map(({ type }) => type)
      // Omits the event from before the installation on the space. It is sent only if the installation exists when the
      // event is dispatched.
      .filter((type) => type !== 'space.created');
  const isFeedDistributed = () =>
    until(async () => {
      if (query('SELECT 1 FROM feed WHERE organization = ?', organization.id).length === 0) return true;
      await sweepDeliveries();
      return undefined;
    });
  return { ...installed, receiver, handedTo: listDeliveries, isHandedOut: isFeedDistributed };
}

test.each([true, false])("only the installation's own events wait while it is paused: %s", async (isHeard) => {
  const { receiver, handedTo, isHandedOut, update } = await createPausedInstallation({ isHeard });
  await isHandedOut();
  const own = ['installation.created', 'space_installation.created'];
  const since = ['installation.updated', 'space_installation.deleted'];
  expect(handedTo('webhook')).toEqual([...own, ...since]);
  expect(handedTo('script')).toEqual([...own, ...since]);
  expect(receiver.received.map(({ type }) => type)).not.toContain('space_installation_deleted');

  await update({ status: 'active' });
  await receiver.got('space_installation_deleted');
  await receiver.until(() => receiver.received.filter(({ type }) => type === 'installation_setup').length === 3);
  const setups = receiver.received.filter(({ type }) => type === 'installation_setup').map(({ body }) => body);
  expect(setups).toMatchObject([{ status: 'active' }, { status: 'paused' }, { status: 'active' }]);
});

test('an installation that ends while paused receives all of its own events', async () => {
  const { receiver, uninstall } = await createPausedInstallation({ isHeard: false });
  await uninstall();
  await receiver.got('installation_deleted');

  expect(receiver.received.map(({ type }) => type)).toContain('space_installation_deleted');
});
