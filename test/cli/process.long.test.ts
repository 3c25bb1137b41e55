import { expect, test } from 'vitest';
import { serveLocally } from '../support/local-server.ts';
import { runScript, startScript } from '../support/own-platform.ts';
import { createCommandLine, octavo, octavoProcess } from './octavo.ts';

const nobody = { OCTAVO_URL: 'http://127.0.0.1:1', OCTAVO_TOKEN: '' };

test("the program prints a command's output and exits with its code", async () => {
  const { env } = await createCommandLine();
  for (const typed of [['spaces'], ['spaces', 'x']]) {
    const [inProcess, alone] = await Promise.all([octavo(env, ...typed), octavoProcess(env, ...typed)]);
    expect(removeRequestId(alone)).toEqual(removeRequestId({ ...inProcess, signal: null }));
  }
  expect(await octavoProcess(nobody, 'spaces')).toMatchObject({ code: 1, stdout: '' });
});

const removeRequestId = <Printed extends { stderr: string }>(printed: Printed): Printed => ({
  ...printed,
  stderr: printed.stderr.replace(/\(request \S+\)/, ''),
});

/** Simulates a Node.js version that is too old, so that the program runs commands with the workspace's Node.js. */
const asOld = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });";
const program = ['--import', `data:text/javascript,${encodeURIComponent(asOld)}`, 'packages/cli/bin/octavo.mjs'];

test('runs in a child Node.js process with the same output and exit code, and ends when the child is killed', async () => {
  const { env } = await createCommandLine();
  expect(await runScript([...program, 'spaces', 'x'], env)).toMatchObject({ code: 2, stdout: '' });
  expect(await runScript([...program, 'spaces'], env)).toMatchObject({ code: 0, stderr: '' });
  const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const url = await serveLocally((request) => {
    asked.resolve();
    request.socket.once('close', () => left.resolve());
  });
  const { child, finished } = startScript([...program, 'spaces'], { OCTAVO_URL: url, OCTAVO_TOKEN: 'x' });
  await asked.promise;
  child.kill('SIGKILL');
  await left.promise;
  expect(await finished).toMatchObject({ signal: 'SIGKILL', stdout: '' });
});

test('a signal ends a command that is waiting for the server', async () => {
  const asked = Promise.withResolvers<void>();
  const url = await serveLocally(() => asked.resolve());
  const { child, finished } = startScript(['packages/cli/bin/octavo.mjs', 'spaces'], {
    OCTAVO_URL: url,
    OCTAVO_TOKEN: 'x',
  });
  await asked.promise;
  child.kill('SIGTERM');
  expect(await finished).toMatchObject({ signal: 'SIGTERM', stdout: '' });
});

test('a closed pipe ends a command without an error', async () => {
  const { env } = await createCommandLine();
  for (const typed of [['--help'], ['spaces'], ['webhook', 'listen', '--secret', 'x']]) {
    const { child, finished } = startScript(['packages/cli/bin/octavo.mjs', ...typed], env);
    child.stdout?.destroy();
    expect(await finished).toMatchObject({ code: 0, signal: null, stderr: '' });
  }
});
