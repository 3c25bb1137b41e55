import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { makeMachineSite } from './machine/machine-site.ts';
import { read } from './reads.ts';

test('a differently written URL of a site redirects to the site', async () => {
  const site = await makeMachineSite('public');
  const { token, id } = site.organization;
  await json(site.path, { token, method: 'PATCH', body: { basename: 'c++' } });
  const root = new URL(`/-/${id}/c++`, platform().url);

  for (const path of [root.pathname, root.pathname.replace('c', '%63'), root.pathname.replace('c++', '/c++')]) {
    const response = await platform().request(path);
    const location = response.headers.get('location') ?? '';
    await response.body?.cancel();
    expect([path, response.status]).toEqual([path, 308]);
    const page = await read(new URL(location, platform().url).pathname);
    expect([path, page.status]).toEqual([path, 200]);
  }
});

test.each([
  ['a search for words that end within a character', `~/search?q=${'a'.repeat(255)}${encodeURIComponent('😀')}`, 200],
  ['instant results for such words', `~/search.json?q=${'a'.repeat(255)}${encodeURIComponent('😀')}`, 200],
  ['a path that ends within a character', `${'a'.repeat(99)}${encodeURIComponent('😀')}`, 404],
  ['a path with an incomplete encoded character', '%F0%9F', 404],
  ['a path with invalid percent-encoding', '%', 404],
  ['an empty anchor and an empty query', '?#', 200],
])('returns the expected status for %s', async (_name, path, status) => {
  const site = await makeMachineSite('public');
  const response = await site.get(path);
  await response.body?.cancel();

  expect(response.status).toBe(status);
});

test('cached responses have the same security headers', async () => {
  const site = await makeMachineSite('public');
  const [page, newPage] = [await read(site.base), await read(`${site.base}no/such/page`)];
  const getSecurityHeaders = ({ headers }: typeof page) =>
    ['permissions-policy', 'x-content-type-options', 'referrer-policy'].map((name) => headers.get(name));

  expect(getSecurityHeaders(page)).toEqual(getSecurityHeaders(newPage));
  expect(page.headers.get('permissions-policy')).toContain('camera=()');
});

test('an MCP request contains a single call', async () => {
  const site = await makeMachineSite('public');
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_pages', arguments: {} } };
  const send = async (body: unknown) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await site.get('~/mcp', { method: 'POST', body, headers });
    return { status: response.status, text: await response.text() };
  };

  expect((await send(call)).status).toBe(200);
  expect(await send([call, call])).toEqual({ status: 400, text: expect.stringContaining('-32600') });
});

test('the MCP server of a site cannot read pages of another site', async () => {
  const [site, other] = [await makeMachineSite('public'), await makeMachineSite('public')];
  const { pathname } = new URL(other.base, platform().url);
  const [, , organization = '', name = ''] = pathname.split('/');
  const call = {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'read_page', arguments: { page: `../../${organization}/${name}/otters` } },
  };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const response = await site.get('~/mcp', { method: 'POST', body: call, headers });

  expect(await response.text()).toContain('Page not found');
});
