import { expect, test } from 'vitest';
import { getClient } from '../../content/space-client.ts';
import { makeMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';

const server = platform();

test('a repeated read shows each change at once, and nothing to callers without rights', async () => {
  const organization = await server.makeOrganization();
  const own = await server.makeSpace({ organization });
  const member = await makeMember(organization, 'read', server);
  const stranger = await server.makeOrganization();
  const space = getClient(server, own);
  const [page = ''] = await space.change([{ operation: 'insert_page', title: 'First', document: { markdown: 'A' } }]);
  const read = async ({ token }: { token: string }) => {
    const response = await server.request(`/v1/spaces/${own.id}/content/page/${page}`, { token });
    return response.status === 200 ? ((await response.json()) as { title: string }).title : response.status;
  };
  const readAsEachUser = async () => [await read(organization), await read(member), await read(stranger)];

  expect(await readAsEachUser()).toEqual(['First', 'First', 404]);
  expect(await readAsEachUser()).toEqual(['First', 'First', 404]);
  await space.change([{ operation: 'update_page', page, title: 'Second' }]);
  expect(await readAsEachUser()).toEqual(['Second', 'Second', 404]);
  const membership = `/v1/orgs/${organization.id}/members/${member.user}`;
  const removal = await server.request(membership, { method: 'DELETE', token: organization.token });
  expect(removal.status).toBe(204);
  expect(await readAsEachUser()).toEqual(['Second', 404, 404]);
});
