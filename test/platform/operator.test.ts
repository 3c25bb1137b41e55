import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { callOperator } from '@octavo/platform';
import { expect, onTestFinished, test } from 'vitest';
import { startOwnPlatform } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';
import { readSessionCookie } from '../support/session-cookies.ts';

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
  const result = await callOperator(platform().dataDir, '/cron', { worker: 'content', cron: '* * * * *' });

  expect(result).toEqual({ outcome: 'ok' });
});

test('runs statements only with the key of test servers', async () => {
  const [shared, statements] = [platform().dataDir, [{ sql: 'SELECT 1 AS one' }]];
  const key = process.env.OCTAVO_TEST_KEY;
  const own = await startOwnPlatform({ testKey: '' });
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

test('a link for a user signs in once', async () => {
  const { dataDir, request, url: own } = platform();
  const email = `link-${randomUUID()}@example.test`;
  const { user } = await callOperator(dataDir, '/token', { email });

  const { url, expiresAt } = await callOperator(dataDir, '/login-link', { email });
  expect(url).toMatch(new RegExp(`^${own}/sign-in/\\w{40}$`));
  expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(59 * 60_000);
  const { token } = readSessionCookie(await request(new URL(url).pathname, { method: 'POST' }));
  expect(await (await request('/v1/user', { token })).json()).toMatchObject({ id: user });
  expect((await request(new URL(url).pathname, { method: 'POST' })).status).toBe(404);
});

test('a link is only created for an existing person', async () => {
  const { dataDir } = platform();

  await expect(callOperator(dataDir, '/login-link', {})).rejects.toThrow('"email" is required.');
  await expect(callOperator(dataDir, '/login-link', { email: `no-${randomUUID()}@example.test` })).rejects.toThrow(
    'User not found',
  );
});

test('concurrent calls for one new address create a single user', async () => {
  const { dataDir } = platform();
  const email = `many-${randomUUID()}@example.test`;

  const accounts = await Promise.all(Array.from({ length: 25 }, () => callOperator(dataDir, '/token', { email })));

  expect(new Set(accounts.map(({ user }) => user)).size).toBe(1);
  expect(new Set(accounts.map(({ token }) => token)).size).toBe(25);
});
