import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runScript, startScript } from '../support/own-platform.ts';

const supervisor = path.resolve(import.meta.dirname, '../../scripts/supervise.sh');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'octavo-supervise-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// Almost all of the time passes waiting for timeouts, so the tests run at the same time.

/** Code that a program runs first, to report that it has started. */
const up = `const { existsSync, rmSync, writeFileSync } = require('node:fs');
  const { OCTAVO_WATCH: folder, OCTAVO_RESTARTED: reason = '' } = process.env;
  writeFileSync(folder + '/up', '');`;

/** The environment for a program under the supervisor. The health check timeout is long unless a test is about it. */
async function getEnvironment(program: string, patience = '30'): Promise<Record<string, string>> {
  const script = path.join(folder, `${crypto.randomUUID()}.cjs`);
  await writeFile(script, program);
  return {
    OCTAVO_NODE: process.execPath,
    OCTAVO_SCRIPT: script,
    OCTAVO_PATIENCE_SECONDS: patience,
    OCTAVO_RESTARTED: '',
  };
}

const runSupervised = async (program: string, patience?: string) =>
  runScript([supervisor], await getEnvironment(program, patience), 'sh');

test.concurrent("waits for a slow start, and ends with the program's exit code", async () => {
  const slow = "setTimeout(() => { console.log('done'); process.exit(7); }, 1500);";

  expect(await runSupervised(slow, '0.6')).toMatchObject({ code: 7, stdout: 'done\n', stderr: '' });
});

test.concurrent('restarts a program that was ready and then fails, until it exits with 0', async () => {
  const crashes = `${up} console.log(reason); process.exit(reason ? 0 : 3);`;

  expect(await runSupervised(crashes)).toMatchObject({
    code: 0,
    stdout: '\nstopped unexpectedly (exit code 3)\n',
    stderr: 'Octavo stopped unexpectedly (exit code 3) and is being restarted.\n',
  });
});

test.concurrent('reports the signal that killed a program', async () => {
  const killed = `${up} reason ? process.exit(0) : process.kill(process.pid, 'SIGKILL');`;

  expect((await runSupervised(killed)).stderr).toBe('Octavo stopped unexpectedly (SIGKILL) and is being restarted.\n');
});

test.concurrent('restarts a program that was ready once, even if a restart fails', async () => {
  const count = `const { existsSync, writeFileSync, readFileSync } = require('node:fs');
    const file = ${JSON.stringify('FILE')};
    const starts = existsSync(file) ? Number(readFileSync(file, 'utf8')) + 1 : 1;
    writeFileSync(file, String(starts));
    if (starts !== 2) writeFileSync(process.env.OCTAVO_WATCH + '/up', '');
    process.exit(starts === 3 ? 0 : 3);`.replace('FILE', path.join(folder, 'starts'));
  const { code, stderr } = await runSupervised(count);

  expect(code).toBe(0);
  expect(stderr.match(/is being restarted/g)).toHaveLength(2);
});

test.concurrent('restarts a program only if it stops responding', async () => {
  const answers = `${up} let left = 10;
    if (reason) process.exit(0);
    setInterval(() => {
      if (left > 0 && existsSync(folder + '/asked')) { rmSync(folder + '/asked'); left -= 1; }
    }, 20);`;
  const { code, stderr } = await runSupervised(answers, '0.6');

  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Octavo did not respond for 0.6 s and is being restarted.\n' });
});

test.concurrent('gives up on a program that fails repeatedly', async () => {
  const { code, stderr } = await runSupervised(`${up} process.exit(3);`);

  expect(code).toBe(1);
  expect(stderr.match(/is being restarted/g)).toHaveLength(5);
  expect(stderr).toContain('was restarted 5 times in ten minutes. It is not restarted again.');
});

test.concurrent('forwards a signal, and kills a program that ignores it', async () => {
  const polite = "process.on('SIGTERM', () => process.exit(0)); console.log('waits'); setInterval(() => {}, 1000);";
  const deaf = "process.on('SIGTERM', () => {}); console.log('waits'); setInterval(() => {}, 1000);";
  const waitForExit = async (program: string) => {
    const { child, finished } = startScript([supervisor], await getEnvironment(program), { program: 'sh' });
    child.stdout?.once('data', () => child.kill('SIGTERM'));
    return finished;
  };
  const [of, without] = await Promise.all([waitForExit(polite), waitForExit(deaf)]);

  expect(of).toMatchObject({ code: 0, stderr: '' });
  expect(without).toMatchObject({ code: 137, stderr: expect.stringContaining('did not stop within 10 s') });
});
