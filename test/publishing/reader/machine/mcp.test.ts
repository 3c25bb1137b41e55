import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, test, vi } from 'vitest';
import { json } from '../../../support/content.ts';
import { platform } from '../../../support/platform.ts';
import { audiences } from '../../audiences/open-site.ts';
import { type MachineSite, makeMachineSite } from './machine-site.ts';

async function connectClient(address: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  const [first] = content as { type: string; text: string }[];
  return { text: first?.text ?? '', isError };
}

const post = ({ base, headers }: Pick<MachineSite, 'base' | 'headers'>, body: unknown) =>
  platform().request(`${base}~/mcp`, {
    body,
    headers: { accept: 'application/json, text/event-stream', ...headers },
  });

test.each(audiences)(
  'a client of the official SDK searches, lists and reads a site with the visibility %s',
  async (audience) => {
    const site = await makeMachineSite(audience);
    const client = await connectClient(`${site.base}~/mcp${site.pass}`);
    const { tools } = await client.listTools();
    const listed = await call(client, 'list_pages', {});
    const byPath = await call(client, 'read_page', { page: 'otters' });
    const byAddress = await call(client, 'read_page', { page: `${site.base}herons.md#top` });
    const home = await call(client, 'read_page', { page: '/' });

    expect(client.getInstructions()).toContain(`"Field guide" (${site.base})`);
    expect(tools.map(({ name }) => name).toSorted()).toEqual(['list_pages', 'read_page', 'search']);
    expect(listed.text).toContain(`- [Herons](${site.base})\n- [Otters](${site.base}otters)`);
    expect(listed.text).toMatch(/End of the list\.$/);
    expect(byPath.text).toBe(`Source: ${site.base}otters\n\n# Otters\n\nAn otter swims.\n\n## Diet\n\nFish.\n`);
    expect(byAddress.text).toContain('A heron stands in the **reeds**.');
    expect(home.text).toBe(byAddress.text);
    await vi.waitFor(async () => {
      const searchResult = await call(client, 'search', { query: 'heron' });
      expect(searchResult.text).toContain(`- Herons (Animals): ${site.base}`);
    }, 30_000);
    await client.close();
  },
);

test.each(['share-link', 'visitor-auth'] as const)(
  'the MCP server of a site with the visibility %s rejects visitors without access',
  async (audience) => {
    const site = await makeMachineSite(audience);
    const shut = audience === 'share-link' ? site.base.replace(/[^/]+\/$/, '') : site.base;
    const response = await post({ base: shut, headers: {} }, { jsonrpc: '2.0', id: 1, method: 'tools/list' });

    await expect(connectClient(`${shut}~/mcp`)).rejects.toThrow(/404|not/i);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('Field guide');
  },
);

test('reads only pages of the site, whatever the URL is', async () => {
  const [site, other] = await Promise.all([makeMachineSite('public'), makeMachineSite('public')]);
  const client = await connectClient(`${site.base}~/mcp`);
  const addresses = ['nowhere', `${other.base}otters`, 'https://example.test/otters', '../otters', '%E0', '~/mcp'];
  const results = await Promise.all(addresses.map((page) => call(client, 'read_page', { page })));
  const cursor = await call(client, 'list_pages', { cursor: '9-9' });

  for (const answer of results)
    expect(answer).toEqual({ text: expect.stringMatching(/Page not found/), isError: true });
  expect(cursor.isError).toBe(true);
  await client.close();
});

test('a site that excludes agents has no MCP server', async () => {
  const site = await makeMachineSite('public');
  const { token } = site.organization;
  await json(site.path, { token, method: 'PATCH', body: { agentsContext: 'excluded' } });

  expect((await post(site, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(404);
});

test('the MCP server has no streams or sessions, and rejects oversized requests', async () => {
  const site = await makeMachineSite('public');
  const list = { jsonrpc: '2.0', method: 'tools/list' };
  const many = Array.from({ length: 200 }, (_, id) => ({ ...list, id }));
  const long = { ...list, id: 1, params: { cursor: 'x'.repeat(70_000) } };
  const methods = await Promise.all(['GET', 'DELETE'].map((method) => site.get('~/mcp', { method })));

  expect(methods.map(({ status }) => status)).toEqual([405, 405]);
  expect((await post(site, many)).status).toBe(400);
  expect((await post(site, long)).status).toBe(413);
  expect((await post(site, '{')).status).toBe(400);
});
