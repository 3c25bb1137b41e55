import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import type { TestIntegration } from '../../support/integrations.ts';
import { change, getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
let home: TestOrganization;
let owner: TestOrganization;
beforeAll(async () => {
  home = await server.makeOrganization();
  owner = await server.makeOrganization();
});

const scopes = ['space:metadata:read', 'site:metadata:read'];
const schema = { properties: { word: { type: 'string' } }, required: ['word'] };

const kinds = {
  space: async () => ({ space: (await server.makeSpace({ organization: home })).id }),
  site: async () => ({
    site: (await json<{ id: string }>(`/v1/orgs/${home.id}/sites`, { token: home.token, body: {} })).id,
  }),
};

describe.each(['space', 'site'] as const)('a %s with an integration', (kind) => {
  /** Installs an integration on a new target, and returns its lists. */
  async function installIntegration(described: object) {
    const integration = await makeIntegration(owner, { ...described });
    const path = getPath(integration, await install(integration, home));
    const place = await kinds[kind]();
    await installOn(path, home, place);
    const id = String(Object.values(place)[0]);
    return { integration, path, id, lists: [`${path}/${kind}s`, `/v1/integrations/${integration.name}/${kind}s`] };
  }

  /** Returns the id of the space or site: as a string if the response contains the whole object, else in an array. */
  async function readInstallation(address: string, { token }: TestIntegration) {
    const object = await json<Record<string, unknown>>(`${address}?extended=true`, { token });
    const [item] = (object.items ?? [object]) as Record<string, unknown>[];
    const whole = item?.[kind];
    return typeof whole === 'object' ? (whole as { id: string } | null)?.id : [whole];
  }

  test('includes the whole space or site if the integration can read it, otherwise its ID', async () => {
    const { integration, path, id, lists } = await installIntegration({ scopes });
    const blind = await installIntegration({ scopes: [] });
    for (const address of [...lists, `${path}/${kind}s/${id}`])
      expect(await readInstallation(address, integration)).toBe(id);
    for (const address of [...blind.lists, `${blind.path}/${kind}s/${blind.id}`])
      expect(await readInstallation(address, blind.integration)).toEqual([blind.id]);
  });

  test('includes no space or site while the installation is paused or pending', async () => {
    const paused = await installIntegration({ scopes });
    await change(paused.path, home.token, { status: 'paused' });
    const pending = await installIntegration({ scopes, configurations: { [kind]: schema } });
    for (const { lists, path, id, integration } of [paused, pending]) {
      for (const address of [...lists, `${path}/${kind}s/${id}`])
        expect([address, await readInstallation(address, integration)]).toEqual([address, [id]]);
    }
  });
});

test('an installation on a space in the trash is hidden from its integration', async () => {
  const integration = await makeIntegration(owner, { scopes });
  const path = getPath(integration, await install(integration, home));
  const { space } = await kinds.space();
  await installOn(path, home, { space });
  await change(`${path}/spaces/${space}`, home.token, { externalIds: ['outside'] });
  const everywhere = `/v1/integrations/${integration.name}/spaces`;
  const lists = [`${path}/spaces`, everywhere, `${everywhere}?externalId=outside`];
  const { token } = integration;
  const readCounts = () =>
    Promise.all(lists.map(async (list) => (await json<{ count: number }>(list, { token })).count));

  expect(await readCounts()).toEqual([1, 1, 1]);
  expect((await server.request(`/v1/spaces/${space}`, { token: home.token, method: 'DELETE' })).status).toBeLessThan(
    300,
  );
  expect(await readCounts()).toEqual([0, 0, 0]);
  for (const [method, body] of [['GET'], ['PATCH', { externalIds: [] }], ['DELETE']] as const) {
    const { status } = await server.request(`${path}/spaces/${space}`, { token, method, body });
    expect([method, status]).toEqual([method, 404]);
  }
});
