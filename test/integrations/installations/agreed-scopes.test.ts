import type { IntegrationScope } from '@octavo/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import {
  actAs,
  change,
  getPath,
  install,
  installOn,
  makeIntegration,
  publishVersion,
} from '../../support/integrations.ts';
import type { TestOrganization, TestSpace } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { installWithWebhook } from '../webhooks/installed.ts';
import { receive } from '../webhooks/receiver.ts';

const server = platform();
const [reads, writes]: IntegrationScope[][] = [['space:content:read'], ['space:content:read', 'space:content:write']];
let owner: TestOrganization;
let home: TestOrganization;
let space: TestSpace;

beforeAll(async () => {
  owner = await server.makeOrganization();
  home = await server.makeOrganization();
  space = await server.makeSpace({ organization: home });
});

const readStatus = async (address: string, options: Parameters<typeof server.request>[1]) =>
  (await server.request(address, options)).status;

interface Installed {
  integration: TestIntegration;
  installation: TestInstallation;
  path: string;
  token: string;
}

/** Installs an integration with some scopes, then publishes a version that asks for others. */
async function publishWiderVersion(
  first: IntegrationScope[],
  second: IntegrationScope[],
  target = 'organization',
): Promise<Installed> {
  const integration = await makeIntegration(owner, { scopes: first, target });
  const installation = await install(integration, home);
  const token = await actAs(integration, installation);
  await publishVersion(integration, { scopes: second, target });
  return { integration, installation, path: getPath(integration, installation), token };
}

const tryToWrite = (token: string) =>
  readStatus(`/v1/spaces/${space.id}/comments`, { token, body: { body: { markdown: 'A word.' } } });
const tryToRead = (token: string) => readStatus(`/v1/spaces/${space.id}/content`, { token });

describe('an integration that requests more scopes in a new version', () => {
  let own: Installed;
  beforeAll(async () => {
    own = await publishWiderVersion(reads ?? [], writes ?? []);
  });

  test('keeps only the scopes that were granted at installation', async () => {
    expect(own.installation).toMatchObject({ scopes: reads, requestedScopes: [] });
    expect(await tryToRead(own.token)).toBe(200);
    expect(await tryToWrite(own.token)).toBe(403);
    const shown = { scopes: reads, requestedScopes: ['space:content:write'] };
    expect(await json(own.path, { token: home.token })).toMatchObject(shown);
  });

  test('cannot grant the new scopes itself; only an admin can', async () => {
    const creator = await server.makeUser({ organization: home.id, role: 'create' });
    const body = { scopes: writes };
    const requestScopes = async (token: string) => await readStatus(own.path, { token, method: 'PATCH', body });
    expect([await requestScopes(own.integration.token), await requestScopes(own.token)]).toEqual([403, 403]);
    expect([await requestScopes(creator.token), await requestScopes(owner.token)]).toEqual([404, 404]);
    expect(await tryToWrite(own.token)).toBe(403);
  });

  test('a grant only includes requested scopes, and the response lists them', async () => {
    const body = { scopes: [...(writes ?? []), 'openapi:write'] };
    const response = await server.request(own.path, { token: home.token, method: 'PATCH', body });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('openapi:write')]);
    const path = `/v1/integrations/${own.integration.name}/installations`;
    expect(await readStatus(path, { token: home.token, body: { organization: home.id, ...body } })).toBe(400);
    expect(await tryToWrite(own.token)).toBe(403);
  });

  test('gets the new scopes when an admin grants them, and the audit log records the grant', async () => {
    const agreed = await change(own.path, home.token, { scopes: writes });
    expect(agreed).toMatchObject({ scopes: writes, requestedScopes: [] });
    expect(await json(own.path, { token: home.token })).toMatchObject({ scopes: writes, requestedScopes: [] });
    expect(await tryToWrite(own.token)).toBe(200);
    const [event] = query<{ actor: string; data: string }>(
      `SELECT actor, data FROM outbox WHERE organization = ? AND type = 'installation.updated' AND data->>'installation' = ?
        ORDER BY created_at DESC LIMIT 1`,
      home.id,
      own.installation.id,
    );
    expect(event?.actor).toBe(home.user);
    expect(JSON.parse(event?.data ?? '{}')).toMatchObject({ scopes: writes });
  });

  test('keeps the granted scopes through other changes', async () => {
    await change(own.path, own.integration.token, { externalIds: ['a'] });
    expect(await change(own.path, home.token, { status: 'active' })).toMatchObject({ scopes: writes });
    expect(await tryToWrite(own.token)).toBe(200);
  });

  test('loses scopes immediately when an admin removes them or a newer version drops them', async () => {
    await change(own.path, home.token, { scopes: reads });
    expect([await tryToRead(own.token), await tryToWrite(own.token)]).toEqual([200, 403]);
    await change(own.path, home.token, { scopes: writes });
    await publishVersion(own.integration, { scopes: reads, target: 'organization' });
    expect([await tryToRead(own.token), await tryToWrite(own.token)]).toEqual([200, 403]);
    expect(await json(own.path, { token: home.token })).toMatchObject({ scopes: reads, requestedScopes: [] });
    await publishVersion(own.integration, { scopes: [], target: 'organization' });
    expect(await tryToRead(own.token)).toBe(403);
  });

  test('needs a new grant for a scope that one version removed and a later one added again', async () => {
    await publishVersion(own.integration, { scopes: writes, target: 'organization' });
    await publishVersion(own.integration, { scopes: writes, target: 'organization' });
    expect([await tryToRead(own.token), await tryToWrite(own.token)]).toEqual([403, 403]);
    const shown = { scopes: [], requestedScopes: writes };
    expect(await json(own.path, { token: home.token })).toMatchObject(shown);
    expect(await change(own.path, home.token, { status: 'active' })).toMatchObject(shown);
    expect(await change(own.path, home.token, { scopes: reads })).toMatchObject({ scopes: reads });
    await publishVersion(own.integration, { scopes: reads, target: 'organization' });
    expect([await tryToRead(own.token), await tryToWrite(own.token)]).toEqual([200, 403]);
  });
});

test('an admin can grant fewer scopes at installation', async () => {
  const integration = await makeIntegration(owner, { scopes: writes, target: 'organization' });
  const path = `/v1/integrations/${integration.name}/installations`;
  const body = { organization: home.id, scopes: reads };
  const installation = await json<TestInstallation>(path, { token: home.token, body });
  expect(installation).toMatchObject({ scopes: reads, requestedScopes: ['space:content:write'] });
  const token = await actAs(integration, installation);
  expect([await tryToRead(token), await tryToWrite(token)]).toEqual([200, 403]);
});

test('the list of installations shows the scopes of each, and hides spaces if the installation may not read them', async () => {
  const { integration, installation, path, token } = await publishWiderVersion([], ['space:metadata:read'], 'all');
  await installOn(path, home, { space: space.id });
  for (const by of [integration.token, token]) {
    for (const address of [
      `${path}/spaces`,
      ...(by === token ? [] : [`/v1/integrations/${integration.name}/spaces`]),
    ]) {
      const listed = await json<{ items: unknown[] }>(`${address}?extended=true`, { token: by });
      expect(listed.items).toMatchObject([{ installation: installation.id, space: space.id }]);
    }
  }
  await change(path, home.token, { scopes: ['space:metadata:read'] });
  for (const by of [integration.token, token]) {
    const listed = await json<{ items: unknown[] }>(`${path}/spaces?extended=true`, { token: by });
    expect(listed.items).toMatchObject([{ space: { id: space.id, permissions: { view: true, edit: false } } }]);
  }
  const { items } = await json<{ items: { installation: TestInstallation }[] }>(`/v1/orgs/${home.id}/installations`, {
    token: home.token,
  });
  const shown = items.find((each) => each.installation.id === installation.id)?.installation;
  expect(shown).toMatchObject({ scopes: ['space:metadata:read'], requestedScopes: [] });
});

test('a new version adds neither page scripts nor visitor authentication', async () => {
  const { integration, installation, path } = await publishWiderVersion(
    [],
    ['site:script:inject', 'site:visitor:auth'],
    'all',
  );
  const sites = `/v1/orgs/${home.id}/sites`;
  const { id: site } = await json<{ id: string }>(sites, { token: home.token, body: { title: 'A site' } });
  await installOn(path, home, { site });
  const listScripts = () => json<unknown[]>(`${sites}/${site}/integration-scripts`, { token: home.token });
  const signVisitorToken = () =>
    readStatus(`${sites}/${site}/publishing/auth`, {
      token: home.token,
      method: 'PATCH',
      body: { backend: 'integration', integration: integration.name },
    });
  const file = `/integrations/${integration.name}/installations/${installation.id}/sites/${site}/script.js`;
  const isServed = async () => (await readStatus(file, {})) !== 404;
  expect([await listScripts(), await signVisitorToken(), await isServed()]).toEqual([[], 400, false]);

  await change(path, home.token, { scopes: ['site:script:inject'] });
  expect([(await listScripts()).length, await signVisitorToken(), await isServed()]).toEqual([1, 400, true]);
  await change(path, home.token, { scopes: ['site:visitor:auth'] });
  expect([await listScripts(), await signVisitorToken(), await isServed()]).toEqual([[], 200, false]);
});

test('a new version gets events of new types only after a grant', async () => {
  const organization = await server.makeOrganization();
  const receiver = await receive();
  const scopes = ['space:metadata:read', 'space:content:read'];
  const own = await installWithWebhook(organization, { webhook: receiver.url, scopes: ['space:content:read'] });
  await own.publishAgain({ webhook: receiver.url, scopes });
  const space = await server.makeSpace({ organization });
  const changes = [{ operation: 'insert_page', title: 'A page', document: { markdown: 'Words.' } }];
  await json(`/v1/spaces/${space.id}/content`, { token: organization.token, body: { changes } });
  await receiver.got('space_content_updated');

  expect(receiver.received.map(({ type }) => type)).not.toContain('space.created');
});
