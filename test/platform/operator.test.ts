import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { callOperator } from '@octavo/platform';
import { expect, onTestFinished, test } from 'vitest';
import { ownPlatform } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';

test('issues a token for a new user', async () => {
  const { token, user } = await platform().makeUser();

  expect(token).toMatch(/\S{20,}/);
  expect(user).toMatch(/^usr_/);
});

test('only the owner of the data folder can open the operator channel', async () => {
  const { dataDir } = platform();

  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  expect((await stat(path.join(dataDir, 'operator.sock'))).mode & 0o777).toBe(0o600);
});

test('a rejected call returns one sentence', async () => {
  const { dataDir } = platform();

  await expect(callOperator(dataDir, '/token', {})).rejects.toThrow('"email" is required.');
  await expect(callOperator(dataDir, '/token', { email: 'nobody' })).rejects.toThrow(/e-?mail/i);
  await expect(callOperator(dataDir, '/cron', { worker: 'no-such', cron: '* * * * *' })).rejects.toThrow('"no-such"');
});

test('runs a cron on demand', async () => {
  const answer = await callOperator(platform().dataDir, '/cron', { worker: 'content', cron: '* * * * *' });

  expect(answer).toEqual({ outcome: 'ok' });
});

test('runs statements only with the key of test servers', async () => {
  const [shared, statements] = [platform().dataDir, [{ sql: 'SELECT 1 AS one' }]];
  const key = process.env.OCTAVO_TEST_KEY;
  const own = await ownPlatform({ testKey: '' });
  onTestFinished(() => own.remove());

  expect(await callOperator(shared, '/database', { key, statements })).toEqual({ rows: [[{ one: 1 }]] });
  for (const wrong of [undefined, '', 'guessed', null, [key]]) {
    for (const dataDir of [shared, own.dataDir]) {
      await expect(callOperator(dataDir, '/database', { key: wrong, statements })).rejects.toThrow(
        'has no operation /database',
      );
    }
  }
  await expect(callOperator(own.dataDir, '/database', { key, statements })).rejects.toThrow(
    'has no operation /database',
  );
});

test('reports that no server is running', async () => {
  await expect(callOperator('/nowhere', '/health')).rejects.toThrow(
    'Octavo is not running on the data folder /nowhere',
  );
});

test('concurrent calls for one new address create a single user', async () => {
  const { dataDir } = platform();
  const email = `many-${randomUUID()}@example.test`;

  const answers = await Promise.all(Array.from({ length: 25 }, () => callOperator(dataDir, '/token', { email })));

  expect(new Set(answers.map(({ user }) => user)).size).toBe(1);
  expect(new Set(answers.map(({ token }) => token)).size).toBe(25);
});
