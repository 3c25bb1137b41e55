import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import type { TestIntegration } from '../../support/integrations.ts';
import { install, installOn, makeIntegration, pathOf, publishVersion } from '../../support/integrations.ts';
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
  const path = pathOf(integration, await install(integration, home));
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
    // What is long takes a moment to open: some of the others read it before the change and write after it.
    const others = () => Array.from({ length: 20 }, () => patch({ externalIds: ['same'] }));
    const [configured] = await Promise.all([patch({ configuration: { turn } }), ...others()]);
    const now = await json<{ configuration: object }>(path, { token: home.token });
    expect([200, 409]).toContain(configured);
    if (configured === 200) expect(now.configuration).toEqual({ turn });
  }
});

const asking = (...required: string[]) => {
  const asked = { properties: { text: { type: 'string' }, key: { type: 'string' } }, required };
  return { configurations: { account: asked, space: asked, site: asked } };
};

const isSettled = (name: string) =>
  until(() =>
    query('SELECT 1 FROM integrations WHERE name = ? AND settling_from IS NULL', name).length === 1 ? true : undefined,
  );

/** A change of which the body is sent when it is told to be: the rest of the request was looked at before that. */
function changeInParts(path: string, change: object) {
  const [first = '', ...rest] = JSON.stringify(change);
  const headers = { authorization: `Bearer ${home.token}`, 'content-type': 'application/json' };
  const outgoing = request(`${server.url}${path}`, { method: 'PATCH', headers });
  outgoing.write(first);
  const answered = once(outgoing, 'response').then(([response]) => (response as IncomingMessage).resume().statusCode);
  return { answered, finish: () => void outgoing.end(rest.join('')) };
}

test.each(['account', 'space', 'site'])('a new version settles every concurrent change: %s', async (kind) => {
  const path = paths[kind] ?? '';
  for (let turn = 0; turn < 10; turn += 1) {
    await publishVersion(integration, asking('key'));
    await json(path, { token: home.token, method: 'PATCH', body: { configuration: { key: 'x' } } });
    // It leaves a thing out that this version asks for, and is written after what is pending was looked at for the next.
    const change = changeInParts(path, { configuration: {} });
    await publishVersion(integration, asking());
    await isSettled(integration.name);
    change.finish();
    expect([200, 409]).toContain(await change.answered);
    expect((await json<{ status: string }>(path, { token: home.token })).status).toBe('active');
  }
});
