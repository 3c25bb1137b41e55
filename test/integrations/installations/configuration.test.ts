import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { change, getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
const key = 'hush-hush-key';
let home: TestOrganization;
let integration: TestIntegration;
let installation: TestInstallation;
let path: string;

const configurations = {
  account: {
    properties: {
      key: { type: 'string', secret: true },
      colour: { type: 'string', enum: ['red', 'blue'], default: 'red' },
      times: { type: 'number' },
      loud: { type: 'boolean' },
      oauth: { type: 'button', callback_url: '/oauth', button_text: 'Connect' },
    },
    required: ['key', 'oauth'],
  },
};

beforeAll(async () => {
  home = await server.makeOrganization();
  integration = await makeIntegration(home, { configurations });
  installation = await install(integration, home);
  path = getPath(integration, installation);
});

test('a required name without a property does not keep an installation pending', async () => {
  const account = { properties: { colour: { type: 'string' } }, required: ['colour', 'missing'] };
  const asking = await makeIntegration(home, { configurations: { account } });
  const installation = await install(asking, home);
  expect(installation.status).toBe('pending');
  expect(await change(getPath(asking, installation), home.token, { configuration: { colour: 'red' } })).toMatchObject({
    status: 'active',
  });
});

const tryConfiguration = async (configuration: object) => {
  const response = await server.request(path, { token: home.token, method: 'PATCH', body: { configuration } });
  return { status: response.status, text: await response.text() };
};

test('an installation is pending until all required properties are set, and hides secrets', async () => {
  expect(installation).toMatchObject({ status: 'pending', configuration: { colour: 'red' } });
  expect(await change(path, home.token, { configuration: { key, colour: 'blue' } })).toMatchObject({
    status: 'pending',
  });
  const oauth = { access_token: 'from-elsewhere' };
  const set = await change(path, integration.token, { configuration: { colour: 'blue', oauth } });
  expect(set).toMatchObject({ status: 'active', configuration: { colour: 'blue', oauth } });
  const shown = await json<TestInstallation>(path, { token: home.token });
  expect(shown).toMatchObject({ status: 'active', configuration: { colour: 'blue' } });
  expect(shown.configuration).not.toHaveProperty('oauth');
  expect(shown.configuration).not.toHaveProperty('key');
});

test('defaults apply after each write that omits a value, and set values override them', async () => {
  const schema = { properties: { colour: { type: 'string', default: 'red' }, times: { type: 'number', default: 2 } } };
  const asking = await makeIntegration(home, { configurations: { account: schema, space: schema, site: schema } });
  const installation = await install(asking, home);
  const { id: space } = await server.makeSpace({ organization: home });
  const { id: site } = await json<{ id: string }>(`/v1/orgs/${home.id}/sites`, {
    token: home.token,
    body: { title: 'Docs', spaces: [] },
  });
  const account = getPath(asking, installation);
  await installOn(account, home, { space });
  await installOn(account, home, { site });
  for (const each of [account, `${account}/spaces/${space}`, `${account}/sites/${site}`])
    for (const token of [home.token, asking.token]) {
      const set = async (configuration: object) => (await change(each, token, { configuration })).configuration;
      expect([each, await set({ times: 3 })]).toEqual([each, { colour: 'red', times: 3 }]);
      expect([each, await set({ colour: 'blue' })]).toEqual([each, { colour: 'blue', times: 2 }]);
      expect([each, await set({})]).toEqual([each, { colour: 'red', times: 2 }]);
      expect((await change(each, token, { externalIds: ['one'] })).configuration).toEqual({ colour: 'red', times: 2 });
    }
});

test('rejects unknown properties by name, and wrong types', async () => {
  for (const [name, value] of Object.entries({ unknown: 1, colour: 'green', times: 'twice', loud: 'yes', key: 7 })) {
    const { status, text } = await tryConfiguration({ [name]: value });
    expect([name, status]).toEqual([name, 400]);
    expect(text).toContain(`body.configuration.${name}`);
  }
  expect((await tryConfiguration({ oauth: 'x'.repeat(70_000) })).status).toBe(400);
});

test('no secret is in the database, a response, an event or the audit log', async () => {
  const rows = JSON.stringify([
    query('SELECT * FROM installations WHERE id = ?', installation.id),
    query('SELECT * FROM outbox WHERE organization = ?', home.id),
  ]);
  expect(rows).toContain(installation.id);
  for (const secret of [key, 'from-elsewhere']) expect(rows).not.toContain(secret);
  for (const address of [
    path,
    `/v1/orgs/${home.id}/installations`,
    `/v1/integrations/${integration.name}/installations`,
  ]) {
    expect(await (await server.request(address, { token: home.token })).text()).not.toContain(key);
  }
});

test('a value encrypted for one installation cannot be decrypted as a value of another', async () => {
  const other = await install(await makeIntegration(home), home);
  const copy =
    'UPDATE installations SET configuration = (SELECT configuration FROM installations WHERE id = ?) WHERE id = ?';
  await writeDatabase(server, copy, installation.id, other.id);

  const response = await server.request(new URL(other.urls.location).pathname, { token: home.token });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain(key);
});
