import { expect, test } from 'vitest';
import { serveLocally } from '../support/local-server.ts';
import { startScript } from '../support/own-platform.ts';
import { commandLine, octavo, octavoProcess } from './octavo.ts';

const nobody = { OCTAVO_URL: 'http://127.0.0.1:1', OCTAVO_TOKEN: '' };

test('the program prints what a command prints, and ends with its exit code', async () => {
  const { env } = await commandLine();
  for (const typed of [['spaces'], ['spaces', 'x']]) {
    const [inProcess, alone] = await Promise.all([octavo(env, ...typed), octavoProcess(env, ...typed)]);
    expect(withoutRequest(alone)).toEqual(withoutRequest({ ...inProcess, signal: null }));
  }
  expect(await octavoProcess(nobody, 'spaces')).toMatchObject({ code: 1, stdout: '' });
});

const withoutRequest = <Printed extends { stderr: string }>(printed: Printed): Printed => ({
  ...printed,
  stderr: printed.stderr.replace(/\(request \S+\)/, ''),
});

test('a signal to the program alone ends a command that waits for the server', async () => {
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
