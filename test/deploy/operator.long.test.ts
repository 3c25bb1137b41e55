import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { buildPlatform, createRemoteOperator, exportInstallation, importInstallation } from '@octavo/platform';
import { operatorSignatureHeader } from '@octavo/schema';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signCall } from '../../packages/platform/src/remote-operator.ts';
import { outDir, root } from '../../scripts/settings.ts';
import { octavo } from '../cli/octavo.ts';
import { createTextFile, insertFiles } from '../content/files/file-client.ts';
import { getClient, insertPage } from '../content/space-client.ts';
import { type OwnPlatform, startOwnPlatform, until } from '../support/own-platform.ts';
import { createTemporaryFolder, input, runDeploy } from './deployments.ts';
import { FakeCloudflare } from './fake-cloudflare.ts';
import { runUploaded } from './run-uploaded.ts';

/** A platform on Cloudflare: the built workers with the configuration that was deployed, in Miniflare. */
async function startCloudflare(secret = 'sixteen random characters') {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const fake = new FakeCloudflare();
  const { printed } = await runDeploy(fake, { folder: createTemporaryFolder(), secret });
  const miniflare = await runUploaded(fake, 'octavo-gateway', { isBuilt: true, maxRetries: 0 });
  const send = ((url: string, init: RequestInit) =>
    miniflare.dispatchFetch(url, init as never)) as unknown as typeof fetch;
  const call = createRemoteOperator({ url: input.api, secret }, send);
  return { miniflare, secret, send, call, token: /octavo_\w{40}/.exec(printed)?.[0] ?? '' };
}

type Cloudflare = Awaited<ReturnType<typeof startCloudflare>>;

/** Calls the API of a platform on Cloudflare. */
async function request({ send }: Cloudflare, token: string, route: string, init: RequestInit = {}) {
  const response = await send(`${input.api}${route}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers },
  });
  return { status: response.status, text: await response.text() };
}

const defineLongTest = (name: string, run: () => Promise<void>) => test(name, { timeout: 300_000 }, run);

let machine: OwnPlatform;
beforeAll(async () => {
  await buildPlatform({ root, outDir });
  machine = await startOwnPlatform();
}, 600_000);
afterAll(() => machine?.remove());

/** Sends calls that are unsigned, changed, old, repeated, or signed with another secret. */
async function expectRefusals({ secret, send, token }: Cloudflare): Promise<void> {
  const body = JSON.stringify({ email: 'mallory@acme.dev' });
  const post = async (route: string, sent: string, headers: Record<string, string>) =>
    (await send(`${input.api}/operator${route}`, { method: 'POST', headers, body: sent })).status;
  const sign = (of: string, route = '/token', time?: number) => ({
    [operatorSignatureHeader]: signCall({ url: input.api, secret: of }, route, body, time),
  });
  const valid = sign(secret);

  expect(await post('/token', body, {})).toBe(404);
  expect(await post('/token', body, { authorization: `Bearer ${token}` })).toBe(404);
  expect(await post('/token', body, { 'octavo-operator-key': '' })).toBe(404);
  expect(await post('/token', body, sign('another secret of the operator'))).toBe(404);
  expect(await post('/token', body, sign(secret, '/jobs'))).toBe(404);
  expect(await post('/token', body.replace('mallory', 'eve'), valid)).toBe(404);
  expect(await post('/token', body, sign(secret, '/token', Date.now() - 10 * 60_000))).toBe(404);
  expect(await post('/token', 'x'.repeat(8_000_001), valid)).toBe(413);
  expect(await post('/token', body, valid)).toBe(200);
  expect(await post('/token', body, valid)).toBe(404);
}

defineLongTest('runs the commands of the operator with signed requests, and no others', async () => {
  const cloudflare = await startCloudflare();
  const { call, miniflare } = cloudflare;
  const { token } = await call('/token', { email: 'eve@acme.dev', newOrganization: 'Acme' });
  const { text } = await call('/metrics');

  expect((await request(cloudflare, token, '/v1/user')).text).toContain('eve@acme.dev');
  expect(text).toContain('octavo_database_bytes');
  expect(await call('/jobs')).toEqual({ jobs: [] });
  expect(await call('/search/rebuild')).toEqual({ queued: 1 });
  expect(await call('/data/check')).toMatchObject({ faults: [] });
  await expect(call('/jobs/replay', { id: 'evt_none' })).rejects.toThrow('There is no pending job evt_none.');
  await expect(call('/token', { email: 'nobody' })).rejects.toThrow(/e-?mail/i);
  await expect(call('/database' as '/jobs', { statements: [] })).rejects.toThrow('has no operation /database');

  const queue = await miniflare.getQueueProducer('EVENTS', 'octavo-content');
  await queue.send({ id: 'evt_none', type: 'unknown' });
  const [letter] = await until(async () => {
    const { letters } = await call('/dead-letters');
    return letters.length > 0 ? letters : undefined;
  });

  expect(letter).toMatchObject({ queue: 'events', body: { id: 'evt_none', type: 'unknown' } });
  expect(await call('/status')).toMatchObject({
    status: 'problems',
    problems: ['The queue `events` has given up 1 message. List them: `octavo dead-letters`.'],
  });
  expect(await call('/dead-letters/retry', { id: letter?.id })).toMatchObject({ retried: 1, hasMore: false });
  expect(await until(async () => (await call('/dead-letters')).letters[0])).not.toMatchObject({ id: letter?.id });
  await expectRefusals(cloudflare);
});

/** Paths whose responses are compared between the two platforms. */
const getPaths = (space: string) => [
  `/v1/spaces/${space}`,
  `/v1/spaces/${space}/content`,
  `/v1/spaces/${space}/content/pages`,
];

defineLongTest('moves an installation from one machine to Cloudflare and back, complete', async () => {
  const space = await machine.makeSpace();
  const client = getClient(machine, space);
  await insertFiles(client, [createTextFile('small.txt', 'A small file.')]);
  await client.change([
    insertPage('Moved'),
    insertPage('Large', { document: { markdown: 'A long text.\n'.repeat(5000) } }),
  ]);
  const readMachine = (server: OwnPlatform) =>
    Promise.all(
      getPaths(space.id).map(async (route) => {
        const response = await fetch(`${server.url}${route}`, { headers: { authorization: `Bearer ${space.token}` } });
        return { status: response.status, text: (await response.text()).replaceAll(server.url, '') };
      }),
    );
  const first = path.join(createTemporaryFolder(), 'export');
  expect(await octavo({ OCTAVO_DATA: machine.dataDir }, 'installation', 'export', first, '--pause')).toMatchObject({
    code: 0,
  });

  const secret = readFileSync(path.join(machine.dataDir, 'secret'), 'utf8').trim();
  const cloudflare = await startCloudflare(secret);
  const imported = await importInstallation(cloudflare.call, first, { allowsOtherSecret: false });
  const onCloudflare = await Promise.all(
    getPaths(space.id).map(async (route) => {
      const { status, text } = await request(cloudflare, space.token, route);
      return { status, text: text.replaceAll(input.api, '') };
    }),
  );

  expect(imported.rows).toBeGreaterThan(20);
  expect(onCloudflare.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(onCloudflare).toEqual(await readMachine(machine));

  await request(cloudflare, space.token, `/v1/spaces/${space.id}/content`, {
    method: 'POST',
    body: JSON.stringify({ changes: [insertPage('Written on Cloudflare')] }),
  });
  const second = path.join(createTemporaryFolder(), 'export');
  await exportInstallation(cloudflare.call, second, { pause: 'during' });
  const data = path.join(createTemporaryFolder(), 'data');
  const back = await octavo({ OCTAVO_DATA: data }, 'installation', 'import', second, '--other-secret');
  const copy = await startOwnPlatform({ data });
  const titles = (await getClient(copy, space).pages()).map(({ title }) => title);
  await copy.remove();
  await rm(first, { recursive: true });

  expect(back).toMatchObject({ code: 0 });
  expect(titles).toEqual(expect.arrayContaining(['Moved', 'Large', 'Written on Cloudflare']));
});
