import { IntegrationScope } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import type { Operation } from '../../support/endpoints.ts';
import { getAddress, operations } from '../../support/endpoints.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { actAs, change, getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

// Two integrations are installed side by side, and one of them also in another organization. The data of an
// installation must not be accessible under another name, with another integration's token or in another list.

interface Installed {
  integration: TestIntegration;
  installation: TestInstallation;
  path: string;
  /** The token with which the installation acts. */
  token: string;
  space: string;
  site: string;
}

const server = platform();
let home: TestOrganization;
let elsewhere: TestOrganization;
let one: Installed;
let other: Installed;
let away: Installed;

const createTargets = async (organization: TestOrganization) => {
  const { id, token } = organization;
  const space = (await server.makeSpace({ organization })).id;
  return { space, site: (await json<{ id: string }>(`/v1/orgs/${id}/sites`, { token, body: {} })).id };
};

async function installInOrganization(organization: TestOrganization, integration: TestIntegration): Promise<Installed> {
  const installation = await install(integration, organization);
  const path = getPath(integration, installation);
  const { space, site } = await createTargets(organization);
  await installOn(path, organization, { space });
  await installOn(path, organization, { site });
  for (const each of [path, `${path}/spaces/${space}`, `${path}/sites/${site}`])
    await change(each, organization.token, { externalIds: ['shared'] });
  const token = await actAs(integration, installation);
  return { integration, installation, path, token, space, site };
}

beforeAll(async () => {
  home = await server.makeOrganization();
  elsewhere = await server.makeOrganization();
  const owner = await server.makeOrganization();
  const scopes = IntegrationScope.options;
  const integration = await makeIntegration(owner, { scopes });
  one = await installInOrganization(home, integration);
  other = await installInOrganization(home, await makeIntegration(owner, { scopes }));
  away = await installInOrganization(elsewhere, integration);
  await change(other.path, home.token, { space_selection: 'all', site_selection: 'all' });
});

const isInPath = ({ endpoint }: Operation, parameter: string) => endpoint.path.split('/').includes(`:${parameter}`);
const ofInstallations = operations.filter((operation) => isInPath(operation, 'installationId'));

const getIds = ({ integration, installation, space, site }: Installed): Record<string, string> => ({
  ...{ integrationName: integration.name, installationId: installation.id, spaceId: space, siteId: site },
});

async function callOperation({ endpoint }: Operation, token: string, ids: Record<string, string>) {
  const { method } = endpoint;
  const response = await server.request(getAddress(endpoint, ids), { method, token });
  const { error } = (await response.json()) as { error: { type: string; message: string } };
  return { status: response.status, error: { type: error.type, message: error.message } };
}

const unknown = { installationId: 'ins_00000000000000000000' };

describe.each(ofInstallations.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  test('finds an installation only by the name of its own integration', async () => {
    const ids = { ...getIds(one), integrationName: other.integration.name };
    for (const token of [home.token, one.token, one.integration.token]) {
      const response = await callOperation(operation, token, ids);
      expect(response).toEqual(await callOperation(operation, token, { ...ids, ...unknown }));
      expect([403, 404]).toContain(response.status);
    }
  });

  test('is not visible to another integration or installation, in any organization', async () => {
    for (const token of [other.token, other.integration.token, away.token]) {
      const response = await callOperation(operation, token, getIds(one));
      expect(response).toEqual(await callOperation(operation, token, { ...getIds(one), ...unknown }));
      expect([403, 404]).toContain(response.status);
    }
  });
});

describe.each(['space', 'site'] as const)('an installation on a %s', (kind) => {
  const getTargetPath = (path: string, place: string) => `${path}/${kind}s/${place}`;
  const getListPath = () =>
    kind === 'space' ? `/v1/spaces/${one.space}/integrations` : `/v1/orgs/${home.id}/sites/${one.site}/integrations`;
  const listNames = async (token = home.token) =>
    (await json<{ items: { name: string }[] }>(getListPath(), { token })).items.map(({ name }) => name);
  const set = (column: string, value: string) =>
    writeDatabase(server, `UPDATE ${kind}_installations SET ${column} = ? WHERE ${kind} = ?`, value, one[kind]);

  test('is not visible through another installation of the same integration', async () => {
    for (const token of [home.token, one.integration.token, one.token]) {
      for (const [method, body] of [['GET'], ['PATCH', { externalIds: [] }], ['DELETE']] as const) {
        const { status } = await server.request(getTargetPath(one.path, other[kind]), { token, method, body });
        expect([method, status]).toEqual([method, 404]);
      }
    }
    expect((await server.request(getTargetPath(other.path, other[kind]), { token: home.token })).status).toBe(200);
  });

  test('is listed there only while active and in the same organization as the space or site', async () => {
    expect(await listNames()).toEqual([one.integration.name]);
    await set('status', 'pending');
    expect(await listNames()).toEqual([]);
    await set('status', 'active');
    await set('organization', elsewhere.id);
    expect(await listNames()).toEqual([]);
    await set('organization', home.id);
    expect(await listNames()).toEqual([one.integration.name]);
  });

  test('is listed only to the owner of its integration once the integration is private', async () => {
    const setVisibility = (value: string) =>
      writeDatabase(server, 'UPDATE integrations SET visibility = ? WHERE name = ?', value, one.integration.name);
    await setVisibility('private');
    const shown = await listNames();
    await setVisibility('public');

    expect([shown, await listNames()]).toEqual([[], [one.integration.name]]);
  });
});

interface Listed {
  items: Record<string, unknown>[];
}

const listField = async (path: string, field: string, token: string) =>
  (await json<Listed>(`${path}limit=1000`, { token })).items.map((item) => item[field]);

test.each(['?', '?externalId=shared&'])('an integration lists only its own installations: %s', async (filter) => {
  const path = `/v1/integrations/${one.integration.name}`;
  const list = (kind: string, field: string) => listField(`${path}/${kind}${filter}`, field, one.integration.token);

  expect(await list('installations', 'id')).toEqual([away.installation.id, one.installation.id]);
  expect(await list('spaces', 'space')).toEqual([away.space, one.space]);
  expect(await list('sites', 'site')).toEqual([away.site, one.site]);
});

test('an installation lists only its own spaces and sites, and an organization lists only its own installations', async () => {
  for (const token of [home.token, one.integration.token, one.token]) {
    expect(await listField(`${one.path}/spaces?`, 'space', token)).toEqual([one.space]);
    expect(await listField(`${one.path}/sites?`, 'site', token)).toEqual([one.site]);
  }
  const installed = await json<{ items: { installation: { id: string } }[] }>(`/v1/orgs/${home.id}/installations`, {
    token: home.token,
  });
  expect(installed.items.map(({ installation }) => installation.id)).toEqual([
    other.installation.id,
    one.installation.id,
  ]);
  const readStatus = (of: Installed) =>
    server.request(`/v1/orgs/${elsewhere.id}/integrations/${of.integration.name}/installation_status`, {
      token: elsewhere.token,
    });
  expect([(await readStatus(one)).status, (await readStatus(other)).status]).toEqual([200, 404]);
});

test('an integration cannot reach the spaces or sites of another installation or organization', async () => {
  const getSitesPath = ({ id }: TestOrganization) => `/v1/orgs/${id}/sites`;
  const canReach = async ({ token }: Installed, address: string) =>
    (await server.request(address, { token })).status === 200;

  expect(await canReach(one, `${getSitesPath(home)}/${one.site}`)).toBe(true);
  expect(await canReach(one, `/v1/spaces/${one.space}`)).toBe(true);
  expect(await canReach(one, `${getSitesPath(home)}/${other.site}`)).toBe(false);
  expect(await canReach(one, `/v1/spaces/${other.space}`)).toBe(false);
  for (const organization of [home, elsewhere])
    expect(await canReach(other, `${getSitesPath(organization)}/${away.site}`)).toBe(false);
  expect(await canReach(other, `/v1/spaces/${away.space}`)).toBe(false);
});

test('the account of an installation can only do what its scopes allow, whatever its membership', async () => {
  const readPermissions = async () =>
    (await json<{ permissions: object }>(`/v1/spaces/${one.space}`, { token: other.token })).permissions;
  const before = await readPermissions();
  const { id: account } = await json<{ id: string }>('/v1/user', { token: other.token });
  await writeDatabase(server, "UPDATE members SET role = 'admin' WHERE user = ?", account);
  const after = await readPermissions();
  await writeDatabase(server, "UPDATE members SET role = 'edit' WHERE user = ?", account);

  expect(before).toMatchObject({ edit: true, admin: false });
  expect(after).toEqual(before);
});
