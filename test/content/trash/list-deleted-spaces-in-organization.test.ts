import { beforeAll, expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging, walk } from '../../support/paging.ts';
import { guest } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getCost } from '../space-client.ts';

const server = platform({ countsRows: true });
let organization: TestOrganization;
let path: string;

async function makeDeletedSpace(): Promise<string> {
  const { id, token } = await server.makeSpace({ organization });
  expect((await server.request(`/v1/spaces/${id}`, { token, method: 'DELETE' })).status).toBe(205);
  return id;
}

beforeAll(async () => {
  organization = await server.makeOrganization();
  path = `/v1/orgs/${organization.id}/trash`;
});

test('lists deleted spaces, equal to their single reads, until they are restored', async () => {
  await server.makeSpace({ organization });
  const ids = [await makeDeletedSpace(), await makeDeletedSpace(), await makeDeletedSpace()];

  const { items } = await json<{ items: { id: string }[] }>(path, organization, server);
  expect(items.map(({ id }) => id)).toEqual(ids.toReversed());
  for (const item of items) expect(item).toEqual(await json(`/v1/spaces/${item.id}`, organization, server));

  await json(`/v1/spaces/${ids[1]}/restore`, { ...organization, method: 'POST' }, server);
  expect(await walk(path, organization.token, { server })).toEqual([ids[2], ids[0]]);
});

test('lists only spaces that the caller may restore', async () => {
  const id = await makeDeletedSpace();
  const { token: editor } = await server.makeUser({ organization: organization.id, role: 'edit' });
  const { token: creator } = await server.makeUser({ organization: organization.id, role: 'create' });
  const invited = await server.makeUser({ organization: organization.id, role: guest });
  const { id: granted, token } = await server.makeSpace({ organization });
  await server.request(`/v1/spaces/${granted}/permissions`, { token, body: { users: [invited.user], role: 'create' } });
  await server.request(`/v1/spaces/${granted}`, { token, method: 'DELETE' });
  const stranger = await server.makeUser();

  expect(await walk(path, editor, { server })).toEqual([]);
  expect(await walk(path, creator, { server })).toEqual(expect.arrayContaining([id, granted]));
  expect(await walk(path, invited.token, { server })).toEqual([granted]);
  expect((await server.request(path, { token: stranger.token })).status).toBe(404);
});

test('can be paged', async () => {
  await expectPaging(path, organization.token, makeDeletedSpace, server);
});

test('costs the same in a larger organization', async () => {
  const read = async () => getCost(await server.request(`${path}?limit=2`, organization));
  const before = await read();
  for (let count = 0; count < 20; count += 1) await server.makeSpace({ organization });

  expect(await read()).toEqual(before);
  expect(before.trips).toBe(2);
});
