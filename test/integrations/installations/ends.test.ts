import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import type { TestInstallation, TestIntegration } from '../../support/integrations.ts';
import { change, getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
let owner: TestOrganization;
let home: TestOrganization;
beforeAll(async () => {
  owner = await server.makeOrganization();
  home = await server.makeOrganization();
});

interface InstallationState {
  type: string;
  space: string | null;
  site: string | null;
  status: string;
}

const readEndEvents = (from: string, order: string, id: string) =>
  query<InstallationState>(
    `SELECT o.type, o.space, o.data->>'site' AS site, o.data->>'status' AS status FROM ${from}
     o.type GLOB '*installation.deleted' AND o.data->>'installation' = ? ORDER BY ${order}`,
    id,
  );

const readSentEvents = ({ id }: TestInstallation) => readEndEvents('outbox o WHERE', 'o.id', id);

/** Returns the events about the end of an installation, in the order in which its script receives them. */
const readReceivedEvents = ({ id }: TestInstallation) =>
  until(() => {
    const heard = readEndEvents(
      `deliveries d CROSS JOIN outbox o ON o.id = d.event WHERE d.subscription = '${id}-script-end' AND`,
      'd.seq',
      id,
    );
    return heard.some(({ type }) => type === 'installation.deleted') ? heard : undefined;
  });

/** Installs an integration on two spaces, one of them in the trash, and on a site. */
async function installOnContent(integration: TestIntegration) {
  const installation = await install(integration, home);
  const path = getPath(integration, installation);
  const [space, trashed] = [
    await server.makeSpace({ organization: home }),
    await server.makeSpace({ organization: home }),
  ];
  const site = await json<{ id: string }>(`/v1/orgs/${home.id}/sites`, { token: home.token, body: {} });
  for (const { id } of [space, trashed]) await installOn(path, home, { space: id });
  await installOn(path, home, { site: site.id });
  await server.request(`/v1/spaces/${trashed.id}`, { token: home.token, method: 'DELETE' });
  return { installation, path, spaces: [space.id, trashed.id], site: site.id };
}

const getEnd = ({ spaces, site }: { spaces: string[]; site: string }, status: string) => [
  { type: 'site_installation.deleted', space: null, site, status: 'active' },
  ...spaces.toSorted().map((space) => ({ type: 'space_installation.deleted', space, site: null, status: 'active' })),
  { type: 'installation.deleted', space: null, site: null, status },
];

test('uninstalling sends an event for each space and site, and then one for the installation', async () => {
  const installed = await installOnContent(await makeIntegration(owner));
  await change(installed.path, home.token, { status: 'paused' });

  expect((await server.request(installed.path, { token: home.token, method: 'DELETE' })).status).toBe(205);

  expect(await readReceivedEvents(installed.installation)).toEqual(getEnd(installed, 'paused'));
});

test('unpublishing sends the same events to the organization, after the script is deleted', async () => {
  const integration = await makeIntegration(owner);
  const installed = await installOnContent(integration);
  const path = `/v1/integrations/${integration.name}`;

  expect((await server.request(path, { token: owner.token, method: 'DELETE' })).status).toBe(204);

  const events = readSentEvents(installed.installation);
  expect(events).toHaveLength(4);
  expect(events).toEqual(expect.arrayContaining(getEnd(installed, 'active')));
});

test('only one of many concurrent uninstalls succeeds, with one event for each space', async () => {
  const integration = await makeIntegration(owner);
  const installation = await install(integration, home);
  const path = getPath(integration, installation);
  const spaces = await Promise.all(Array.from({ length: 6 }, () => server.makeSpace({ organization: home })));
  const uninstall = async () => (await server.request(path, { token: home.token, method: 'DELETE' })).status;
  const addToTarget = async ({ id }: { id: string }) => {
    const response = await server.request(`${path}/spaces`, { token: home.token, body: { space: id } });
    return response.status === 201 ? [id] : [];
  };

  const [statuses, on] = await Promise.all([
    Promise.all([uninstall(), uninstall(), uninstall()]),
    Promise.all(spaces.map(addToTarget)),
  ]);

  expect(statuses.filter((status) => status === 205)).toHaveLength(1);
  expect(statuses.filter((status) => ![205, 404].includes(status))).toEqual([]);
  const events = readSentEvents(installation);
  expect(events.flatMap(({ space }) => space ?? []).toSorted()).toEqual(on.flat().toSorted());
  expect(events.filter(({ type }) => type === 'installation.deleted')).toHaveLength(1);
  expect(query('SELECT 1 FROM space_installations WHERE installation = ?', installation.id)).toEqual([]);
});

test.each(['spaces', 'sites'])(
  'only one of many concurrent removals from a space or site (%s) succeeds',
  async (kind) => {
    const installed = await installOnContent(await makeIntegration(owner));
    const place = kind === 'sites' ? installed.site : (installed.spaces[0] ?? '');
    const removeFromTarget = () =>
      server.request(`${installed.path}/${kind}/${place}`, { token: home.token, method: 'DELETE' });

    const responses = await Promise.all(Array.from({ length: 8 }, removeFromTarget));

    expect(responses.filter(({ status }) => status === 205)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 404)).toHaveLength(7);
    expect(readSentEvents(installed.installation).map(({ space, site }) => space ?? site)).toEqual([place]);
  },
);

test('uninstalling from the maximum number of spaces and sites takes effect immediately, with an event for each', async () => {
  const integration = await makeIntegration(owner, { events: ['installation.created'] });
  const installation = await install(integration, home);
  const path = getPath(integration, installation);
  for (const kind of ['space', 'site']) {
    await writeDatabase(
      server,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
       INSERT INTO ${kind}_installations (installation, ${kind}, integration, organization, status, configuration, created_at, updated_at)
       SELECT ?, '${kind}_' || i, ?, ?, 'active', 'x', 1, 1 FROM n`,
      ...[installation.id, integration.name, home.id],
    );
  }

  expect((await server.request(path, { token: home.token, method: 'DELETE' })).status).toBe(205);

  expect(readSentEvents(installation)).toHaveLength(2001);
  expect(query('SELECT 1 FROM site_installations WHERE installation = ?', installation.id)).toEqual([]);
});
