import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { getAuth } from './read-auth.ts';

test('creates another key each time, and revokes visitor tokens', async () => {
  const { id, ask, regenerate } = await getAuth();
  const first = (await ask()).privateKey;
  const readStamp = () => query<{ stamp: string }>('SELECT stamp FROM sites WHERE id = ?', id)[0]?.stamp;
  const before = readStamp();

  const [second, third] = [await regenerate(), await regenerate()];

  expect([second.status, third.status]).toEqual([200, 200]);
  expect(new Set([first, second.privateKey, third.privateKey]).size).toBe(3);
  expect(third.privateKey).toMatch(/^[\w-]{43}$/);
  expect(readStamp()).not.toBe(before);
  expect((await ask()).privateKey).toBe('');
});
