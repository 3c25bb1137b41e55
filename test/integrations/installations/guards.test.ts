import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { writeDatabase } from '../../support/database.ts';
import type { TestInstallation } from '../../support/integrations.ts';
import { actAs, change, getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import { multiply } from '../../support/multiply.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
let owner: TestOrganization;
let home: TestOrganization;
beforeAll(async () => {
  owner = await server.makeOrganization();
  home = await server.makeOrganization();
});

const readStatus = async (address: string, options: Parameters<typeof server.request>[1]) =>
  (await server.request(address, options)).status;

const makeSite = async ({ id, token }: TestOrganization) =>
  (await json<{ id: string }>(`/v1/orgs/${id}/sites`, { token, body: {} })).id;

/** Functions that create, reference and read spaces and sites. */
const kinds = {
  space: {
    make: async (of: TestOrganization) => (await server.makeSpace({ organization: of })).id,
    body: (id: string) => ({ space: id }),
    path: (id: string) => `/v1/spaces/${id}`,
  },
  site: {
    make: makeSite,
    body: (id: string) => ({ siteId: id }),
    path: (id: string) => `/v1/orgs/${home.id}/sites/${id}`,
  },
};

const scopes = ['space:metadata:read', 'site:metadata:read'];

describe.each(['space', 'site'] as const)('on a %s', (kind) => {
  const { make, body, path } = kinds[kind];

  test('has no access until it is configured, at first and after a new version', async () => {
    const schema = { properties: { word: { type: 'string' } }, required: ['word'] };
    const integration = await makeIntegration(owner, { scopes, configurations: { [kind]: schema } });
    const installation = await install(integration, home);
    const token = await actAs(integration, installation);
    const place = await make(home);
    const on = `${getPath(integration, installation)}/${kind}s`;
    const newInstallation = await json<TestInstallation>(on, { token: home.token, body: body(place) });
    const requestStatus = () => readStatus(path(place), { token });

    expect([newInstallation.status, await requestStatus()]).toEqual(['pending', 404]);
    await change(`${on}/${place}`, home.token, { configuration: { word: 'a' } });
    expect(await requestStatus()).toBe(200);
    await change(`${on}/${place}`, home.token, { configuration: {} });
    expect(await requestStatus()).toBe(404);
    await change(`${on}/${place}`, home.token, { configuration: { word: 'a' } });
    expect(await readStatus(`${on}/${place}`, { token: home.token, method: 'DELETE' })).toBe(205);
    expect(await requestStatus()).toBe(404);
  });

  test('rejects additions by a paused installation, and additions to content of another organization', async () => {
    const integration = await makeIntegration(owner);
    const installation = await install(integration, home);
    const installed = getPath(integration, installation);
    await change(installed, home.token, { space_selection: 'all', site_selection: 'all', status: 'paused' });
    const put = (place: string, { token } = integration as { token: string }) =>
      readStatus(`${installed}/${kind}s`, { token, body: body(place) });
    const place = await make(home);

    expect(await put(place)).toBe(404);
    await change(installed, home.token, { status: 'active' });
    expect(await put(await make(owner))).toBe(404);
    const mine = await json<TestOrganization>('/v1/orgs', { token: home.token, body: { title: 'Another' } });
    expect(await put(await make({ ...home, id: mine.id }), home)).toBe(404);
    expect(await put(place)).toBe(201);
  });

  test('an installation has a maximum number of spaces and sites, including those in the trash', async () => {
    const integration = await makeIntegration(owner);
    const installation = await install(integration, home);
    const full = `UPDATE installations SET on_${kind}s = 1000 WHERE id = ?`;
    await writeDatabase(server, full, installation.id);
    const put = async () =>
      readStatus(`${getPath(integration, installation)}/${kind}s`, { token: home.token, body: body(await make(home)) });

    expect(await put()).toBe(409);
    await writeDatabase(server, full.replace('1000', '999'), installation.id);
    expect([await put(), await put()]).toEqual([201, 409]);
  });

  test('the statuses of all installations are visible only to their organization', async () => {
    const integration = await makeIntegration(owner);
    const installation = await install(integration, home);
    const place = await make(home);
    await installOn(getPath(integration, installation), home, kind === 'space' ? { space: place } : { site: place });
    const listStatuses = async ({ id, token }: TestOrganization) => {
      const filter = `target=${kind}&${kind}=${place}`;
      const list = `/v1/orgs/${id}/integrations/installations-status?${filter}`;
      return (await json<{ items: unknown[] }>(list, { token })).items.length;
    };

    expect([await listStatuses(home), await listStatuses(owner)]).toEqual([1, 0]);
  });
});

test('the statuses on spaces are visible only for spaces that the caller can view', async () => {
  const integration = await makeIntegration(owner);
  const installation = await install(integration, home);
  const reader = await server.makeUser({ organization: home.id, role: 'read' });
  const space = await kinds.space.make(home);
  await installOn(getPath(integration, installation), home, { space });
  const list = `/v1/orgs/${home.id}/integrations/installations-status?target=space&space=${space}`;
  const countListed = async (token: string) => (await json<{ items: unknown[] }>(list, { token })).items.length;

  expect([await countListed(reader.token), await countListed(home.token)]).toEqual([1, 1]);
  await json(`/v1/spaces/${space}`, { token: home.token, method: 'PATCH', body: { defaultLevel: 'none' } });
  expect([await countListed(reader.token), await countListed(home.token)]).toEqual([0, 1]);
  await server.request(`/v1/spaces/${space}`, { token: home.token, method: 'DELETE' });
  expect(await countListed(home.token)).toBe(0);
});

test('an integration manages only its own installation, and sees no private integration of others', async () => {
  const [one, other] = [await makeIntegration(owner, { visibility: 'private' }), await makeIntegration(owner)];
  const ofOther = await actAs(other, await install(other, owner));
  const path = `/v1/integrations/${one.name}`;

  for (const token of [other.token, ofOther]) {
    expect(await readStatus(path, { token })).toBe(404);
    expect([404, 403]).toContain(await readStatus(`${path}/installations`, { token }));
  }
  expect(await readStatus(path, { token: one.token })).toBe(200);
  expect(await readStatus(`/v1/integrations/${other.name}/installations`, { token: one.token })).toBe(403);
});

test('the token of an installation is valid for at most an hour, in its organization', async () => {
  const integration = await makeIntegration(owner, { scopes });
  const path = getPath(integration, await install(integration, home));
  const request = { token: integration.token, method: 'POST' };
  const { token, expiresAt } = await json<{ token: string; expiresAt: string }>(`${path}/tokens`, request);
  const left = Date.parse(expiresAt) - Date.now();

  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(3_600_000);
  expect(await readStatus('/v1/user', { token })).toBe(200);
  expect(await readStatus(`/v1/orgs/${owner.id}`, { token })).toBe(404);
  await writeDatabase(server, 'UPDATE tokens SET expires_at = 1 WHERE label = ?', integration.name);
  expect(await readStatus('/v1/user', { token })).toBe(401);
});

test('an organization has a maximum number of installations', async () => {
  const organization = await server.makeOrganization();
  const { id } = await install(await makeIntegration(owner), organization);
  await multiply('installations', 98, `x.id = '${id}'`, { id: `'${id}' || i`, integration: `'${id}-' || i` });
  const put = async () => {
    const { name } = await makeIntegration(owner);
    const body = { organization: organization.id };
    return readStatus(`/v1/integrations/${name}/installations`, { token: organization.token, body });
  };

  expect([await put(), await put()]).toEqual([201, 409]);
});

test('cannot be installed on a space in the trash, even if it is selected for all spaces', async () => {
  const integration = await makeIntegration(owner, { target: 'all' });
  const path = getPath(integration, await install(integration, home));
  await change(path, home.token, { space_selection: 'all' });
  const space = await kinds.space.make(home);
  await server.request(`/v1/spaces/${space}`, { token: home.token, method: 'DELETE' });

  for (const { token } of [home, integration])
    expect(await readStatus(`${path}/spaces`, { token, body: { space } })).toBe(404);
});
