import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import type { TestOrganization, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

const server = platform();
let home: TestOrganization;
let path: string;
let creator: TestUser;
let editor: TestUser;
let guest: TestUser;

beforeAll(async () => {
  home = await server.makeOrganization();
  const integration = await makeIntegration(await server.makeOrganization());
  path = getPath(integration, await install(integration, home));
  creator = await server.makeUser({ organization: home.id, role: 'create' });
  editor = await server.makeUser({ organization: home.id, role: 'edit' });
  guest = await server.makeUser({ organization: home.id, role: null as unknown as string });
});

const kinds = {
  spaces: async () => (await server.makeSpace({ organization: home })).id,
  sites: async () => {
    const sites = `/v1/orgs/${home.id}/sites`;
    return (await json<{ id: string }>(sites, { token: home.token, body: {} })).id;
  },
};

const readStatuses = (on: string, { token }: TestUser) =>
  Promise.all(
    [{ method: 'GET' }, { method: 'PATCH', body: { externalIds: ['theirs'] } }, { method: 'DELETE' }].map(
      async (request) => (await server.request(on, { token, ...request })).status,
    ),
  );

describe.each(['spaces', 'sites'] as const)('an installation on %s', (kind) => {
  let on: string;
  let place: string;
  beforeAll(async () => {
    place = await kinds[kind]();
    await installOn(path, home, kind === 'spaces' ? { space: place } : { site: place });
    on = `${path}/${kind}/${place}`;
  });

  test('can be read, changed and removed only by users who can install integrations there', async () => {
    expect(await readStatuses(on, editor)).toEqual([403, 403, 403]);
    expect(await readStatuses(on, guest)).toEqual([404, 404, 404]);
    expect(await json(on, { token: home.token })).toMatchObject({ externalIds: [] });
    expect((await server.request(on, { token: creator.token })).status).toBe(200);
  });
});

test('on a space is not found by users who cannot view the space', async () => {
  const space = await kinds.spaces();
  await installOn(path, home, { space });
  const closed = { token: home.token, method: 'PATCH', body: { defaultLevel: 'none' } };
  expect((await server.request(`/v1/spaces/${space}`, closed)).status).toBe(200);

  expect(await readStatuses(`${path}/spaces/${space}`, creator)).toEqual([404, 404, 404]);
});

test('users who can install on a space find the installation, and no other user gets its ID', async () => {
  const space = await kinds.spaces();
  const findPeople = async ({ token }: TestUser) => {
    const list = `/v1/orgs/${home.id}/integrations`;
    const { items } = await json<{ items: { installation?: string }[] }>(`${list}/installations-status`, { token });
    const one = await json<{ installation?: string }>(`${list}/${path.split('/')[3]}/installation_status`, { token });
    return [items.map(({ installation }) => installation), one.installation];
  };
  const id = path.split('/').at(-1);
  const user = await server.makeUser({ organization: home.id, role: 'read' });
  expect(await findPeople(user)).toEqual([[undefined], undefined]);
  expect(await findPeople(editor)).toEqual([[undefined], undefined]);
  const grant = { users: [user.user], role: 'create' };
  const granted = await server.request(`/v1/spaces/${space}/permissions`, { token: home.token, body: grant });
  expect(granted.status).toBe(204);
  for (const person of [creator, user]) {
    expect(await findPeople(person)).toEqual([[id], id]);
    const on = `/v1/integrations/${path.split('/')[3]}/installations/${(await findPeople(person))[1]}/spaces`;
    const place = person === user ? space : await kinds.spaces();
    expect((await server.request(on, { token: person.token, body: { space: place } })).status).toBe(201);
  }
});
