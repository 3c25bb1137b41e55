import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { guest, makeMember } from '../../support/people.ts';
import { platform, type TestOrganization, type TestSpace, type TestUser } from '../../support/platform.ts';
import {
  createUniqueName,
  getIntegration,
  insertInstallation,
  listNames,
  publish,
  readIntegration,
  type ShownIntegration,
} from './registry-client.ts';

const visibilities = ['private', 'unlisted', 'public'] as const;

let [owner, other] = [] as unknown as [TestOrganization, TestOrganization];
let people: Record<string, TestUser>;
const names: Record<string, string> = {};
const tag = createUniqueName('seen');

beforeAll(async () => {
  owner = await platform().makeOrganization();
  other = await platform().makeOrganization();
  people = {
    admin: owner,
    reader: await makeMember(owner, 'read'),
    guest: await makeMember(owner, guest),
    'admin of another organization': other,
    nobody: await platform().makeUser(),
  };
  for (const visibility of visibilities) {
    const { name } = await publish(owner, { name: `${tag}-${visibility}`, visibility });
    names[visibility] = name;
  }
});

const seen: Record<string, { read: string[]; listed: string[] }> = {
  admin: { read: [...visibilities], listed: [...visibilities] },
  reader: { read: [...visibilities], listed: [...visibilities] },
  guest: { read: ['unlisted', 'public'], listed: ['public'] },
  'admin of another organization': { read: ['unlisted', 'public'], listed: ['public'] },
  nobody: { read: ['unlisted', 'public'], listed: ['public'] },
};

const getVisibility = (name: string): string => name.slice(tag.length + 1);

describe.each(Object.entries(seen))('%s', (who, { read, listed }) => {
  const getToken = () => people[who]?.token ?? '';

  test(`reads ${read.join(', ')}`, async () => {
    const found = await Promise.all(
      visibilities.map(async (each) => [each, (await getIntegration(names[each] ?? '', getToken())).status]),
    );

    expect(found).toEqual(visibilities.map((each) => [each, read.includes(each) ? 200 : 404]));
  });

  test(`lists ${listed.join(', ')}, and counts no others`, async () => {
    for (const query of [`search=${tag}`, `search=${tag}&owner=${owner.id}`]) {
      const { count, items, next } = await json<{ count: number; items: ShownIntegration[]; next?: object }>(
        `/v1/integrations?${query}`,
        { token: getToken() },
      );
      expect(items.map(({ name }) => getVisibility(name)).toSorted()).toEqual(listed.toSorted());
      expect([count, next]).toEqual([listed.length, undefined]);
    }
  });
});

test('returns the same 404 for a private integration as for a missing one', async () => {
  const statuses = await Promise.all(
    [names.private ?? '', createUniqueName()].map(async (name) => {
      const response = await getIntegration(name, other.token);
      const { error } = (await response.json()) as { error: { message: string } };
      return `${response.status} ${error.message}`;
    }),
  );

  expect(new Set(statuses)).toEqual(new Set(['404 Integration not found.']));
});

test('private integrations do not change the cost of lists for other organizations', async () => {
  const { token } = people.nobody ?? { token: '' };
  const read = async () => {
    const response = await platform().request(`/v1/integrations?owner=${owner.id}`, { token });
    return response.headers.get('server-timing')?.replace(/dur=[\d.]+/g, '');
  };
  const before = await read();

  for (let times = 0; times < 5; times += 1) await publish(owner);

  expect(await read()).toBe(before);
});

test('members of other organizations see the same as users without an organization', async () => {
  const { owner: shown, permissions } = await readIntegration(names.public ?? '', other.token);

  expect(shown).toMatchObject({ id: owner.id, emailDomains: [] });
  expect(shown).not.toHaveProperty('defaultRole');
  expect(Object.values(shown.permissions)).not.toContain(true);
  expect(permissions.admin).toBe(false);
});

test("only admins of the owner see the integration's event settings", async () => {
  const more = { visibility: 'public', events: ['space.created'], webhook: 'https://hooks.tool.test/' };
  const { name } = await publish(owner, more);

  expect(await readIntegration(name, owner.token)).toMatchObject({ events: more.events, webhook: more.webhook });
  for (const { token } of [people.reader ?? owner, other]) {
    const shown = await readIntegration(name, token);
    expect(shown).not.toHaveProperty('events');
    expect(shown).not.toHaveProperty('webhook');
  }
});

test("a token bound to another organization cannot read the user's private integrations", async () => {
  const { organization, token } = await createBoundToken();

  expect((await getIntegration(names.private ?? '', token)).status).toBe(200);
  expect((await getIntegration((await publish(organization)).name, token)).status).toBe(404);
});

/** Creates a token of the owner's service account, which is bound to the owner. */
async function createBoundToken() {
  const path = `/v1/orgs/${owner.id}/service-accounts`;
  const account = await json<{ id: string }>(path, { token: owner.token, body: { displayName: 'CI', role: 'admin' } });
  const { token } = await json<{ token: string }>(`${path}/${account.id}/tokens`, {
    token: owner.token,
    body: { label: 'Bound' },
  });
  return { organization: other, token };
}

describe('an integration can be installed by', () => {
  let space: TestSpace;
  beforeAll(async () => {
    space = await platform().makeSpace({ organization: other });
  });

  const mayInstall = async (name: string | undefined, { token }: { token: string }) =>
    (await readIntegration(name ?? '', token)).permissions.install;

  test('admins of an organization, and creators of its content', async () => {
    for (const role of ['admin', 'create'])
      expect(await mayInstall(names.public, await makeMember(other, role))).toBe(true);
    for (const role of ['review', 'read', guest]) {
      expect(await mayInstall(names.public, await makeMember(other, role))).toBe(false);
    }
    expect(await mayInstall(names.public, people.nobody ?? owner)).toBe(false);
  });

  test('users with create rights on a space, directly or through a team', async () => {
    const [alone, inTeam, less] = await Promise.all([1, 2, 3].map(() => makeMember(other, 'read')));
    const team = await json<{ id: string }>(`/v1/orgs/${other.id}/teams`, {
      token: other.token,
      method: 'PUT',
      body: { title: 'Creators', members: [inTeam?.user, less?.user] },
    });
    const grantRole = (body: object) =>
      platform().request(`/v1/spaces/${space.id}/permissions`, { token: other.token, body });
    await grantRole({ users: [alone?.user], role: 'create' });
    await grantRole({ teams: [team.id], role: 'create' });
    await grantRole({ users: [less?.user], role: 'comment' });

    expect(await mayInstall(names.public, alone ?? owner)).toBe(true);
    expect(await mayInstall(names.public, inTeam ?? owner)).toBe(true);
    expect(await mayInstall(names.public, less ?? owner)).toBe(false);
    await platform().request(`/v1/spaces/${space.id}`, { token: other.token, method: 'DELETE' });
    expect([await mayInstall(names.public, alone ?? owner), await mayInstall(names.public, inTeam ?? owner)]).toEqual([
      false,
      false,
    ]);
  });

  test('only admins, if the integration is for whole organizations', async () => {
    const { name } = await publish(owner, { visibility: 'public', target: 'organization' });

    expect(await mayInstall(name, other)).toBe(true);
    expect(await mayInstall(name, await makeMember(other, 'create'))).toBe(false);
  });

  test("only the owner's users, if the integration is private", async () => {
    expect(await mayInstall(names.private, owner)).toBe(true);
    const both = await makeMember(owner, 'read');
    const mine = await json<{ id: string }>('/v1/orgs', { token: both.token, body: { title: 'Of a reader' } });
    expect([await mayInstall(names.public, both), await mayInstall(names.private, both)]).toEqual([true, false]);
    const installing = { token: both.token, body: { organization: mine.id } };
    const installed = await platform().request(`/v1/integrations/${names.private}/installations`, installing);
    expect(installed.status).toBe(403);
  });

  test('lists return the same objects as single reads', async () => {
    for (const { token } of [owner, other, people.reader ?? owner, people.nobody ?? owner]) {
      const { items } = await json<{ items: ShownIntegration[] }>(`/v1/integrations?search=${tag}`, { token });
      for (const item of items) expect(item).toEqual(await readIntegration(item.name, token));
    }
  });
});

describe('installations of an integration', () => {
  test('on spaces and sites are visible to users who can read that space or site', async () => {
    const space = await platform().makeSpace({ organization: owner });
    const sites = `/v1/orgs/${owner.id}/sites`;
    const site = await json<{ id: string }>(sites, { token: owner.token, body: { spaces: [space.id] } });
    const lists = [`/v1/spaces/${space.id}/integrations`, `${sites}/${site.id}/integrations`];
    const foreign = await publish(other, { name: createUniqueName(tag), visibility: 'public' });
    const shown = [names.public, names.private, foreign.name] as string[];
    for (const name of shown) {
      await insertInstallation(owner, name, { space: space.id });
      await insertInstallation(owner, name, { site: site.id });
    }
    const paused = await publish(owner);
    await insertInstallation(owner, paused.name, { space: space.id }, 'paused');
    await insertInstallation(owner, paused.name, { site: site.id }, 'paused');

    for (const list of lists) {
      expect((await listNames(list, owner.token)).toSorted()).toEqual(shown.toSorted());
      expect(await listNames(`${list}?search=${names.public}`, owner.token)).toEqual([names.public]);
      expect((await platform().request(list, { token: other.token })).status).toBe(404);
    }
    await publish(other, { name: foreign.name, visibility: 'private' });
    for (const list of lists) expect(await listNames(list, owner.token)).not.toContain(foreign.name);
  });
});
