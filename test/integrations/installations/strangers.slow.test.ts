import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { actAs, getPath, install, installOn, makeIntegration, publishVersion } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { getWebhooks } from '../webhooks/webhook-client.ts';

const server = platform();
let home: TestOrganization;
let hidden: string;
/** Tokens of installations in the organization that owns the private integration, by target. */
const tokens: Record<string, string> = {};
let own: string;

beforeAll(async () => {
  home = await server.makeOrganization();
  const owner = await server.makeOrganization();
  const secret = await makeIntegration(home, { visibility: 'private', title: 'Hush' });
  hidden = secret.name;
  own = await actAs(secret, await install(secret, home));
  for (const target of ['organization', 'all']) {
    for (const scopes of [[], ['space:content:write', 'site:metadata:read']]) {
      const integration = await makeIntegration(owner, { target, scopes });
      tokens[`${target}, ${scopes.length}`] = await actAs(integration, await install(integration, home));
    }
  }
});

const readStatus = async (path: string, token: string) => (await server.request(path, { token })).status;

test('an installation sees no private integrations except its own', async () => {
  for (const [which, token] of Object.entries(tokens)) {
    expect([which, await readStatus(`/v1/integrations/${hidden}`, token)]).toEqual([which, 404]);
    const { items } = await json<{ items: unknown[] }>(`/v1/integrations?search=${hidden}`, { token });
    expect([which, items]).toEqual([which, []]);
  }
  expect(await readStatus(`/v1/integrations/${hidden}`, own)).toBe(200);
  const listed = await json<{ items: unknown[] }>(`/v1/integrations?search=${hidden}`, { token: home.token });
  expect(listed.items).toHaveLength(1);
});

test('an installation gets only the public fields of its organization', async () => {
  const path = `/v1/orgs/${home.id}`;
  const { permissions } = await json<{ permissions: Record<string, boolean> }>(path, { token: home.token });
  expect(permissions.admin).toBe(true);
  for (const [which, token] of [...Object.entries(tokens), ['own', own] as const]) {
    const shown = await json<Record<string, unknown>>(path, { token });
    expect(shown).toMatchObject({ id: home.id, emailDomains: [], mergeRules: { type: 'none' } });
    for (const field of ['defaultRole', 'hostname', 'ai'])
      expect([which, field, field in shown]).toEqual([which, field, false]);
  }
});

test('an installation on a space in the trash has no public URL until it is restored', async () => {
  const script = getScript("return Response.json({ on: environment.spaceInstallation?.space ?? 'none' });");
  const integration = await makeIntegration(home, { script, scopes: ['space:content:read'] });
  const installation = await install(integration, home);
  const space = await server.makeSpace({ organization: home });
  await installOn(getPath(integration, installation), home, { space: space.id });
  const path = `/integrations/${integration.name}/installations/${installation.id}/spaces/${space.id}`;
  expect(await json(path, {})).toEqual({ on: space.id });

  await server.request(`/v1/spaces/${space.id}`, { token: home.token, method: 'DELETE' });
  expect((await server.request(path)).status).toBe(404);
  await server.request(`/v1/spaces/${space.id}/restore`, { token: home.token, method: 'POST' });
  expect(await json(path, {})).toEqual({ on: space.id });
});

/** All events share one sequence of numbers, in the order in which they were written. */
const getNumbers = (subscription: string): number[] =>
  query<{ seq: number }>('SELECT seq FROM deliveries WHERE subscription = ? ORDER BY seq', subscription).map(
    ({ seq }) => seq,
  );

test('an installation concurrent with a change to private is created before the change or not at all', async () => {
  const owner = await server.makeOrganization();
  const integration = await makeIntegration(owner);
  const { id: told } = await getWebhooks(owner).create('http://127.0.0.1:9/', { events: ['integration.published'] });
  for (let times = 1; times <= 25; times += 1) {
    const customer = await server.makeOrganization();
    await publishVersion(integration, { visibility: 'public' });
    const request = { token: customer.token, body: { organization: customer.id } };
    const [response] = await Promise.all([
      server.request(`/v1/integrations/${integration.name}/installations`, request),
      publishVersion(integration, { visibility: 'private' }),
    ]);
    const published = await until(() => (getNumbers(told).length === 2 * times ? getNumbers(told) : undefined));
    if (response.status !== 201) continue;
    const { id } = (await response.json()) as { id: string };
    const [installed = 0] = await until(() =>
      getNumbers(`${id}-script`).length > 0 ? getNumbers(`${id}-script`) : undefined,
    );
    expect(installed).toBeLessThan(published.at(-1) ?? 0);
  }
});
