import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestIntegration } from '../../support/integrations.ts';
import { getPath, install, installOn, makeIntegration, publishVersion } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
let home: TestOrganization;
let integration: TestIntegration;
const paths: Record<string, string> = {};
beforeAll(async () => {
  home = await server.makeOrganization();
  integration = await makeIntegration(home);
  const path = getPath(integration, await install(integration, home));
  const space = (await server.makeSpace({ organization: home })).id;
  const site = (await json<{ id: string }>(`/v1/orgs/${home.id}/sites`, { token: home.token, body: {} })).id;
  await installOn(path, home, { space });
  await installOn(path, home, { site });
  Object.assign(paths, { account: path, space: `${path}/spaces/${space}`, site: `${path}/sites/${site}` });
});

test.each(['account', 'space', 'site'])('concurrent changes do not undo a configuration: %s', async (kind) => {
  const path = paths[kind] ?? '';
  const patch = async (body: object) =>
    (await server.request(path, { token: home.token, method: 'PATCH', body })).status;
  await patch({ externalIds: ['same'] });
  for (let turn = 0; turn < 6; turn += 1) {
    await patch({ configuration: { text: 'x'.repeat(60_000) } });
    // A long configuration takes a moment to decrypt, so some of the concurrent requests read it before the change and
    // write after it.
    const sendOtherPatches = () => Array.from({ length: 20 }, () => patch({ externalIds: ['same'] }));
    const [configured] = await Promise.all([patch({ configuration: { turn } }), ...sendOtherPatches()]);
    const now = await json<{ configuration: object }>(path, { token: home.token });
    expect([200, 409]).toContain(configured);
    if (configured === 200) expect(now.configuration).toEqual({ turn });
  }
});

const createManifest = (...required: string[]) => {
  const schema = { properties: { text: { type: 'string' }, key: { type: 'string' } }, required };
  return { configurations: { account: schema, space: schema, site: schema } };
};

const waitUntilSettled = (name: string) =>
  until(() =>
    query('SELECT 1 FROM integrations WHERE name = ? AND settling_from IS NULL', name).length === 1 ? true : undefined,
  );

/**
 * Starts a change request whose body is sent only when `finish` is called. The server checks the rest of the request
 * before.
 */
function changeInParts(path: string, change: object) {
  const [first = '', ...rest] = JSON.stringify(change);
  const headers = { authorization: `Bearer ${home.token}`, 'content-type': 'application/json' };
  const outgoing = request(`${server.url}${path}`, { method: 'PATCH', headers });
  outgoing.write(first);
  const answered = once(outgoing, 'response').then(([response]) => (response as IncomingMessage).resume().statusCode);
  return { answered, finish: () => void outgoing.end(rest.join('')) };
}

test.each(['account', 'space', 'site'])('a new version also applies to concurrent changes: %s', async (kind) => {
  const path = paths[kind] ?? '';
  for (let turn = 0; turn < 10; turn += 1) {
    await publishVersion(integration, createManifest('key'));
    await json(path, { token: home.token, method: 'PATCH', body: { configuration: { key: 'x' } } });
    // This change omits a property that the version requires. It is written after the next version has updated all
    // pending installations.
    const change = changeInParts(path, { configuration: {} });
    await publishVersion(integration, createManifest());
    await waitUntilSettled(integration.name);
    change.finish();
    expect([200, 409]).toContain(await change.answered);
    expect((await json<{ status: string }>(path, { token: home.token })).status).toBe('active');
  }
});
