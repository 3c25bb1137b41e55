import { expect, test } from 'vitest';
import { getClient, insertPage } from '../../content/space-client.ts';
import { requestPdfOfSpace } from '../../publishing/pdf/pdf-client.ts';
import { guest, makeMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';

const server = platform();

async function makeChange() {
  const organization = await server.makeOrganization();
  const space = await server.makeSpace({ organization });
  const client = getClient(server, space);
  const [live = ''] = await client.change([insertPage('Live')]);
  const branch = await client.open();
  const [added = ''] = await client.change([insertPage('Added')], branch);
  return { organization, space, client, branch, live, added };
}

test('returns a URL for the content of the change request', async () => {
  const { space, branch } = await makeChange();

  const response = await requestPdfOfSpace(server, space, { branch });

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ url: expect.stringMatching(/\/pdf\/pdf_\w{20}\/A%20space\.pdf\?expires=/) });
});

test('finds a page of the change request, not of the live content', async () => {
  const { space, client, branch, live, added } = await makeChange();
  await client.change([{ operation: 'delete_page', page: live }], branch);
  const getStatus = async (page: string, at?: string) =>
    (await requestPdfOfSpace(server, space, { query: `?page=${page}`, ...(at === undefined ? {} : { branch: at }) }))
      .status;

  expect([await getStatus(added, branch), await getStatus(live, branch)]).toEqual([200, 404]);
  expect([await getStatus(added), await getStatus(live)]).toEqual([404, 200]);
});

test('rejects `only` without a page, and a change request of another space', async () => {
  const [{ space, branch }, other] = [await makeChange(), await makeChange()];

  expect((await requestPdfOfSpace(server, space, { branch, query: '?only=true' })).status).toBe(400);
  expect((await requestPdfOfSpace(server, space, { branch: other.branch })).status).toBe(404);
  expect((await requestPdfOfSpace(server, space, { branch: 'cr_none' })).status).toBe(404);
});

test('requires read access to change requests', async () => {
  const { organization, space, branch } = await makeChange();
  const [reader, visitor] = [await makeMember(organization), await makeMember(organization, guest)];
  const stranger = await server.makeUser();
  const requestPdfStatus = async (token: string) =>
    (await requestPdfOfSpace(server, { id: space.id, token }, { branch })).status;

  expect(await requestPdfStatus(reader.token)).toBe(200);
  expect([await requestPdfStatus(stranger.token), await requestPdfStatus(visitor.token)]).toEqual([404, 404]);
});
