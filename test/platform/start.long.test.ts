import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { pickFreePort } from '../support/free-port.ts';
import { isRunning, runScript, startOwnPlatform, until } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';
import { readSessionCookie } from '../support/session-cookies.ts';

const slow = { timeout: 300_000 };
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function startServer() {
  const own = await startOwnPlatform({ seedsItself: true });
  cleanups.push(own.remove);
  return own;
}

async function createDataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-start-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('prints the URLs and the token, and stores them in dev.json, readable only by the owner', async () => {
  const { url, token, organization, dataDir, printed } = await startServer();
  const file = path.join(dataDir, 'dev.json');

  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ url, token, organization, space: null, site: null });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  for (const part of [`${url}/v1`, `${url}/reference`, token, 'curl -H', 'Ctrl-C'])
    expect(printed().stdout).toContain(part);
});

test('each start prints another link that signs in the first user once', slow, async () => {
  const own = await startServer();
  const readLink = () => /http\S+(\/sign-in\/\w+)/.exec(own.printed().stdout)?.[1] ?? '';
  const first = readLink();
  await own.kill('SIGTERM');
  await own.restart();
  const second = readLink();
  expect(second).not.toBe(first);

  const answer = await own.request(second, { method: 'POST' });
  expect(answer.status).toBe(303);
  expect(answer.headers.get('location')).toBe(`${own.url}/app`);
  const { cookie } = readSessionCookie(answer);
  const user = await own.request('/v1/user', { headers: { cookie, 'octavo-app': '1' } });
  expect(await user.json()).toEqual(await (await own.request('/v1/user', { token: own.token })).json());
  for (const link of [first, second]) expect((await own.request(link, { method: 'POST' })).status).toBe(404);
});

test('a second start keeps the data and the token', slow, async () => {
  const own = await startServer();
  const { id } = await own.makeOrganization('Kept');
  const before = await readFile(path.join(own.dataDir, 'dev.json'), 'utf8');
  await own.kill('SIGTERM');
  await own.restart();

  expect(await readFile(path.join(own.dataDir, 'dev.json'), 'utf8')).toBe(before);
  const response = await own.request('/v1/orgs', { token: own.token });
  const { items } = (await response.json()) as { items: { id: string }[] };
  expect(items.map((item) => item.id)).toEqual([own.organization]);
  expect(id).not.toBe(own.organization);
});

test('a start without dev.json creates a new token, but no second organization', slow, async () => {
  const own = await startServer();
  await own.kill('SIGTERM');
  await rm(path.join(own.dataDir, 'dev.json'));
  await own.restart();

  const dev = JSON.parse(await readFile(path.join(own.dataDir, 'dev.json'), 'utf8'));
  expect(dev.organization).toBe(own.organization);
  expect(dev.token).not.toBe(own.token);
});

test('Ctrl-C stops the server immediately, with one line and exit code 0', async () => {
  const own = await startServer();
  const workerd = await own.getWorkerdPid();
  const began = Date.now();
  const finished = await own.kill('SIGINT');

  expect(Date.now() - began).toBeLessThan(30_000);
  expect(finished).toMatchObject({ code: 0, stderr: '' });
  expect(finished?.stdout.trimEnd().split('\n').at(-1)).toBe('Octavo stopped.');
  expect(isRunning(workerd)).toBe(false);
});

test('killing the server also ends its workerd, and it starts again on the same port', slow, async () => {
  const own = await startServer();
  const workerd = await own.getWorkerdPid();
  await own.kill('SIGKILL');
  await until(() => (isRunning(workerd) ? undefined : true));
  await own.restart();

  expect((await own.request('/v1/user', { token: own.token })).status).toBe(200);
});

test('reports a database whose WAL file lost its header', slow, async () => {
  const own = await startServer();
  await own.makeOrganization();
  const workerd = await own.getWorkerdPid();
  await own.kill('SIGKILL');
  await until(() => (isRunning(workerd) ? undefined : true));
  const state = path.join(own.dataDir, 'state');
  const files = await readdir(state, { recursive: true, withFileTypes: true });
  const logs = files.filter(({ name }) => name.endsWith('.sqlite-wal'));
  const sized = await Promise.all(
    logs.map(async ({ parentPath, name }) => ({
      name: path.join(parentPath, name),
      size: (await stat(path.join(parentPath, name))).size,
    })),
  );
  const largest = sized.toSorted((one, other) => other.size - one.size)[0]?.name ?? '';
  const log = await open(largest, 'r+');
  await log.write(Buffer.alloc(32));
  await log.close();
  await own.restart();

  expect(Object.values(own.printed()).join('')).toContain(
    `The log of the database ${largest.replace(/-wal$/, '')} is damaged`,
  );
});

test('restarts a killed workerd without restarting the server', slow, async () => {
  const own = await startServer();
  const workerd = await own.getWorkerdPid();
  await own.kill('SIGKILL', 'workerd');
  const response = await until(() => own.request('/v1/user', { token: own.token }).catch(() => undefined));

  expect(response.status).toBe(200);
  expect(await own.getWorkerdPid()).not.toBe(workerd);
});

test('reports a port in use with the port and the process', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  cleanups.push(async () => server.close());
  const port = await until(() => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : undefined;
  });
  const end = await runScript(['scripts/start.ts'], { OCTAVO_DATA: await createDataFolder(), PORT: String(port) });

  expect(end.code).toBe(1);
  expect(end.stderr.trim().split('\n')).toHaveLength(1);
  expect(end.stderr).toContain(`Port ${port} is in use by process ${process.pid}`);
});

test('a second server with the same data folder reports the first', async () => {
  const { dataDir, url } = platform();
  const end = await runScript(['scripts/start.ts'], { OCTAVO_DATA: dataDir, PORT: String(await pickFreePort()) });

  expect(end.code).toBe(1);
  expect(end.stderr.trim().split('\n')).toHaveLength(1);
  expect(end.stderr).toContain(`Octavo is already running on the data folder ${dataDir}`);
  expect(end.stderr).toContain(url);
});

test('reports an orphaned workerd of an earlier run', async () => {
  const folder = await createDataFolder();
  const program = path.join(folder, 'workerd');
  await copyFile('/bin/sh', program);
  const orphan = spawn(program, ['-c', 'read -r forever']);
  cleanups.push(async () => orphan.kill('SIGKILL'));
  await writeFile(path.join(folder, 'octavo.pid'), '999999\n');
  await writeFile(path.join(folder, 'workerd.999999.pid'), `${orphan.pid}\n`);
  const end = await runScript(['scripts/start.ts'], { OCTAVO_DATA: folder, PORT: String(await pickFreePort()) });

  expect(end.code).toBe(1);
  expect(end.stderr).toContain(`kill -9 ${orphan.pid}`);
});

test('reports an invalid PORT, setting or argument in one sentence', slow, async () => {
  const port = await runScript(['scripts/start.ts'], { PORT: 'eighty' });
  const limits = await runScript(['scripts/start.ts'], { OCTAVO_RATE_LIMITS: 'search=3' });
  const header = await runScript(['scripts/start.ts'], { OCTAVO_CLIENT_ADDRESS_HEADER: 'x real ip' });
  const argument = await runScript(['scripts/start.ts', '--full']);

  expect(port).toMatchObject({ code: 1, stderr: 'PORT must be a port number from 0 to 65535, not "eighty".\n' });
  expect(argument).toMatchObject({
    code: 1,
    stderr: 'npm start does not accept "--full". Its options are -- --empty and -- --bare.\n',
  });
  expect(header.stderr).toBe('OCTAVO_CLIENT_ADDRESS_HEADER must be the name of a header, not "x real ip".\n');
  expect(limits).toMatchObject({ code: 1, stderr: expect.stringMatching(/^OCTAVO_RATE_LIMITS: "search=3" is .*\n$/) });
});
