import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { actAs, change, getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
let owner: TestOrganization;
let home: TestOrganization;
let space: TestSpace;
let integration: TestIntegration;
let installation: TestInstallation;
let path: string;

beforeAll(async () => {
  owner = await server.makeOrganization();
  home = await server.makeOrganization();
  space = await server.makeSpace({ organization: home });
  integration = await makeIntegration(owner, { scopes: ['space:content:read'] });
  installation = await install(integration, home);
  path = getPath(integration, installation);
});

const readStatus = async (address: string, options: Parameters<typeof server.request>[1]) =>
  (await server.request(address, options)).status;

test('returns an installation as created', async () => {
  expect(installation).toMatchObject({
    status: 'active',
    space_selection: 'selected',
    site_selection: 'selected',
    spaces: 0,
    configuration: {},
    externalIds: [],
    target: { organization: home.id },
  });
  for (const token of [home.token, integration.token, await actAs(integration, installation)]) {
    expect(await json(path, { token })).toMatchObject({ id: installation.id, target: { organization: home.id } });
  }
});

test('returns 409 for a second installation, and 404 for a private integration of another owner', async () => {
  const again = { token: home.token, body: { organization: home.id } };
  expect(await readStatus(`/v1/integrations/${integration.name}/installations`, again)).toBe(409);
  const secret = await makeIntegration(owner, { visibility: 'private' });
  expect(await readStatus(`/v1/integrations/${secret.name}/installations`, again)).toBe(404);
  const elsewhere = await server.makeUser({ organization: owner.id, role: 'read' });
  const own = { token: elsewhere.token, body: { organization: owner.id } };
  expect(await readStatus(`/v1/integrations/${secret.name}/installations`, own)).toBe(403);
  expect((await install(secret, owner)).target.organization).toBe(owner.id);
});

test('an installation is hidden from other members, strangers, and other integrations and installations', async () => {
  const member = await server.makeUser({ organization: home.id, role: 'create' });
  const stranger = await server.makeOrganization();
  const other = await makeIntegration(owner);
  const ofOther = await actAs(other, await install(other, home));
  for (const { token } of [member, stranger, other, { token: ofOther }, owner]) {
    expect(await readStatus(path, { token })).toBe(404);
    expect(await readStatus(path, { token, method: 'PATCH', body: {} })).toBe(404);
    expect(await readStatus(path, { token, method: 'DELETE' })).toBe(404);
    expect(await readStatus(`${path}/tokens`, { token, method: 'POST' })).toBe(404);
    expect(await readStatus(`${path}/spaces`, { token })).toBe(404);
  }
});

test('only admins change which content an installation can reach, and only its integration gets tokens', async () => {
  for (const token of [integration.token, await actAs(integration, installation)]) {
    for (const body of [{ space_selection: 'all' }, { site_selection: 'all' }, { status: 'active' }]) {
      expect(await readStatus(path, { token, method: 'PATCH', body })).toBe(403);
    }
    expect(await readStatus(path, { token, method: 'DELETE' })).toBe(403);
  }
  expect(await readStatus(`${path}/tokens`, { token: home.token, method: 'POST' })).toBe(403);
  expect(await readStatus(`${path}/tokens`, { token: await actAs(integration, installation), method: 'POST' })).toBe(
    403,
  );
});

test("a paused or uninstalled installation has no access, and an installation outlives its admin's membership", async () => {
  const admin = await server.makeUser({ organization: home.id, role: 'admin' });
  const own = await makeIntegration(owner, { scopes: ['space:content:read'], target: 'organization' });
  const installation = await install(own, { ...home, token: admin.token });
  expect(installation.space_selection).toBe('all');
  const token = await actAs(own, installation);
  const requestStatus = () => readStatus(`/v1/spaces/${space.id}`, { token });
  expect(await requestStatus()).toBe(200);
  await server.request(`/v1/orgs/${home.id}/members/${admin.user}`, { token: home.token, method: 'DELETE' });
  expect(await requestStatus()).toBe(200);
  expect(await change(getPath(own, installation), home.token, { status: 'paused' })).toMatchObject({
    status: 'paused',
  });
  expect(await requestStatus()).toBe(401);
  expect(await readStatus(`${getPath(own, installation)}/tokens`, { token: own.token, method: 'POST' })).toBe(412);
  expect(await change(getPath(own, installation), own.token, { externalIds: ['a'] })).toMatchObject({
    status: 'paused',
  });
  expect(await change(getPath(own, installation), home.token, { status: 'active' })).toMatchObject({
    status: 'active',
  });
  expect(await requestStatus()).toBe(200);
  expect(await readStatus(getPath(own, installation), { token: home.token, method: 'DELETE' })).toBe(205);
  expect(await requestStatus()).toBe(401);
  expect(await readStatus(getPath(own, installation), { token: home.token })).toBe(404);
  expect(await readStatus(getPath(own, installation), { token: home.token, method: 'DELETE' })).toBe(404);
});

test('an uninstalled integration leaves no data and can be installed again', async () => {
  const own = await makeIntegration(owner);
  const installation = await install(own, home);
  await installOn(getPath(own, installation), home, { space: space.id });
  await change(getPath(own, installation), home.token, { externalIds: ['one', 'two'] });
  await actAs(own, installation);
  await server.request(getPath(own, installation), { token: home.token, method: 'DELETE' });

  const [account] = query<{ user: string }>(
    "SELECT user FROM tokens WHERE installation = ? OR user = 'none'",
    installation.id,
  );
  expect(account).toBeUndefined();
  for (const table of ['installations', 'space_installations', 'installation_external_ids']) {
    expect(query(`SELECT 1 FROM ${table} WHERE integration = ?`, own.name)).toEqual([]);
  }
  expect(await install(own, home)).toMatchObject({ spaces: 0, externalIds: [] });
});

test('unpublishing removes installations and tokens, and a new integration of the same name inherits none', async () => {
  const own = await makeIntegration(owner, { target: 'organization', scopes: ['space:content:read'] });
  const installation = await install(own, home);
  const token = await actAs(own, installation);
  const { status: ended } = await server.request(`/v1/integrations/${own.name}`, {
    token: owner.token,
    method: 'DELETE',
  });
  expect(ended).toBe(204);
  expect(await readStatus(`/v1/spaces/${space.id}`, { token })).toBe(401);
  expect(await readStatus('/v1/user', { token: own.token })).toBe(401);
  await makeIntegration(home, { name: own.name });
  expect(await json(`/v1/integrations/${own.name}/installations`, { token: home.token })).toMatchObject({ count: 0 });
  expect(await readStatus(`/v1/spaces/${space.id}`, { token })).toBe(401);
});

describe.each([
  ['spaces', 'space'],
  ['sites', 'site'],
] as const)('on %s', (kind, one) => {
  let place: string;
  let own: TestIntegration;
  let installation: TestInstallation;
  let on: string;

  beforeAll(async () => {
    place =
      one === 'space'
        ? (await server.makeSpace({ organization: home })).id
        : (await json<{ id: string }>(`/v1/orgs/${home.id}/sites`, { token: home.token, body: { title: 'A site' } }))
            .id;
    own = await makeIntegration(owner, {
      scopes: ['space:metadata:read', 'site:metadata:read'],
      configurations: { [one]: { properties: { word: { type: 'string', secret: true } }, required: ['word'] } },
    });
    installation = await install(own, home);
    on = `${getPath(own, installation)}/${kind}`;
  });

  const createBody = () => (one === 'space' ? { space: place } : { siteId: place });

  test('is installed, configured, listed and removed', async () => {
    const creator = await server.makeUser({ organization: home.id, role: 'create' });
    const created = await json<TestInstallation & Record<string, unknown>>(on, {
      token: creator.token,
      body: createBody(),
    });
    expect(created).toMatchObject({
      [one]: place,
      status: 'pending',
      installation: installation.id,
      integration: own.name,
    });
    expect(await readStatus(on, { token: home.token, body: createBody() })).toBe(409);
    const whole = await json<Record<string, unknown>>(`${on}/${place}?extended=true`, { token: home.token });
    expect(whole[one]).toMatchObject({ object: one, id: place });

    const configured = { configuration: { word: 'hush' }, externalIds: ['outside'] };
    const updated = await change(`${on}/${place}`, own.token, configured);
    expect(updated).toMatchObject({ status: 'active', configuration: {}, externalIds: ['outside'] });
    const token = await actAs(own, installation);
    for (const address of [on, `/v1/integrations/${own.name}/${kind}?externalId=outside`]) {
      const listed = await json<{ items: unknown[] }>(address, { token: own.token });
      expect(listed).toMatchObject({ count: 1, items: [{ [one]: place, status: 'active' }] });
    }
    const extended = await json<{ items: Record<string, unknown>[] }>(`${on}?extended=true`, { token });
    expect(extended.items[0]?.[one]).toMatchObject({ id: place });
    expect(await json(`/v1/integrations/${own.name}/${kind}?externalId=inside`, { token: own.token })).toMatchObject({
      count: 0,
    });
    expect(await readStatus(`${on}/${place}`, { token: creator.token, method: 'DELETE' })).toBe(205);
    expect(await readStatus(`${on}/${place}`, { token: home.token })).toBe(404);
  });

  test('requires the right to install an integration on this space or site', async () => {
    const editor = await server.makeUser({ organization: home.id, role: 'edit' });
    expect(await readStatus(on, { token: editor.token, body: createBody() })).toBe(403);
    for (const token of [own.token, await actAs(own, installation)]) {
      expect(await readStatus(on, { token, body: createBody() })).toBe(404);
    }
    const stranger = await server.makeOrganization();
    expect(await readStatus(on, { token: stranger.token, body: createBody() })).toBe(404);
    const elsewhere = await server.makeSpace();
    const foreign = one === 'space' ? { space: elsewhere.id } : { siteId: 'site_unknown' };
    expect(await readStatus(on, { token: home.token, body: foreign })).toBe(404);
    await change(getPath(own, installation), home.token, { [`${one}_selection`]: 'all' });
    expect(await readStatus(on, { token: own.token, body: createBody() })).toBe(201);
  });

  test('rejects an integration with another target', async () => {
    const elsewhere = await makeIntegration(owner, { target: one === 'space' ? 'site' : 'space' });
    const its = await install(elsewhere, home);
    expect(await readStatus(`${getPath(elsewhere, its)}/${kind}`, { token: home.token, body: createBody() })).toBe(412);
  });
});
