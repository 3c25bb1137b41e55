import { expect, test } from 'vitest';
import { getClient, insertPage } from '../../content/space-client.ts';
import { requestPdfOfSpace, requestPdfUrl, waitForPdf } from '../../publishing/pdf/pdf-client.ts';
import { query } from '../../support/database.ts';
import { guest, makeMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';

const server = platform();

interface Failure {
  error: { type: string; message: string };
}

async function makeContent() {
  const organization = await server.makeOrganization();
  const space = await server.makeSpace({ organization });
  const pages = await getClient(server, space).change([insertPage('Start'), insertPage('End')]);
  return { organization, space, pages };
}

test('returns a URL, and a second request creates no second PDF', async () => {
  const { space } = await makeContent();

  const [first, second] = [await requestPdfOfSpace(server, space), await requestPdfOfSpace(server, space)];
  const [one, other] = [(await first.json()) as { url: string }, (await second.json()) as { url: string }];

  expect([first.status, second.status]).toEqual([200, 200]);
  expect(new URL(one.url).origin).toBe(new URL(server.url).origin);
  expect(new URL(other.url).pathname).toBe(new URL(one.url).pathname);
  expect(query("SELECT 1 FROM outbox WHERE space = ? AND type = 'render_pdf'", space.id)).toHaveLength(1);
  expect(query("SELECT 1 FROM outbox WHERE space = ? AND type = 'pdf.requested'", space.id)).toHaveLength(1);
});

test('each revision, page selection and title has its own PDF', async () => {
  const { space, pages } = await makeContent();
  const getPath = async (query = '') => {
    const address = await requestPdfUrl(server, space, { query });
    await waitForPdf(address);
    return new URL(address).pathname;
  };

  const before = [await getPath(), await getPath(`?page=${pages[0]}`), await getPath(`?page=${pages[0]}&only=true`)];
  await server.request(`/v1/spaces/${space.id}`, { token: space.token, method: 'PATCH', body: { title: 'Another' } });
  const renamed = await getPath();
  await getClient(server, space).change([insertPage('New')]);

  expect(new Set([...before, renamed, await getPath()]).size).toBe(5);
  expect(renamed).toMatch(/\/Another\.pdf$/);
});

test.each([
  ['?only=true', 400, '`query.page` is required with only=true'],
  ['?only=yes', 400, 'query.only'],
  ['?page=a%2Fb', 400, '`query.page` must be an id'],
  ['?page=pg_none', 404, 'Page not found.'],
  ['?page=pg_none&only=true', 404, 'Page not found.'],
])('returns %i for %s', async (asked, status, message) => {
  const { space } = await makeContent();

  const response = await requestPdfOfSpace(server, space, { query: asked });
  const { error } = (await response.json()) as Failure;

  expect([response.status, error.message]).toEqual([status, expect.stringContaining(message)]);
  expect(query('SELECT 1 FROM pdfs WHERE space = ?', space.id)).toEqual([]);
});

test('returns 404 for a deleted page or one of another space', async () => {
  const [{ space, pages }, other] = [await makeContent(), await makeContent()];
  await getClient(server, space).change([{ operation: 'delete_page', page: pages[0] }]);

  for (const page of [pages[0], other.pages[0]])
    expect((await requestPdfOfSpace(server, space, { query: `?page=${page}` })).status).toBe(404);
});

test('requires read access to the space', async () => {
  const { organization, space } = await makeContent();
  const [reader, visitor] = [await makeMember(organization), await makeMember(organization, guest)];
  const stranger = await server.makeUser();
  const requestPdfStatus = async (token: string) => (await requestPdfOfSpace(server, { id: space.id, token })).status;

  expect(await requestPdfStatus(reader.token)).toBe(200);
  expect(await requestPdfStatus(stranger.token)).toBe(404);
  expect(await requestPdfStatus(visitor.token)).toBe(404);
  expect(await requestPdfStatus('')).toBe(401);
});
