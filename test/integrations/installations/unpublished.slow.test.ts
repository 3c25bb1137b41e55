import { IntegrationScope } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import { getAddress, operations } from '../../support/endpoints.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { actAs, change, getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

// An integration is unpublished, but none of its installations has ended yet.

const server = platform();
let home: TestOrganization;
let integration: TestIntegration;
let installation: TestInstallation;
let token: string;
let ids: Record<string, string>;

/** Everything that an admin can read about installed integrations. */
const readLists = () => {
  const organization = `/v1/orgs/${home.id}`;
  const statuses = `${organization}/integrations/installations-status?target`;
  return [
    `/v1/integrations?owner=${home.id}`,
    `${organization}/integrations?owner=${home.id}`,
    `${organization}/installations`,
    ...['organization', 'space', 'site'].map((target) => `${statuses}=${target}`),
    `/v1/spaces/${ids.spaceId}/integrations`,
    `/v1/spaces/${ids.spaceId}/integration-blocks`,
    `${organization}/sites/${ids.siteId}/integrations`,
    `${organization}/sites/${ids.siteId}/integration-scripts`,
  ];
};

async function count(address: string): Promise<number> {
  const body = await json<unknown[] | { items: unknown[] }>(address, { token: home.token });
  return (Array.isArray(body) ? body : body.items).length;
}

const readCounts = async () => Promise.all(readLists().map(async (address) => [address, await count(address)]));
let before: unknown[];

beforeAll(async () => {
  home = await server.makeOrganization();
  const blocks = [{ id: 'a', title: 'A block' }];
  integration = await makeIntegration(home, { scopes: IntegrationScope.options, blocks });
  installation = await install(integration, home);
  const path = getPath(integration, installation);
  const space = await server.makeSpace({ organization: home });
  const site = await json<{ id: string }>(`/v1/orgs/${home.id}/sites`, { token: home.token, body: {} });
  await installOn(path, home, { space: space.id });
  await installOn(path, home, { site: site.id });
  await change(path, home.token, { space_selection: 'all', site_selection: 'all' });
  token = await actAs(integration, installation);
  ids = {
    ...{ integrationName: integration.name, installationId: installation.id },
    ...{ organizationId: home.id, spaceId: space.id, siteId: site.id },
  };
  before = await readCounts();
  const now = Date.now();
  await writeDatabase(server, 'UPDATE integrations SET unpublished_at = ? WHERE name = ?', now, integration.name);
});

const guarded = operations.filter(({ endpoint }) => typeof endpoint.access !== 'string');
const named = guarded.filter(
  ({ endpoint }) => endpoint.path.split('/').includes(':integrationName') && endpoint.method !== 'POST',
);

test('an unpublished integration is in no list', async () => {
  expect(before).toEqual(readLists().map((address) => [address, 1]));
  expect(await readCounts()).toEqual(readLists().map((address) => [address, 0]));
});

describe.each(named.map((operation) => [operation.id, operation] as const))('%s', (_, { endpoint }) => {
  test('returns 404 for an unpublished integration and its installations', async () => {
    const { method } = endpoint;
    expect((await server.request(getAddress(endpoint, ids), { method, token: home.token })).status).toBe(404);
  });
});

test('no endpoint accepts the tokens of an unpublished integration', async () => {
  for (const { id, endpoint } of guarded) {
    for (const by of [token, integration.token]) {
      const { status } = await server.request(getAddress(endpoint, ids), { method: endpoint.method, token: by });
      expect([id, status]).toEqual([id, 401]);
    }
  }
});

test('an unpublished integration can be installed nowhere and gets no tokens', async () => {
  const path = `/v1/integrations/${integration.name}/installations`;
  const elsewhere = await server.makeOrganization();
  const body = { organization: elsewhere.id };
  expect((await server.request(path, { token: elsewhere.token, body })).status).toBe(404);
  for (const to of [`${installation.id}/spaces`, `${installation.id}/sites`, `${installation.id}/tokens`])
    expect((await server.request(`${path}/${to}`, { token: home.token, method: 'POST' })).status).toBe(404);
});
