import { IntegrationScope } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { getAddress, operations } from '../../support/endpoints.ts';
import { actAs, getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import { platform } from '../../support/platform.ts';
import type { World } from '../../support/world.ts';
import { createRandomWorld } from '../../support/world.ts';

const server = platform();
/** The integration is installed in this organization, but on a space and a site whose ids are not in `world`. */
let world: World;
let elsewhere: World;
let token: string;
let own: Record<string, string>;

beforeAll(async () => {
  [world, elsewhere] = [await createRandomWorld(server), await createRandomWorld(server)];
  const { organization } = world;
  const space = await server.makeSpace({ organization });
  const site = await json<{ id: string }>(`/v1/orgs/${organization.id}/sites`, { token: organization.token, body: {} });
  const integration = await makeIntegration(elsewhere.organization, { scopes: IntegrationScope.options });
  const installation = await install(integration, organization);
  const path = getPath(integration, installation);
  await installOn(path, organization, { space: space.id });
  await installOn(path, organization, { site: site.id });
  token = await actAs(integration, installation);
  own = {
    ...{ organizationId: organization.id, spaceId: space.id, siteId: site.id },
    ...{ integrationName: integration.name, installationId: installation.id },
  };
});

const guarded = operations.filter(({ endpoint }) => typeof endpoint.access !== 'string');

/** Path parameters, each with ids that the installation must not reach. */
const kinds: [parameter: string, outside: () => Record<string, string>[]][] = [
  ['spaceId', () => [world.ids, elsewhere.ids]],
  ['siteId', () => [world.ids, { ...elsewhere.ids, organizationId: own.organizationId ?? '' }, elsewhere.ids]],
  ['collectionId', () => [world.ids, elsewhere.ids]],
  ['organizationId', () => [elsewhere.ids]],
  ['installationId', () => [world.ids, elsewhere.ids]],
];

/** Combines ids outside of the installation's reach with the installation's own ids in the path. */
const addOwnIds = (parameter: string, outside: Record<string, string>) =>
  parameter === 'installationId'
    ? outside
    : { ...outside, integrationName: own.integrationName ?? '', installationId: own.installationId ?? '' };

const replaceByMissingId = (ids: Record<string, string>, parameter: string) => ({
  ...ids,
  [parameter]: (ids[parameter] ?? '').replace(/_.*/, '_00000000000000000000'),
});

async function callOperation({ endpoint }: (typeof guarded)[number], ids: Record<string, string>) {
  const { method } = endpoint;
  const response = await server.request(getAddress(endpoint, ids), { method, token, body: undefined });
  return { status: response.status, ...((await response.json()) as { error: { type: string; message: string } }) };
}

describe.each(kinds)('with a %s of content that is out of reach', (parameter, outside) => {
  const named = guarded.filter(({ endpoint: { path } }) => path.split(/[/.]/).includes(`:${parameter}`));

  test.each(named.map((operation) => [operation.id, operation] as const))(
    'returns 404 for %s',
    async (_, operation) => {
      for (const ids of outside().map((each) => addOwnIds(parameter, each))) {
        const [given, missing] = [
          await callOperation(operation, ids),
          await callOperation(operation, replaceByMissingId(ids, parameter)),
        ];
        expect(given.status).toBe(404);
        expect(given.error.message).toBe(missing.error.message);
        expect(given).toMatchObject({ status: missing.status, error: { type: missing.error.type } });
      }
    },
  );
});

test('returns the content on which the integration is installed', async () => {
  for (const path of [
    `/v1/orgs/${own.organizationId}`,
    `/v1/spaces/${own.spaceId}`,
    `/v1/orgs/${own.organizationId}/sites/${own.siteId}`,
    `/v1/integrations/${own.integrationName}/installations/${own.installationId}/spaces/${own.spaceId}`,
    `/v1/integrations/${own.integrationName}/installations/${own.installationId}/sites/${own.siteId}`,
  ]) {
    expect([path, (await server.request(path, { token })).status]).toEqual([path, 200]);
  }
});

test('rejects installing an integration on content that it cannot access, whatever the body names', async () => {
  const path = `/v1/integrations/${own.integrationName}/installations/${own.installationId}`;
  const { ids } = world;
  for (const [kind, body] of [
    ['spaces', { space: ids.spaceId }],
    ['spaces', { space: elsewhere.ids.spaceId }],
    ['sites', { siteId: ids.siteId }],
    ['sites', { siteId: elsewhere.ids.siteId }],
  ] as const) {
    expect((await server.request(`${path}/${kind}`, { token, body })).status).toBe(404);
  }
});
