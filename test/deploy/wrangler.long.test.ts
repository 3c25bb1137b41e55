import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildPlatform, wranglerProgram, wranglerVariables } from '@octavo/platform';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outDir, root } from '../../scripts/settings.ts';
import { getShare } from '../support/random.ts';
import { describeAccount, getSecrets } from './account-state.ts';
import { createTemporaryFolder, input, runDeploy } from './deployments.ts';
import { Killed, Refusal } from './fake-api.ts';
import { FakeCloudflare } from './fake-cloudflare.ts';
import { serveFake } from './fake-server.ts';
import { runUploaded } from './run-uploaded.ts';

/** Starts `npm run deploy` and wrangler as process groups, against a fake. */
async function startCommands(fake: FakeCloudflare) {
  const server = await serveFake(fake);
  const folder = createTemporaryFolder();
  const config = path.join(folder, 'deploy.json');
  const writeSettings = (settings: object) => writeFileSync(config, JSON.stringify({ ...input, ...settings }));
  writeSettings({});
  const env = {
    ...process.env,
    ...wranglerVariables,
    CI: '',
    CLOUDFLARE_API_BASE_URL: server.url,
    CLOUDFLARE_API_TOKEN: 'token',
    NODE_OPTIONS: `--import ${path.join(import.meta.dirname, 'visit-fake.mjs')}`,
  };
  let running: ChildProcess | undefined;
  async function start(args: string[], typed = '', variables = {}) {
    const first = fake.calls.length;
    const child = spawn(process.execPath, args, {
      cwd: root,
      detached: true,
      stdio: 'pipe',
      env: { ...env, ...variables },
    });
    running = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    child.stdin.end(typed);
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    const calls = fake.calls.slice(first).filter(({ isWrite }) => isWrite);
    return { code, signal, output, writes: calls.map(({ method, path: called }) => `${method} ${called}`) };
  }
  return {
    configure: writeSettings,
    close: server.close,
    secretFile: path.join(folder, 'deploy.octavo.secret.json'),
    run: (...options: string[]) =>
      start(['scripts/deploy.ts', '--config', config, ...options], '', { CLOUDFLARE_ENV: 'staging' }),
    runWrangler: (args: string[], typed: string) => start([wranglerProgram, ...args], typed),
    kill: () => process.kill(-(running?.pid ?? 0), 'SIGKILL'),
  };
}

/** Kills the command at the next write of a chosen kind, after it was made. */
function killAfterWrite(fake: FakeCloudflare, chosen: Set<string>, kill: () => void): void {
  fake.onWrite = ({ method, path: written }) => {
    if (!chosen.delete(`${method} ${written}`)) return;
    kill();
    throw new Killed();
  };
}

const isOfAssets = (write: string) => write.includes('/assets');
/** A run after a kill also updates consumers that exist already. */
const isRepeated = (write: string) => /^PUT .*\/consumers/.test(write);
const sort = (writes: string[]) =>
  [...new Set(writes)].filter((write) => !isOfAssets(write) && !isRepeated(write)).toSorted();

describe('wrangler', () => {
  const [fake, expectedFake] = [new FakeCloudflare(), new FakeCloudflare()];
  const written: string[] = [];
  let commands: Awaited<ReturnType<typeof startCommands>>;
  let expected: Awaited<ReturnType<typeof runDeploy>>;
  let last: Awaited<ReturnType<typeof commands.run>>;

  // Each run is killed at the next of the chosen calls, and the last one completes.
  beforeAll(async () => {
    await buildPlatform({ root, outDir });
    commands = await startCommands(fake);
    expected = await runDeploy(expectedFake, { folder: createTemporaryFolder() });
    const wranglerWrites = expected.writes.filter((write) => /scripts|consumers/.test(write) && !isOfAssets(write));
    const chosen = new Set(['POST /workers/assets/upload', ...getShare(wranglerWrites, 9)]);
    killAfterWrite(fake, chosen, commands.kill);
    for (let left = chosen.size; left > 0; left -= 1) {
      const killed = await commands.run();
      written.push(...killed.writes);
      expect(killed).toMatchObject({ signal: 'SIGKILL' });
      expect(chosen.size).toBe(left - 1);
    }
    last = await commands.run();
    written.push(...last.writes);
  }, 600_000);
  afterAll(() => commands.close());

  const defineLongTest = (name: string, run: () => Promise<void>) => test(name, run, 300_000);

  defineLongTest('makes the same platform as the stand-in of the other tests, although it was killed', async () => {
    const { secret } = JSON.parse(readFileSync(commands.secretFile, 'utf8')) as { secret: string };

    expect(last).toMatchObject({ code: 0 });
    expect(last.output).toMatch(/octavo_\w{40}/);
    expect(sort(written)).toEqual(sort(expected.writes));
    expect(describeAccount(fake)).toEqual(describeAccount(expectedFake));
    expect(new Set(getSecrets(fake))).toEqual(new Set([secret]));
  });

  defineLongTest('uploads workers that run', async () => {
    const token = /octavo_\w{40}/.exec(last.output)?.[0] ?? '';
    const platform = await runUploaded(fake, 'octavo-gateway');
    const call = async (method: string, route: string, body?: object) => {
      const response = await platform.dispatchFetch(`${input.api}${route}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const health = await call('GET', '/health');
    const user = await call('GET', '/v1/user');
    const organization = await call('POST', '/v1/orgs', { title: 'Acme' });
    const organizationPath = `/v1/orgs/${organization.body.id}`;
    const space = await call('POST', `${organizationPath}/spaces`, { title: 'Docs' });
    const site = await call('POST', `${organizationPath}/sites`, { title: 'Docs', spaces: [space.body.id] });
    const publish = await call('POST', `${organizationPath}/sites/${site.body.id}/publish`);
    const { published } = publish.body.urls as { published: string };
    const page = await platform.dispatchFetch(published);

    expect(health).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(user).toMatchObject({ status: 200, body: { email: input.admin } });
    expect([organization, space, site, publish].map(({ status }) => status)).toEqual([201, 201, 201, 200]);
    expect(published).toMatch(/^https:\/\/[-\w]+\.docs\.acme\.dev\//);
    expect(await page.text()).toContain('<title>Page not found | Docs</title>');
  });

  defineLongTest('changes nothing in another run, and uploads only a changed worker', async () => {
    const [plan, again] = [await commands.run('--plan'), await commands.run()];
    commands.configure({ rateLimits: 'searches=100' });
    const changed = await commands.run();

    expect([plan, again]).toMatchObject([
      { code: 0, writes: [] },
      { code: 0, writes: [] },
    ]);
    expect(changed).toMatchObject({ code: 0 });
    expect(changed.writes.filter((write) => !isOfAssets(write))).toEqual([
      'POST /workers/scripts/octavo-gateway/versions',
      'POST /workers/scripts/octavo-gateway/deployments',
      'POST /workers/scripts/octavo-gateway/deployments',
    ]);
  });

  defineLongTest('changes a secret with the written configuration, which another run keeps', async () => {
    const file = path.join(outDir, 'deploy/octavo/content.json');
    const { code } = await commands.runWrangler(['secret', 'put', 'OCTAVO_SECRET', '-c', file], 'a new secret');

    expect(code).toBe(0);
    expect(getSecrets(fake)).toContain('a new secret');
    expect(await commands.run()).toMatchObject({ code: 0, writes: [] });
  });

  defineLongTest('explains a refused call with its output', async () => {
    fake.onCall = ({ path: called }) => {
      if (called.endsWith('octavo-gateway/versions')) throw new Refusal(403, 10000, 'Authentication error');
    };
    commands.configure({ rateLimits: 'searches=200' });
    const refused = await commands.run();

    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(/wrangler versions upload .* failed:[\s\S]*Authentication error \[code: 10000\]/);
  });
});
