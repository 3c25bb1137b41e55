import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { install, installOn, makeIntegration, pathOf } from '../../support/integrations.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
let home: TestOrganization;
const paths: Record<string, string> = {};
beforeAll(async () => {
  home = await server.makeOrganization();
  const integration = await makeIntegration(home);
  const path = pathOf(integration, await install(integration, home));
  const space = (await server.makeSpace({ organization: home })).id;
  const site = (await json<{ id: string }>(`/v1/orgs/${home.id}/sites`, { token: home.token, body: {} })).id;
  await installOn(path, home, { space });
  await installOn(path, home, { site });
  Object.assign(paths, { account: path, space: `${path}/spaces/${space}`, site: `${path}/sites/${site}` });
});

test.each(['account', 'space', 'site'])('of changes at once none undoes a configuration: %s', async (kind) => {
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
