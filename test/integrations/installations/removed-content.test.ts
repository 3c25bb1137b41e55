import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { actAs, getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
let home: TestOrganization;
let integration: TestIntegration;
let installation: TestInstallation;
let path: string;
let token: string;

beforeAll(async () => {
  home = await server.makeOrganization();
  const scopes = ['space:content:read', 'site:script:inject', 'site:metadata:read'];
  integration = await makeIntegration(home, { scopes });
  installation = await install(integration, home);
  path = getPath(integration, installation);
  token = await actAs(integration, installation);
});

const readStatus = async (address: string, options: Parameters<typeof server.request>[1]) =>
  (await server.request(address, options)).status;

async function makeInstalledSpace() {
  const space = await server.makeSpace({ organization: home });
  await installOn(path, home, { space: space.id });
  return space.id;
}

const isOn = async (kind: 'spaces' | 'sites', place: string) =>
  (await readStatus(`${path}/${kind}/${place}`, { token: home.token })) === 200;
const count = async () => (await json<TestInstallation>(path, { token: home.token })).spaces;
const readSpaceStatus = (space: string) => readStatus(`/v1/spaces/${space}`, { token });
const getRows = (space: string) => [
  query('SELECT 1 FROM space_installations WHERE space = ?', space).length,
  query("SELECT 1 FROM grants WHERE object = ? AND subject GLOB 'acc_*'", space).length,
];

test('a space transferred to another organization loses the installation', async () => {
  const space = await makeInstalledSpace();
  expect([await isOn('spaces', space), await readSpaceStatus(space)]).toEqual([true, 200]);
  const mine = await json<{ id: string }>('/v1/orgs', { token: home.token, body: { title: 'Another' } });
  const body = { organization: mine.id };
  expect(await readStatus(`/v1/spaces/${space}/transfer`, { token: home.token, body })).toBeLessThan(300);

  expect([await isOn('spaces', space), await readSpaceStatus(space), getRows(space)]).toEqual([false, 404, [0, 0]]);
});

test('a space in the trash is hidden from the installation until it is restored', async () => {
  const space = await makeInstalledSpace();
  const counted = await count();
  expect(await readStatus(`/v1/spaces/${space}`, { token: home.token, method: 'DELETE' })).toBeLessThan(300);
  expect([await isOn('spaces', space), await readSpaceStatus(space), await count()]).toEqual([false, 404, counted - 1]);

  expect(await readStatus(`/v1/spaces/${space}/restore`, { token: home.token, method: 'POST' })).toBeLessThan(300);
  expect([await isOn('spaces', space), await readSpaceStatus(space), await count()]).toEqual([true, 200, counted]);
});

test('spaces trashed with their collection are not counted, and purging them does not change the count again', async () => {
  const counted = await count();
  const collections = `/v1/orgs/${home.id}/collections`;
  const collection = await json<{ id: string }>(collections, { token: home.token, body: { title: 'A shelf' } });
  const inside = await Promise.all(
    [1, 2].map(() =>
      json<{ id: string }>(`/v1/orgs/${home.id}/spaces`, { token: home.token, body: { parent: collection.id } }),
    ),
  );
  for (const { id } of inside) await installOn(path, home, { space: id });
  expect(await count()).toBe(counted + 2);

  const gone = await readStatus(`/v1/collections/${collection.id}`, { token: home.token, method: 'DELETE' });
  expect([gone < 300, await count()]).toEqual([true, counted]);
  const [first, second] = inside.map(({ id }) => id);
  await writeDatabase(server, 'DELETE FROM space_installations WHERE space = ?', second ?? '');
  expect(await count()).toBe(counted);
  expect(await readStatus(`/v1/spaces/${first}/restore`, { token: home.token, method: 'POST' })).toBeLessThan(300);
  expect(await count()).toBe(counted + 1);
});

test('a deleted site removes its installations and scripts', async () => {
  const sites = `/v1/orgs/${home.id}/sites`;
  const { id: site } = await json<{ id: string }>(sites, { token: home.token, body: { title: 'A site' } });
  await installOn(path, home, { site });
  const scripts = await json<unknown[]>(`${sites}/${site}/integration-scripts`, { token: home.token });
  expect([scripts.length, await isOn('sites', site)]).toEqual([1, true]);

  expect(await readStatus(`${sites}/${site}`, { token: home.token, method: 'DELETE' })).toBeLessThan(300);
  expect(await isOn('sites', site)).toBe(false);
  expect(query('SELECT 1 FROM site_installations WHERE site = ?', site)).toEqual([]);
});

test('a paused or ended installation adds no script to pages of a site', async () => {
  const own = await makeIntegration(home, { scopes: ['site:script:inject'] });
  const installation = await install(own, home);
  const sites = `/v1/orgs/${home.id}/sites`;
  const { id: site } = await json<{ id: string }>(sites, { token: home.token, body: { title: 'A site' } });
  await installOn(getPath(own, installation), home, { site });
  const readTargets = async () => {
    const listed = await json<unknown[]>(`${sites}/${site}/integration-scripts`, { token: home.token });
    const { scripts } = await json<{ scripts: unknown[] }>(`${sites}/${site}/published`, { token: home.token });
    return [listed.length, scripts.length];
  };
  const set = (body: object) => readStatus(getPath(own, installation), { token: home.token, method: 'PATCH', body });
  expect(await readTargets()).toEqual([1, 1]);
  await set({ status: 'paused' });
  expect(await readTargets()).toEqual([0, 0]);
  await set({ status: 'active' });
  expect(await readTargets()).toEqual([1, 1]);
  await server.request(getPath(own, installation), { token: home.token, method: 'DELETE' });
  expect(await readTargets()).toEqual([0, 0]);
});

test('each of 25 concurrent changes succeeds or returns 409, and the final state is consistent', async () => {
  const bodies = Array.from({ length: 25 }, (_, index) => ({ externalIds: [`id-${index}`] }));
  const responses = await Promise.all(
    bodies.map((body) => server.request(path, { token: home.token, method: 'PATCH', body })),
  );
  const changed = responses.filter((response) => response.status === 200);
  const refusedResponses = responses.filter((response) => response.status === 409);
  expect([changed.length > 0, changed.length + refusedResponses.length]).toEqual([true, 25]);
  const eventRows = query(
    "SELECT 1 FROM outbox WHERE type = 'installation.updated' AND organization = ? AND data->>'installation' = ?",
    home.id,
    installation.id,
  );
  expect(eventRows).toHaveLength(changed.length);
  const { externalIds } = await json<TestInstallation>(path, { token: home.token });
  const wrote = await Promise.all(
    changed.map(async (response) => ((await response.json()) as TestInstallation).externalIds),
  );
  expect(wrote).toContainEqual(externalIds);
});

test("the rights of the installation's account are limited to its scopes", async () => {
  const own = await makeIntegration(home, {
    scopes: ['space:content:read', 'space:metadata:read'],
    target: 'organization',
  });
  const by = await actAs(own, await install(own, home));
  await server.makeSpace({ organization: home });
  const { items } = await json<{ items: { permissions: object }[] }>(`/v1/orgs/${home.id}/spaces`, { token: by });
  expect(items.length).toBeGreaterThan(0);
  for (const { permissions } of items) expect(permissions).toMatchObject({ view: true, edit: false });
});
