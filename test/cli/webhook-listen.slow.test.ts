import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { startScript, until } from '../support/own-platform.ts';
import { octavo } from './octavo.ts';

const secret = 'whsec_of_this_test';
const body = JSON.stringify({ type: 'space.created', data: { one: 'é' } });

const createSignature = (by: string, time = Math.floor(Date.now() / 1000), text = body) =>
  `v1=${createHmac('sha256', by).update(`${time}.${text}`).digest('hex')}`;

/** Starts the command and returns a function that posts deliveries to it. */
async function listen(...options: string[]) {
  const { child, finished, printed } = startScript(
    ['packages/cli/bin/octavo.mjs', 'webhook', 'listen', '--secret', secret, ...options],
    {},
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await until(() => /http:[\w.:/]+/.exec(printed().stdout)?.[0]);
  const post = async (signature: string | undefined) => {
    const headers = { 'x-octavo-event': 'space.created', 'x-octavo-delivery': 'dlv_1' };
    const header = signature === undefined ? {} : { 'x-octavo-signature': signature };
    return (await fetch(url, { method: 'POST', body, headers: { ...headers, ...header } })).status;
  };
  return { child, finished, post };
}

test('prints events signed with the secret, and responds as configured', async () => {
  const { child, finished, post } = await listen('--status', '201');
  const time = Math.floor(Date.now() / 1000);

  expect(await post(`t=${time},${createSignature(secret, time)}`)).toBe(201);
  // During a secret rotation, deliveries have signatures of both secrets.
  expect(await post(`t=${time},${createSignature('another', time)},${createSignature(secret, time)}`)).toBe(201);
  child.kill('SIGINT');
  const { code, stdout } = await finished;
  expect(code).toBe(0);
  expect(stdout.split('\n').slice(1)).toEqual([`space.created dlv_1 ${body}`, `space.created dlv_1 ${body}`, '']);
});

test('prints one JSON object per line with --json', async () => {
  const { child, finished, post } = await listen('--json');
  const time = Math.floor(Date.now() / 1000);
  await post(`t=${time},${createSignature(secret, time)}`);
  await post(undefined);
  child.kill('SIGTERM');
  const { stdout } = await finished;
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { type: 'listening', url: expect.stringMatching(/^http:/) },
    { type: 'space.created', delivery: 'dlv_1', body },
    { type: 'space.created', error: 'The signature is missing.' },
  ]);
});

test('rejects other signatures', async () => {
  const { child, finished, post } = await listen();
  const time = Math.floor(Date.now() / 1000);
  const wrong = [
    undefined,
    '',
    `t=${time}`,
    `t=${time},${createSignature('another')}`,
    `t=${time},${createSignature(secret, time, '{}')}`,
    `t=${time + 1},${createSignature(secret, time)}`,
    `t=${time - 400},${createSignature(secret, time - 400)}`,
    `t=${time},v1=00`,
  ];

  for (const signature of wrong) expect([signature, await post(signature)]).toEqual([signature, 401]);
  child.kill('SIGTERM');
  expect(await finished).toMatchObject({ code: 0, stdout: expect.not.stringContaining('dlv_1') });
});

test('reports wrong arguments', async () => {
  expect(await octavo({}, 'webhook', 'listen')).toMatchObject({ code: 2, stderr: expect.stringContaining('--secret') });
  for (const wrong of [
    ['--port', '70000'],
    ['--status', 'x'],
    ['--status', '100'],
  ])
    expect(await octavo({}, 'webhook', 'listen', '--secret', secret, ...wrong)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^octavo: --\w+ must be a number from \d+ to \d+\.\n$/),
    });
});
