import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { machineSite } from './machine/machine-site.ts';
import { read } from './reads.ts';

test('a differently written URL of a site redirects to the site', async () => {
  const site = await machineSite('public');
  const { token, id } = site.organization;
  await json(site.path, { token, method: 'PATCH', body: { basename: 'c++' } });
  const root = new URL(`/-/${id}/c++`, platform().url);

  for (const path of [root.pathname, root.pathname.replace('c', '%63'), root.pathname.replace('c++', '/c++')]) {
    const answer = await platform().request(path);
    const location = answer.headers.get('location') ?? '';
    await answer.body?.cancel();
    expect([path, answer.status]).toEqual([path, 308]);
    const page = await read(new URL(location, platform().url).pathname);
    expect([path, page.status]).toEqual([path, 200]);
  }
});

test.each([
  ['a search for words that end within a character', `~/search?q=${'a'.repeat(255)}${encodeURIComponent('😀')}`, 200],
  ['instant results of them', `~/search.json?q=${'a'.repeat(255)}${encodeURIComponent('😀')}`, 200],
  ['a path that ends so', `${'a'.repeat(99)}${encodeURIComponent('😀')}`, 404],
  ['a path of half an encoded character', '%F0%9F', 404],
  ['a path that is no encoding', '%', 404],
  ['an anchor and a query of nothing', '?#', 200],
])('handles %s', async (_name, path, status) => {
  const site = await machineSite('public');
  const answer = await site.get(path);
  await answer.body?.cancel();

  expect(answer.status).toBe(status);
});

test('cached responses have the same security headers', async () => {
  const site = await machineSite('public');
  const [kept, made] = [await read(site.base), await read(`${site.base}no/such/page`)];
  const guards = ({ headers }: typeof kept) =>
    ['permissions-policy', 'x-content-type-options', 'referrer-policy'].map((name) => headers.get(name));

  expect(guards(kept)).toEqual(guards(made));
  expect(kept.headers.get('permissions-policy')).toContain('camera=()');
});

test('an MCP request contains a single call', async () => {
  const site = await machineSite('public');
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_pages', arguments: {} } };
  const send = async (body: unknown) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const answer = await site.get('~/mcp', { method: 'POST', body, headers });
    return { status: answer.status, text: await answer.text() };
  };

  expect((await send(call)).status).toBe(200);
  expect(await send([call, call])).toEqual({ status: 400, text: expect.stringContaining('-32600') });
});

test('the MCP server of a site cannot read pages of another site', async () => {
  const [site, other] = [await machineSite('public'), await machineSite('public')];
  const { pathname } = new URL(other.base, platform().url);
  const [, , organization = '', name = ''] = pathname.split('/');
  const call = {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'read_page', arguments: { page: `../../${organization}/${name}/otters` } },
  };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const answer = await site.get('~/mcp', { method: 'POST', body: call, headers });

  expect(await answer.text()).toContain('Page not found');
});
