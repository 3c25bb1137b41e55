import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getAuth } from './read-auth.ts';

test('returns the key once, to one of many concurrent requests, and does not store it in plain text', async () => {
  const { id, ask } = await getAuth();

  const settings = await Promise.all(Array.from({ length: 25 }, () => ask()));
  const keys = settings.map(({ privateKey }) => privateKey).filter((key) => key !== '');

  expect(keys).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  expect((await ask()).privateKey).toBe('');
  const [key = ''] = keys;
  for (const table of ['sites', 'outbox'])
    expect(JSON.stringify(query(`SELECT * FROM ${table}`)), table).not.toContain(key);
  expect(
    query(
      'SELECT COUNT(*) AS count FROM outbox WHERE type = ? AND data = ?',
      'site.auth_key_shown',
      JSON.stringify({ site: id }),
    ),
  ).toEqual([{ count: 1 }]);
});

test('hides the key from users who cannot change the site', async () => {
  const { organization, call } = await getAuth();
  const member = await platform().makeUser({ organization: organization.id, role: 'read' });
  const stranger = await platform().makeUser();

  expect((await call('/publishing/auth', { token: member.token })).status).toBe(403);
  expect((await call('/publishing/auth', { token: stranger.token })).status).toBe(404);
});
