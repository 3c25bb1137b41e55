import { afterAll, beforeAll, expect, test } from 'vitest';
import { advanceOneDay, setDeletedDaysAgo } from '../../content/retention/trash.ts';
import { json } from '../../support/content.ts';
import { queryDatabase } from '../../support/database.ts';
import { getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { receive } from '../webhooks/receiver.ts';

// However an installation is removed from a space or a site, its organization gets exactly one event about it.

let server: OwnPlatform;
let owner: TestOrganization;
beforeAll(async () => {
  server = await startOwnPlatform({ allowsPrivate: true });
  owner = await server.makeOrganization();
});
afterAll(() => server?.remove());

/** Installs an integration on a space in a collection, and on a site. */
async function installOnContent() {
  const home = await server.makeOrganization();
  const { token } = home;
  const receiver = await receive();
  const integration = await makeIntegration(owner, { webhook: receiver.url }, server);
  const installation = await install(integration, home, server);
  const path = getPath(integration, installation);
  const make = (kind: string, body: object) =>
    json<{ id: string }>(`/v1/orgs/${home.id}/${kind}`, { token, body }, server);
  const { id: collection } = await make('collections', { title: 'A shelf' });
  const { id: space } = await make('spaces', { parent: collection });
  const { id: site } = await make('sites', {});
  await installOn(path, home, { space }, server);
  await installOn(path, home, { site }, server);
  const { id: other } = await json<{ id: string }>('/v1/orgs', { token, body: { title: 'Another' } }, server);
  const requestAsOwner = (address: string, options: object) => server.request(address, { token, ...options });
  const ended = { method: 'DELETE' };
  const moved = { body: { organization: other } };
  return {
    home,
    installation,
    integration,
    path,
    receiver,
    collection,
    space,
    site,
    ask: requestAsOwner,
    ended,
    moved,
  };
}
type World = Awaited<ReturnType<typeof installOnContent>>;

async function purge({ space, ask, ended }: World) {
  const trashed = await ask(`/v1/spaces/${space}`, ended);
  expect(readDeletions(space)).toEqual([]);
  await setDeletedDaysAgo(server, space, 8);
  await advanceOneDay(server);
  return trashed;
}

const readDeletions = (place: string) =>
  queryDatabase<{ type: string; organization: string; data: string }>(
    server.dataDir,
    `SELECT type, organization, data FROM outbox
      WHERE type GLOB '*_installation.deleted' AND COALESCE(space, data->>'site') = ?`,
    place,
  ).map(({ data, ...event }) => ({ ...event, data: JSON.parse(data) as object }));

const ends: Record<string, { of: ('space' | 'site')[]; end(made: World): Promise<Response>; isUnheard?: true }> = {
  'it is uninstalled': { of: ['space', 'site'], end: ({ path, ask, ended }) => ask(path, ended) },
  'it is removed from a space': {
    of: ['space'],
    end: ({ path, space, ask, ended }) => ask(`${path}/spaces/${space}`, ended),
  },
  'it is removed from a site': {
    of: ['site'],
    end: ({ path, site, ask, ended }) => ask(`${path}/sites/${site}`, ended),
  },
  'the space is transferred to another organization': {
    of: ['space'],
    end: ({ space, ask, moved }) => ask(`/v1/spaces/${space}/transfer`, moved),
  },
  'its collection is transferred to another organization': {
    of: ['space'],
    end: ({ collection, ask, moved }) => ask(`/v1/collections/${collection}/transfer`, moved),
  },
  'the space is permanently deleted': { of: ['space'], end: purge },
  'the site is deleted': {
    of: ['site'],
    end: ({ home, site, ask, ended }) => ask(`/v1/orgs/${home.id}/sites/${site}`, ended),
  },
  'the integration is unpublished': {
    ...{ of: ['space', 'site'], isUnheard: true },
    end: ({ integration, ended }) =>
      server.request(`/v1/integrations/${integration.name}`, { token: owner.token, ...ended }),
  },
};

const getData = ({ installation, integration }: World, more: object) => ({
  ...{ installation: installation.id, integration: integration.name, status: 'active' },
  ...more,
});

test.each(Object.entries(ends))(
  '%s: sends one event for each space and site that the installation is removed from',
  async (_, { of, end, isUnheard }) => {
    const installed = await installOnContent();
    const { home, space, site, receiver } = installed;

    expect((await end(installed)).status).toBeLessThan(300);

    const organization = home.id;
    expect(readDeletions(space)).toEqual(
      of.includes('space') ? [{ type: 'space_installation.deleted', organization, data: getData(installed, {}) }] : [],
    );
    expect(readDeletions(site)).toEqual(
      of.includes('site')
        ? [{ type: 'site_installation.deleted', organization, data: getData(installed, { site }) }]
        : [],
    );
    if (isUnheard) return;
    await receiver.got(...of.map((kind) => `${kind}_installation_deleted`));
    const heard = receiver.received.filter(({ type }) => /^(?:space|site)_installation_deleted$/.test(type));
    expect(heard.map(({ body }) => body)).toEqual(
      expect.arrayContaining(
        of.map((kind) => expect.objectContaining(kind === 'space' ? { spaceId: space } : { siteId: site })),
      ),
    );
    expect(heard).toHaveLength(of.length);
  },
);
