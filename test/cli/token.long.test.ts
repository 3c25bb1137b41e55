import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeChangeRequest, merge } from '../support/content.ts';
import { startOwnPlatform } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';
import { octavo, octavoProcess } from './octavo.ts';

const address = () => `user-${randomUUID()}@example.test`;

/** Runs the command and returns the token that it prints. */
async function getToken(dataDir: string, args: string[], run: typeof octavo = octavo): Promise<string> {
  const { code, stdout, stderr } = await run({ OCTAVO_DATA: dataDir }, 'token', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: `Data: ${dataDir}\n` });
  expect(stdout).toMatch(/^\S+\n$/);
  return stdout.trim();
}

test('a token with a role has exactly the rights of the role', async () => {
  const { dataDir, makeOrganization, makeSpace, request } = platform();
  const organization = await makeOrganization();
  const space = await makeSpace({ organization });
  const email = address();
  const token = await getToken(dataDir, ['--email', email, '--organization', organization.id, '--role', 'edit']);

  const changeRequest = await makeChangeRequest({ id: space.id, token });
  expect((await merge({ id: space.id, token }, changeRequest.id)).status).toBe(403);
  const other = await makeSpace();
  expect((await request(`/v1/spaces/${other.id}`, { token })).status).toBe(404);

  const second = await getToken(dataDir, ['--email', email]);
  expect(second).not.toBe(token);
  const [one, two] = await Promise.all(
    [token, second].map(async (each) => (await request('/v1/user', { token: each })).json()),
  );
  expect(two).toEqual(one);
});

test.each([
  ['an unknown organization', ['--organization', 'org_madeup', '--role', 'edit']],
  ['an unknown role', ['--organization', 'org_madeup', '--role', 'emperor']],
])('rejects a token for %s and prints nothing', async (_, more) => {
  const { code, stdout, stderr } = await octavo(
    { OCTAVO_DATA: platform().dataDir },
    'token',
    '--email',
    address(),
    ...more,
  );
  expect(stderr).toMatch(/^Data: [^\n]+\noctavo: [^\n]+\n$/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test('a token created while the server is stopped is valid after the server starts', { timeout: 300_000 }, async () => {
  const server = await startOwnPlatform();
  try {
    const { id, organization } = await server.makeSpace();
    await server.kill('SIGTERM');
    const args = ['--email', address(), '--organization', organization, '--role', 'edit'];
    const token = await getToken(server.dataDir, args, octavoProcess);
    await server.restart();
    const response = await server.request(`/v1/spaces/${id}/change-requests`, { token, body: {} });
    expect(response.status).toBe(201);
    const { id: changeRequest } = (await response.json()) as { id: string };
    const path = `/v1/spaces/${id}/change-requests/${changeRequest}/merge`;
    expect((await server.request(path, { token, method: 'POST' })).status).toBe(403);
  } finally {
    await server.remove();
  }
});

test("admin create creates an organization with its first admin, and prints only the admin's token", async () => {
  const { dataDir, request } = platform();
  const [email, title] = [address(), 'Acme'];
  const run = (...args: string[]) => octavo({ OCTAVO_DATA: dataDir }, 'admin', 'create', ...args);
  const { code, stdout, stderr } = await run('--email', email, '--organization', title, '--name', 'Ann');
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^octavo_\w+\n$/),
    stderr: expect.stringMatching(/^Data: \S+\nOrganization: org_\w+\n$/),
  });
  const token = stdout.trim();
  const id = /org_\w+/.exec(stderr)?.[0];

  expect(await (await request('/v1/user', { token })).json()).toMatchObject({ displayName: 'Ann', email });
  expect(await (await request(`/v1/orgs/${id}`, { token })).json()).toMatchObject({ id, title });
  const members = await (await request(`/v1/orgs/${id}/members`, { token })).json();
  expect(members).toMatchObject({ items: [{ role: 'admin' }] });
  const { items } = (await (await request(`/v1/orgs/${id}/audit-events`, { token })).json()) as {
    items: { action: string }[];
  };
  expect(items.map(({ action }) => action)).toContain('organization.created');

  expect(await run('--email', email)).toMatchObject({ code: 2, stdout: '' });
  expect(await run('--email', email, '--organization', 'x')).toMatchObject({ code: 1, stdout: '' });
});
