import { afterAll, beforeAll, expect, test } from 'vitest';
import { deletedFor, passDay } from '../../content/retention/trash.ts';
import { json } from '../../support/content.ts';
import { readPast } from '../../support/database.ts';
import { getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { ownPlatform } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { receive } from '../webhooks/receiver.ts';

// However an installation is removed from a space or a site, its organization gets exactly one event about it.

let server: OwnPlatform;
let owner: TestOrganization;
beforeAll(async () => {
  server = await ownPlatform({ allowsPrivate: true });
  owner = await server.makeOrganization();
});
afterAll(() => server?.remove());

/** Installs an integration on a space in a collection, and on a site. */
async function placed() {
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
  const ask = (address: string, options: object) => server.request(address, { token, ...options });
  const ended = { method: 'DELETE' };
  const moved = { body: { organization: other } };
  return { home, installation, integration, path, receiver, collection, space, site, ask, ended, moved };
}
type Placed = Awaited<ReturnType<typeof placed>>;

async function purge({ space, ask, ended }: Placed) {
  const trashed = await ask(`/v1/spaces/${space}`, ended);
  expect(deletionsIn(space)).toEqual([]);
  await deletedFor(server, space, 8);
  await passDay(server);
  return trashed;
}

const deletionsIn = (place: string) =>
  readPast<{ type: string; organization: string; data: string }>(
    server.dataDir,
    `SELECT type, organization, data FROM outbox
      WHERE type GLOB '*_installation.deleted' AND COALESCE(space, data->>'site') = ?`,
    place,
  ).map(({ data, ...event }) => ({ ...event, data: JSON.parse(data) as object }));

const ends: Record<string, { of: ('space' | 'site')[]; end(made: Placed): Promise<Response>; isUnheard?: true }> = {
  'it is uninstalled': { of: ['space', 'site'], end: ({ path, ask, ended }) => ask(path, ended) },
  'it is taken off a space': {
    of: ['space'],
    end: ({ path, space, ask, ended }) => ask(`${path}/spaces/${space}`, ended),
  },
  'it is taken off a site': { of: ['site'], end: ({ path, site, ask, ended }) => ask(`${path}/sites/${site}`, ended) },
  'the space goes to another organization': {
    of: ['space'],
    end: ({ space, ask, moved }) => ask(`/v1/spaces/${space}/transfer`, moved),
  },
  'its collection goes to another organization': {
    of: ['space'],
    end: ({ collection, ask, moved }) => ask(`/v1/collections/${collection}/transfer`, moved),
  },
  'the space is deleted for good': { of: ['space'], end: purge },
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

const getData = ({ installation, integration }: Placed, more: object) => ({
  ...{ installation: installation.id, integration: integration.name, status: 'active' },
  ...more,
});

test.each(Object.entries(ends))(
  '%s: sends one event for each space and site that the installation is removed from',
  async (_, { of, end, isUnheard }) => {
    const made = await placed();
    const { home, space, site, receiver } = made;

    expect((await end(made)).status).toBeLessThan(300);

    const organization = home.id;
    expect(deletionsIn(space)).toEqual(
      of.includes('space') ? [{ type: 'space_installation.deleted', organization, data: getData(made, {}) }] : [],
    );
    expect(deletionsIn(site)).toEqual(
      of.includes('site') ? [{ type: 'site_installation.deleted', organization, data: getData(made, { site }) }] : [],
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
