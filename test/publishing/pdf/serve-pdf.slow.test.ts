import { expect, test } from 'vitest';
import { getClient, insertPage } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { resignUrl } from '../../support/signed-address.ts';
import { requestPdfOfSpace, requestPdfUrl, waitForPdf } from './pdf-client.ts';

test('returns a URL immediately, and this URL returns 202 until the PDF is ready', async () => {
  const server = platform();
  const space = await server.makeSpace({ title: 'Handbook' });
  await getClient(server, space).change([insertPage('Start')]);

  const requestResponse = await requestPdfOfSpace(server, space);
  const { url } = (await requestResponse.json()) as { url: string };
  const response = await waitForPdf(url);

  expect(requestResponse.status).toBe(200);
  expect(new URL(url).pathname).toMatch(/^\/pdf\/pdf_\w{20}\/Handbook\.pdf$/);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(response.headers.get('content-disposition')).toContain('filename="Handbook.pdf"');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('content-security-policy')).toContain('sandbox');
  expect(await response.text()).toMatch(/^%PDF-1\.[4-7]/);
});

test('renders a single PDF for 25 concurrent requests, which get the same URL', async () => {
  const server = platform();
  const space = await server.makeSpace();
  await getClient(server, space).change([insertPage('Start')]);

  const urls = await Promise.all(Array.from({ length: 25 }, () => requestPdfUrl(server, space)));
  await waitForPdf(urls[0] ?? '');

  expect(new Set(urls.map((url) => new URL(url).pathname)).size).toBe(1);
  expect(query('SELECT state FROM pdfs WHERE space = ?', space.id)).toEqual([{ state: 'ready' }]);
  const runs = "SELECT attempts + interruptions AS runs FROM outbox WHERE space = ? AND type = 'render_pdf'";
  expect(query(runs, space.id)).toEqual([{ runs: 1 }]);
});

/** Changes parts of a URL. An undefined parameter is removed. */
function changeUrl(address: string, { path, ...query }: Record<string, string | undefined>): string {
  const url = new URL(address);
  if (path !== undefined) url.pathname = path;
  for (const [name, value] of Object.entries(query))
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  return url.href;
}

async function createPdf(title = 'A space'): Promise<string> {
  const server = platform();
  const space = await server.makeSpace({ title });
  await getClient(server, space).change([insertPage('Start')]);
  const url = await requestPdfUrl(server, space);
  expect((await waitForPdf(url)).status).toBe(200);
  return url;
}

test('rejects a URL in which any part is changed, and creates URLs that expire after an hour', async () => {
  const [url, other] = [await createPdf(), await createPdf()];
  const { pathname, searchParams } = new URL(url);
  const otherId = new URL(other).pathname.split('/')[2] ?? '';
  const expires = Number(searchParams.get('expires'));
  expect(expires - Date.now() / 1000).toBeGreaterThan(3_500);
  expect(expires - Date.now() / 1000).toBeLessThanOrEqual(3_900);

  const wrong = [
    changeUrl(url, { signature: undefined }),
    changeUrl(url, { signature: 'A'.repeat(43) }),
    changeUrl(url, { signature: new URL(other).searchParams.get('signature') ?? '' }),
    changeUrl(url, { expires: String(expires + 1) }),
    changeUrl(url, { expires: undefined }),
    changeUrl(url, { path: pathname.replace(/pdf_\w{20}/, otherId) }),
    changeUrl(url, { path: `${pathname}.exe` }),
    changeUrl(url, { path: pathname.replace(/[^/]+$/, '%E0%A4%A') }),
  ];
  for (const address of wrong) expect([address, (await fetch(address)).status]).toEqual([address, 404]);
});

test('rejects an expired URL, and a signature made for a file URL', async () => {
  const url = await createPdf();
  const signUrlFor = (expires: number, purpose: string) =>
    resignUrl(url, (address) => {
      address.searchParams.set('expires', String(expires));
      if (purpose === 'file') address.pathname = address.pathname.replace('/pdf/', '/files/');
    }).replace('/files/', '/pdf/');
  const now = Math.floor(Date.now() / 1000);

  expect((await fetch(signUrlFor(now + 60, 'pdf'))).status).toBe(200);
  expect((await fetch(signUrlFor(now - 1, 'pdf'))).status).toBe(403);
  expect((await fetch(signUrlFor(now + 60, 'file'))).status).toBe(404);
});

test.each([
  ['../../x', '.._.._x.pdf'],
  ['a"; filename="b.exe', 'a_; filename=_b.exe.pdf'],
  ['C:\\windows', 'C__windows.pdf'],
  ['CON', '_CON.pdf'],
  ['Über uns 日本', '_ber uns __.pdf'],
  ['50% off', '50_ off.pdf'],
])('the PDF of a space named %j is downloaded as %j', async (title, saved) => {
  const url = await createPdf(title);
  const response = await fetch(url);

  expect(new URL(url).pathname.split('/')).toHaveLength(4);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="/);
  expect(response.headers.get('content-disposition')).toContain(`filename="${saved}"; filename*=UTF-8''`);
});

test('supports ranges and conditional requests', async () => {
  const url = await createPdf();
  const response = await fetch(url);
  const bytes = Buffer.from(await response.arrayBuffer());
  const part = await fetch(url, { headers: { range: 'bytes=0-4' } });

  expect([part.status, await part.text()]).toEqual([206, '%PDF-']);
  expect(part.headers.get('content-range')).toBe(`bytes 0-4/${bytes.length}`);
  const etag = response.headers.get('etag') ?? '';
  expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await fetch(url, { headers: { range: `bytes=${bytes.length}-` } })).status).toBe(416);
});

test.each(['POST', 'PUT', 'DELETE'])('returns 405 for %s', async (method) => {
  expect((await fetch(await createPdf(), { method })).status).toBe(405);
});

test('returns 404 once its space is deleted', async () => {
  const server = platform();
  const space = await server.makeSpace();
  await getClient(server, space).change([insertPage('Start')]);
  const url = await requestPdfUrl(server, space);
  await waitForPdf(url);
  await server.request(`/v1/spaces/${space.id}`, { token: space.token, method: 'DELETE' });

  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([410, expect.stringContaining('has expired')]);
});

test('a PDF is available as long as its space exists, even after a transfer to another organization', async () => {
  const server = platform();
  const from = await server.makeOrganization();
  const { id: to } = await json<{ id: string }>('/v1/orgs', { token: from.token, body: { title: 'The other' } });
  const space = await server.makeSpace({ organization: from });
  await getClient(server, space).change([insertPage('Start')]);
  const before = await requestPdfUrl(server, space);
  await waitForPdf(before);
  const body = { organization: to };
  const response = await server.request(`/v1/spaces/${space.id}/transfer`, { token: from.token, body });
  expect(response.status).toBe(200);

  for (const url of [before, await requestPdfUrl(server, { id: space.id, token: from.token })])
    expect((await waitForPdf(url)).status).toBe(200);
});
