import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { HashCache, hashBearerToken, hashText } from './secrets.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('returns the SHA-256 of the text in UTF-8', async () => {
  expect(await hashText('Grüße 🙂')).toBe(sha256('Grüße 🙂'));
});

test('returns the same hash for cached and uncached texts', async () => {
  const hashes = new HashCache(2, 3);

  for (const text of ['a', 'b', 'a', 'c', 'a', 'abcd', 'abcd']) expect(await hashes.getHash(text)).toBe(sha256(text));
});

test('caches a limited number of texts, and no text longer than the maximum', async () => {
  const hashes = new HashCache(2, 3);

  for (const text of ['a', 'b', 'c', 'd']) await hashes.getHash(text);
  expect(hashes.size).toBe(2);
  const others = new HashCache(2, 3);
  await others.getHash('abcd');
  expect(others.size).toBe(0);
});

test('does not hash a text again that is used between many others', async () => {
  const hashes = new HashCache(2, 9);
  const digest = vi.spyOn(crypto.subtle, 'digest');
  for (let number = 0; number < 10; number += 1) for (const text of ['used', `${number}`]) await hashes.getHash(text);

  expect(digest).toHaveBeenCalledTimes(11);
});

test.each([
  ['Bearer octavo_abc-1', sha256('octavo_abc-1')],
  ['bearer octavo_abc-1', sha256('octavo_abc-1')],
  ['Bearer  octavo', undefined],
  ['Bearer a b', undefined],
  ['Basic YQ==', undefined],
  ['', undefined],
  [null, undefined],
  [`Bearer ${'x'.repeat(257)}`, undefined],
])('hashes the token in the header: %s', async (header, hash) => {
  expect(await hashBearerToken(header)).toBe(hash);
});
