import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { change, getPath, install, installOn, makeIntegration, publishVersion } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { receive } from '../webhooks/receiver.ts';
import { sweepDeliveries as runMinute } from '../webhooks/webhook-client.ts';

// Whether an installation is pending depends on the configuration that the newest version requires.

const server = platform();
let owner: TestOrganization;
let home: TestOrganization;
beforeAll(async () => {
  owner = await server.makeOrganization();
  home = await server.makeOrganization();
});

const createManifest = (...required: string[]) => ({
  properties: { key: { type: 'string' }, more: { type: 'string' } },
  required,
});
const createConfigurations = (...required: string[]) => ({
  configurations: {
    account: createManifest(...required),
    space: createManifest(...required),
    site: createManifest(...required),
  },
});

/** Creates an installation on a space and a site. All three lack a required key. */
async function createPendingInstallation(webhook?: string) {
  const integration = await makeIntegration(owner, { ...createConfigurations('key'), ...(webhook && { webhook }) });
  const installation = await install(integration, home);
  const path = getPath(integration, installation);
  const space = await server.makeSpace({ organization: home });
  const site = await makeSite();
  await installOn(path, home, { space: space.id });
  await installOn(path, home, { site });
  const paths = { account: path, space: `${path}/spaces/${space.id}`, site: `${path}/sites/${site}` };
  return { integration, installation, path, paths, space: space.id, site };
}

const makeSite = async () =>
  (await json<{ id: string }>(`/v1/orgs/${home.id}/sites`, { token: home.token, body: {} })).id;

const readInstallationStatus = async (path: string) =>
  (await json<TestInstallation>(path, { token: home.token })).status;
const getStatuses = async (paths: Record<string, string>) =>
  Object.fromEntries(
    await Promise.all(Object.entries(paths).map(async ([kind, path]) => [kind, await readInstallationStatus(path)])),
  );

const waitUntilSettled = ({ name }: Pick<TestIntegration, 'name'>) =>
  until(() =>
    query('SELECT 1 FROM integrations WHERE name = ? AND settling_from IS NULL', name).length === 1 ? true : undefined,
  );

const getUpdates = ({ id }: TestInstallation) =>
  query<{ type: string; actor: string; organization: string; data: string }>(
    `SELECT type, actor, organization, data FROM outbox
      WHERE type GLOB '*installation.updated' AND data->>'installation' = ? ORDER BY type`,
    id,
  ).map(({ data, ...event }) => ({ ...event, ...(JSON.parse(data) as object) }));

test('a version with fewer requirements activates complete installations on every level, and records events', async () => {
  const receiver = await receive();
  const { integration, installation, paths, space } = await createPendingInstallation(receiver.url);
  const none = { account: 'pending', space: 'pending', site: 'pending' };
  expect(await getStatuses(paths)).toEqual(none);
  await receiver.got('site_installation_setup');

  await publishVersion(integration, { ...createConfigurations(), webhook: receiver.url });
  await waitUntilSettled(integration);

  expect(await getStatuses(paths)).toEqual({ account: 'active', space: 'active', site: 'active' });
  const change = { actor: 'system', organization: home.id, status: 'active', previous: 'pending' };
  expect(getUpdates(installation)).toMatchObject(
    ['installation', 'site_installation', 'space_installation'].map((kind) => ({ type: `${kind}.updated`, ...change })),
  );
  expect(query("SELECT 1 FROM grants WHERE object = ? AND subject GLOB 'acc_*'", space)).toHaveLength(1);
  const listChangeEvents = () => receiver.received.map(({ body }) => body).filter((body) => 'previous' in body);
  await receiver.until(() => listChangeEvents().length === 3);
  expect(listChangeEvents()).toMatchObject(new Array(3).fill({ status: 'active', previous: { status: 'pending' } }));
}, 180_000);

test('each installation is checked against the requirements of its own level', async () => {
  const { integration, paths } = await createPendingInstallation();
  const { configurations } = createConfigurations('key');
  await publishVersion(integration, { configurations: { ...configurations, site: createManifest() } });
  await waitUntilSettled(integration);
  expect(await getStatuses(paths)).toEqual({ account: 'pending', space: 'pending', site: 'active' });
});

test('a version with more requirements changes the status of no installation', async () => {
  const { integration, paths, path, installation } = await createPendingInstallation();
  for (const each of [paths.account, paths.space]) await change(each, home.token, { configuration: { key: 'a' } });
  await change(path, home.token, { status: 'paused' });
  const updateCount = getUpdates(installation).length;

  await publishVersion(integration, createConfigurations('key', 'more'));
  await waitUntilSettled(integration);
  await publishVersion(integration, createConfigurations('more'));
  await waitUntilSettled(integration);

  expect(await getStatuses(paths)).toEqual({ account: 'paused', space: 'active', site: 'pending' });
  expect(getUpdates(installation)).toHaveLength(updateCount);
});

test('activates each complete installation once, however many are pending and even if one cannot be decrypted', async () => {
  const { integration, installation, path, site } = await createPendingInstallation();
  const sites = await Promise.all(Array.from({ length: 30 }, makeSite));
  for (const each of sites) await installOn(path, home, { site: each });
  await writeDatabase(server, "UPDATE site_installations SET configuration = 's1.strange.AAAA' WHERE site = ?", site);

  await Promise.all([0, 1].map(() => publishVersion(integration, createConfigurations())));
  await waitUntilSettled(integration);

  const left = query(
    'SELECT site FROM site_installations WHERE installation = ? AND status <> ?',
    installation.id,
    'active',
  );
  expect(left).toEqual([{ site }]);
  expect(getUpdates(installation)).toHaveLength(sites.length + 2);
});

test('concurrent runs, also during configuration, send one event for each installation', async () => {
  const { integration, installation, path } = await createPendingInstallation();
  const sites = await Promise.all(Array.from({ length: 10 }, makeSite));
  for (const each of sites) await installOn(path, home, { site: each });
  await writeDatabase(
    server,
    "UPDATE integrations SET configurations = NULL, settling_from = 'installation' WHERE name = ?",
    integration.name,
  );
  const configureSite = async (site: string) =>
    (await server.request(`${path}/sites/${site}`, { token: home.token, method: 'PATCH', body: {} })).status;
  await Promise.all([runMinute(), runMinute(), runMinute(), runMinute(), ...sites.slice(0, 3).map(configureSite)]);
  await waitUntilSettled(integration);

  const updates = getUpdates(installation) as unknown as { previous: string; status: string }[];
  expect(updates.filter(({ previous }) => previous === 'pending')).toHaveLength(sites.length + 3);
});

test('the timer completes an interrupted run', async () => {
  const { integration, paths } = await createPendingInstallation();
  const asksForNothing = JSON.stringify(createConfigurations().configurations);
  await writeDatabase(
    server,
    'UPDATE integrations SET configurations = ?, settling_from = ? WHERE name = ?',
    ...[asksForNothing, 'space', integration.name],
  );
  await runMinute();
  await waitUntilSettled(integration);
  expect(await getStatuses(paths)).toEqual({ account: 'pending', space: 'active', site: 'active' });
});

test('an installation that fails or was removed does not delay the others', async () => {
  const [broken, gone, other] = await Promise.all([
    createPendingInstallation(),
    createPendingInstallation(),
    createPendingInstallation(),
  ]);
  const asksForNothing = JSON.stringify(createConfigurations().configurations);
  const leave = ({ integration }: typeof other, from: string, at: number) =>
    writeDatabase(
      server,
      'UPDATE integrations SET configurations = ?, settling_from = ?, updated_at = ? WHERE name = ?',
      ...[asksForNothing, from, at, integration.name],
    );
  await leave(broken, 'nowhere', 1);
  await leave(gone, 'installation', 2);
  await leave(other, 'installation', 3);
  const path = `/v1/integrations/${gone.integration.name}`;
  expect((await server.request(path, { token: owner.token, method: 'DELETE' })).status).toBeLessThan(300);
  const unsettled = 'SELECT name FROM integrations WHERE name = ? AND settling_from IS NOT NULL';
  expect(query(unsettled, gone.integration.name)).toEqual([]);

  await runMinute();

  expect(await getStatuses(other.paths)).toEqual({ account: 'active', space: 'active', site: 'active' });
  await writeDatabase(server, 'UPDATE integrations SET settling_from = NULL WHERE name = ?', broken.integration.name);
});
