import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runScript } from '../support/own-platform.ts';

const scripts = path.resolve(import.meta.dirname, '../../scripts');
const supervisor = path.join(scripts, 'supervise.mjs');

/** Runs a program under the supervisor, whose patience is a fifth of a second. */
const supervised = (program: string) => {
  const start = `(reason = '') => spawn(process.execPath, ['-e', ${JSON.stringify(program)}], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: { ...process.env, REASON: reason },
  })`;
  const code = `import { spawn } from 'node:child_process';
    import { supervise } from ${JSON.stringify(supervisor)};
    supervise(${start}, 0.2);`;
  return runScript(['--input-type=module', '-e', code]);
};

test('a start may last as long as it does, and ends with the code of the program', async () => {
  const slow = "setTimeout(() => { console.log('done'); process.exit(7); }, 1000);";

  expect(await supervised(slow)).toMatchObject({ code: 7, stdout: 'done\n', stderr: '' });
});

test('a program that ends by itself after it was up is started again, until it ends well', async () => {
  const crashes =
    "process.send('ready', () => process.exit(process.env.REASON ? 0 : 3)); console.log(process.env.REASON);";

  expect(await supervised(crashes)).toMatchObject({
    code: 0,
    stdout: '\nended unexpectedly (exit code 3)\n',
    stderr: 'Octavo ended unexpectedly (exit code 3) and is started again.\n',
  });
});

test('a program that answers is left alone, and one that stops answering is not', async () => {
  const answers = `let left = 20;
    process.on('message', () => (left-- > 0 ? process.send('healthy') : undefined));
    if (process.env.REASON) process.exit(0);
    process.send('ready');`;
  const { code, stderr } = await supervised(answers);

  expect({ code, stderr }).toEqual({ code: 0, stderr: 'Octavo did not answer for 0.2 s and is started again.\n' });
});

test('a program that ends again and again is left stopped', async () => {
  const { code, stderr } = await supervised("process.send('ready', () => process.exit(3));");

  expect(code).toBe(1);
  expect(stderr.match(/is started again/g)).toHaveLength(5);
  expect(stderr).toContain('was started again 5 times in ten minutes: it is left stopped.');
});

test('a program that nobody watches over any more once it is up stops', async () => {
  const code = `process.once('disconnect', async () => {
    const { answerChecks } = await import(${JSON.stringify(path.join(scripts, 'answer-checks.ts'))});
    answerChecks({ check: async () => true }, async () => process.exit(5));
  });`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'spawn');
  child.disconnect();

  expect(await once(child, 'exit')).toEqual([5, null]);
});
