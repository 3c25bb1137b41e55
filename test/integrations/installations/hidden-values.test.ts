import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { change, getPath, install, installOn, makeIntegration, publishVersion } from '../../support/integrations.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
let owner: TestOrganization;
let home: TestOrganization;

beforeAll(async () => {
  owner = await server.makeOrganization();
  home = await server.makeOrganization();
});

const button = { type: 'button', callback_url: '/oauth', button_text: 'Connect' };
const secret = { type: 'string', secret: true };
const text = { type: 'string' };
const oauth = { access_token: 'from-elsewhere' };

const kinds = ['account', 'space', 'site'] as const;
type Kind = (typeof kinds)[number];

/**
 * Installs an integration that asks for configuration on one kind of target, and returns the API path of the
 * installation there.
 */
async function installOnTarget(kind: Kind, definition: object): Promise<{ integration: TestIntegration; on: string }> {
  const integration = await makeIntegration(owner, { configurations: { [kind]: definition } });
  const path = getPath(integration, await install(integration, home));
  if (kind === 'account') return { integration, on: path };
  const { id } =
    kind === 'space'
      ? await server.makeSpace({ organization: home })
      : await json<{ id: string }>(`/v1/orgs/${home.id}/sites`, { token: home.token, body: { spaces: [] } });
  await installOn(path, home, kind === 'space' ? { space: id } : { site: id });
  return { integration, on: `${path}/${kind}s/${id}` };
}

const read = async (on: string, { token } = home) => (await json<TestInstallation>(on, { token })).configuration;
const set = (on: string, configuration: object, { token }: { token: string } = home) =>
  change(on, token, { configuration });
const tryConfiguration = async (on: string, configuration: object) => {
  const response = await server.request(on, { token: home.token, method: 'PATCH', body: { configuration } });
  return [response.status, await response.text()];
};

describe.each(kinds)('an installation on each level: %s', (kind) => {
  const publishNext = (integration: TestIntegration, definition: object) =>
    publishVersion(integration, { configurations: { [kind]: definition } });

  test('a value that was hidden when set stays hidden in later versions until it is set again', async () => {
    const { integration, on } = await installOnTarget(kind, {
      properties: { key: secret, oauth: button, colour: text },
    });
    await set(on, { key: 'very-hush', colour: 'red' });
    await set(on, { colour: 'red', oauth }, integration);
    const properties = { key: text, oauth: text, colour: text };
    for (const definition of [{ properties }, { componentId: 'own' }]) {
      await publishNext(integration, definition);
      expect(await read(on)).toEqual({ colour: 'red' });
      // Stored values stay hidden, and are preserved by changes of other values.
      await set(on, { colour: 'red' });
      expect(await read(on)).toEqual({ colour: 'red' });
      expect(await json(on, { token: integration.token })).toMatchObject({ configuration: { colour: 'red' } });
      expect(JSON.stringify(await read(on, { ...home, token: integration.token }))).not.toContain('very-hush');
    }
    await publishNext(integration, { properties });
    await set(on, { colour: 'red', key: 'shown', oauth: 'said' });
    expect(await read(on)).toEqual({ colour: 'red', key: 'shown', oauth: 'said' });
  });

  test('omits values of properties that no longer exist, so that the response can be sent back', async () => {
    const { integration, on } = await installOnTarget(kind, { properties: { key: secret, colour: text, gone: text } });
    await set(on, { key: 'very-hush', colour: 'red', gone: 'away' });
    await publishNext(integration, { properties: { colour: text } });
    const shown = await read(on);
    expect(shown).toEqual({ colour: 'red' });
    expect((await set(on, shown)).configuration).toEqual(shown);
  });

  test("a button's state cannot be set by users, only cleared", async () => {
    const { integration, on } = await installOnTarget(kind, { properties: { oauth: button }, required: ['oauth'] });
    expect(await tryConfiguration(on, { oauth })).toEqual([400, expect.stringContaining('body.configuration.oauth')]);
    expect(await json(on, { token: home.token })).toMatchObject({ status: 'pending' });
    expect(await set(on, { oauth }, integration)).toMatchObject({ status: 'active', configuration: { oauth } });
    expect(await set(on, {})).toMatchObject({ status: 'active', configuration: {} });
    expect(await set(on, { oauth: null })).toMatchObject({ status: 'pending' });
    expect(await read(on, { ...home, token: integration.token })).toEqual({});
  });

  test('null clears a secret, and an empty string is not a secret', async () => {
    const { integration, on } = await installOnTarget(kind, {
      properties: { key: secret, colour: text },
      required: ['key'],
    });
    expect(await set(on, { key: '' })).toMatchObject({ status: 'pending' });
    expect(await set(on, { key: 'hush' })).toMatchObject({ status: 'active' });
    expect(await set(on, {})).toMatchObject({ status: 'active' });
    expect(await set(on, { key: null, colour: 'red' })).toMatchObject({
      status: 'pending',
      configuration: { colour: 'red' },
    });
    await publishNext(integration, { properties: { key: text, colour: text } });
    expect(await read(on)).toEqual({ colour: 'red' });
  });
});
