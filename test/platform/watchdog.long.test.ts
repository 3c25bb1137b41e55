import { expect, type TestContext, test } from 'vitest';
import { json } from '../support/content.ts';
import { pickFreePort } from '../support/free-port.ts';
import { getLog } from '../support/log.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { isRunning, runScript, startOwnPlatform, until } from '../support/own-platform.ts';

const slow = { timeout: 300_000 };
/** The time in seconds within which even a slow machine responds. */
const patience = 8;

// Almost all of the time passes waiting for timeouts, so the tests run at the same time.

async function startWatchedServer({ onTestFinished }: TestContext, patienceSeconds = patience): Promise<OwnPlatform> {
  const own = await startOwnPlatform({ patienceSeconds });
  onTestFinished(own.remove);
  return own;
}

const readProcessIds = ({ getServerPid, getWorkerdPid }: OwnPlatform) => Promise.all([getServerPid(), getWorkerdPid()]);

/** Waits for the server processes that replaced the given ones. */
const waitUntilReplaced = (own: OwnPlatform, [earlier]: number[]) =>
  until(async () => {
    const pid = await own.getServerPid().catch(() => earlier);
    if (pid === earlier) return undefined;
    const response = await own.request('/v1/user', { token: own.token }).catch(() => undefined);
    return response?.status === 200 ? readProcessIds(own) : undefined;
  });

test.concurrent('a second start and the operator commands report that the server hangs', slow, async (context) => {
  const own = await startWatchedServer(context, 20);
  const env = { OCTAVO_DATA: own.dataDir, PORT: String(await pickFreePort()) };
  process.kill(await own.getServerPid(), 'SIGSTOP');
  const ends = [runScript(['scripts/start.ts'], env), runScript(['packages/cli/bin/octavo.mjs', 'jobs'], env)];

  for (const { code, stderr } of await Promise.all(ends)) {
    expect(code).toBe(1);
    expect(stderr).toContain(
      `Octavo is running on the data folder ${own.dataDir} but does not respond. Stop it first.`,
    );
  }
});

test.concurrent.for([
  ['its Node process is frozen', 0, 'SIGSTOP', `did not respond for ${patience} s`],
  ['its Node process was killed', 0, 'SIGKILL', 'stopped unexpectedly (SIGKILL)'],
] as const)('restarts a server with the same data when %s', slow, async ([, which, signal, reason], context) => {
  const own = await startWatchedServer(context);
  const space = await own.makeSpace({ title: 'Kept' });
  const before = await readProcessIds(own);
  process.kill(before[which], signal);
  await waitUntilReplaced(own, before);

  expect(await json(`/v1/spaces/${space.id}`, { token: space.token }, own)).toMatchObject({ title: 'Kept' });
  // A killed process exists until its parent has reaped it.
  await until(() => (before.some(isRunning) ? undefined : true));
  expect(own.printed().stderr).toBe(`Octavo ${reason} and is being restarted.\n`);
  const line = `"level":"error","message":"Octavo ${reason} and was restarted."`;
  await until(() => (getLog(own.dataDir).includes(line) ? true : undefined));
});

test.concurrent.for([
  ['is frozen', 'SIGSTOP', `The runtime did not respond for ${patience} s and was killed.`],
  ['was killed', 'SIGKILL', 'The runtime stopped unexpectedly (SIGKILL).'],
] as const)(
  'restarts a runtime that %s within the same server, with the same data',
  slow,
  async ([, signal, message], context) => {
    const own = await startWatchedServer(context);
    const space = await own.makeSpace({ title: 'Kept' });
    const [server, runtime] = await readProcessIds(own);
    process.kill(runtime, signal);
    await until(async () => ((await own.getWorkerdPid().catch(() => runtime)) === runtime ? undefined : true));
    await until(() => own.request('/health').catch(() => undefined));

    expect(await json(`/v1/spaces/${space.id}`, { token: space.token }, own)).toMatchObject({ title: 'Kept' });
    expect([await own.getServerPid(), isRunning(runtime)]).toEqual([server, false]);
    await until(() => (getLog(own.dataDir).includes(message) ? true : undefined));
  },
);

test.concurrent.for([
  ['Node process', 0],
  ['runtime', 1],
] as const)('SIGTERM ends a server whose %s is frozen', slow, async ([, which], context) => {
  const own = await startWatchedServer(context, 20);
  const pids = await readProcessIds(own);
  process.kill(pids[which], 'SIGSTOP');
  await own.kill('SIGTERM');

  await until(() => (pids.some(isRunning) ? undefined : true));
});

test.concurrent.for(['SIGTERM', 'SIGINT'] as const)(
  '%s to npm stops the server started by `npm start`',
  slow,
  async (signal, { onTestFinished }) => {
    const own = await startOwnPlatform({ byNpm: true });
    onTestFinished(own.remove);
    const pids = await readProcessIds(own);
    const { stdout } = (await own.kill(signal)) ?? {};

    expect(stdout).toContain('Octavo stopped.');
    expect(pids.filter(isRunning)).toEqual([]);
  },
);

test.concurrent('a server exits if its supervisor is gone', slow, async (context) => {
  const own = await startWatchedServer(context, 20);
  const pids = await readProcessIds(own);
  await own.kill('SIGKILL');

  await until(() => (pids.some(isRunning) ? undefined : true));
});
