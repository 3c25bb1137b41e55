import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { serveLocally } from '../../support/local-server.ts';
import { getLog } from '../../support/log.ts';
import { isRunning, type OwnPlatform, startOwnPlatform, until } from '../../support/own-platform.ts';
import { getScript, runOnHost } from '../../support/script-host.ts';
import { publishScript } from './scripted.ts';

let own: OwnPlatform;

beforeAll(async () => {
  own = await startOwnPlatform({ allowsPrivate: true });
  return () => own.remove();
});

/** Returns the processes in which this platform runs scripts. */
async function listScriptProcesses(): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return command.includes(`${path.basename(own.dataDir)}/script.`) && command.includes('serve')
        ? [Number(pid)]
        : [];
    }),
  );
  return found.flat();
}

const well = getScript(`return new Response('well');`);
const waits = getScript(`await fetch(environment.base); await scheduler.wait(20000); return new Response('waited');`);
const runHealthyScript = () => runOnHost(own.dataDir, { script: well });

/** Starts a run that waits, and resolves once it has started. */
async function begin(): Promise<{ pid: number; ended: Promise<unknown> }> {
  const before = await listScriptProcesses();
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const base = await serveLocally((_, response) => {
    response.end();
    resolve();
  });
  const run = { script: waits, environment: { base } };
  const ended = runOnHost(own.dataDir, run).catch((error: unknown) => error);
  await begun;
  const pid = await until(async () => (await listScriptProcesses()).find((each) => !before.includes(each)));
  return { pid, ended };
}

test('starts no process until a script runs', async () => {
  expect(await listScriptProcesses()).toEqual([]);
});

test('killing a process during a run ends only that run', async () => {
  const { pid, ended } = await begin();
  process.kill(pid, 'SIGKILL');

  expect(await ended).toMatchObject({ ok: false, fault: 'exception' });
  expect(await runHealthyScript()).toMatchObject({ ok: true, text: 'well' });
});

test('killing the runtime during a run leaves no script running', async () => {
  const { name } = await publishScript(own, well);
  expect(await (await own.request(`/integrations/${name}`)).text()).toBe('well');
  const { ended } = await begin();
  await own.kill('SIGKILL', 'workerd');
  await until(() => own.request('/health').catch(() => undefined));

  const text = await until(async () => (await own.request(`/integrations/${name}`).catch(() => undefined))?.text());
  expect(text).toBe('well');
  expect(await runHealthyScript()).toMatchObject({ ok: true, text: 'well' });
  await own.kill('SIGKILL', 'workerd');
  await ended;
});

test('stops running scripts when the host is killed, and can run them after a restart', async () => {
  const { pid } = await begin();
  await own.kill('SIGKILL');
  await until(() => (isRunning(pid) ? undefined : true));
  await own.restart();

  expect(await runHealthyScript()).toMatchObject({ ok: true, text: 'well' });
});

test('the platform keeps running without a script host, and logs the reason', async () => {
  const { name } = await publishScript(own, well);
  await rm(path.join(own.dataDir, 'scripts.sock'));

  const response = await own.request(`/integrations/${name}`);

  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await own.request('/v1/')).status).toBe(200);
  await until(() => (getLog(own.dataDir).includes('could not run the script') ? true : undefined));
});
