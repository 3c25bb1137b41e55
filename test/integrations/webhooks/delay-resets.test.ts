import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { change, getPath, install, installOn, makeIntegration, publishVersion } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import { platform, type TestOrganization } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { holdAllDeliveries } from './subscribers.ts';
import { sweepDeliveries } from './webhook-client.ts';

const server = platform();
const schema = { properties: { word: { type: 'string' } } };
const described = {
  ...{ target: 'all', scopes: ['space:metadata:read', 'site:metadata:read'], events: ['space.updated'] },
  ...{ script: getScript('return new Response(null);'), webhook: 'http://127.0.0.1:9/' },
  configurations: { account: schema, space: schema, site: schema },
};

interface Held {
  owner: TestOrganization;
  integration: TestIntegration;
  installation: TestInstallation;
  path: string;
  places: { space: string; site: string };
}

/**
 * Simulates so many failures of all subscriptions of an installation that their deliveries are postponed by an hour.
 */
const holdDeliveries = (installation: string) =>
  holdAllDeliveries(installation, ', failures = 9, failing_since = 1, failed_attempts = 9');

const isHeld = (installation: string): boolean[] =>
  query<{ until: number | null }>(
    'SELECT held_until AS until FROM subscriptions WHERE installation = ? ORDER BY id',
    installation,
  ).map(({ until: held }) => held !== null);

async function createHeldInstallation(): Promise<Held> {
  const owner = await server.makeOrganization();
  const integration = await makeIntegration(owner, described);
  const installation = await install(integration, owner);
  const path = getPath(integration, installation);
  const { id: space } = await server.makeSpace({ organization: owner });
  const { id: site } = await json<{ id: string }>(`/v1/orgs/${owner.id}/sites`, { token: owner.token, body: {} });
  await installOn(path, owner, { space });
  await installOn(path, owner, { site });
  await holdDeliveries(installation.id);
  return { owner, integration, installation, path, places: { space, site } };
}

const configuration = { word: 'another' };
const getDevPath = ({ integration }: Held) => `/v1/integrations/${integration.name}/dev`;
const tunnelUrl = 'http://127.0.0.1:9/';

const ways: Record<string, (held: Held) => Promise<unknown>> = {
  'a change of its configuration': ({ path, owner }) => change(path, owner.token, { configuration }),
  'a change of its configuration on a space': ({ path, owner, places }) =>
    change(`${path}/spaces/${places.space}`, owner.token, { configuration }),
  'a change of its configuration on a site': ({ path, owner, places }) =>
    change(`${path}/sites/${places.site}`, owner.token, { configuration }),
  'a new version': ({ integration }) => publishVersion(integration, described),
  'the start of its development mode': (held) =>
    server.request(getDevPath(held), { token: held.owner.token, method: 'PUT', body: { tunnelUrl } }),
  'the end of its development mode': (held) =>
    server.request(getDevPath(held), { token: held.owner.token, method: 'DELETE' }),
};

test.each(Object.entries(ways))('earlier failures do not delay an installation after %s', async (_, way) => {
  const held = await createHeldInstallation();
  expect(isHeld(held.installation.id)).toEqual([true, true]);
  await way(held);

  expect(isHeld(held.installation.id)).toEqual([false, false]);
});

test('the next sweep immediately sends waiting events', async () => {
  const held = await createHeldInstallation();
  const { owner, places, installation } = held;
  await json(`/v1/spaces/${places.space}`, { token: owner.token, method: 'PATCH', body: { title: 'Another' } });
  const readDeliveries = () =>
    query<{ status: string; attempts: number }>(
      `SELECT d.status, d.attempts FROM deliveries d WHERE d.type = 'space.updated' AND d.subscription = ?`,
      `${installation.id}-script`,
    );
  await until(() => (readDeliveries().length > 0 ? true : undefined));
  expect(readDeliveries()).toEqual([{ status: 'pending', attempts: 0 }]);
  await change(held.path, owner.token, { configuration });
  await sweepDeliveries();

  await until(() => (readDeliveries()[0]?.status === 'delivered' ? true : undefined));
  expect(readDeliveries()).toEqual([{ status: 'delivered', attempts: 1 }]);
});

test("the delay does not end after changes by the integration's own script or an unrelated publish", async () => {
  const held = await createHeldInstallation();
  const { path, integration, installation, owner } = held;
  await change(path, integration.token, { configuration });
  await change(path, owner.token, { externalIds: ['one'] });
  expect(isHeld(installation.id)).toEqual([true, true]);

  const other = await server.makeOrganization();
  const elsewhere = await install(integration, other);
  await holdDeliveries(elsewhere.id);
  await publishVersion(integration, described);
  expect(isHeld(elsewhere.id)).toEqual([true, true]);
});
