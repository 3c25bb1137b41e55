import { expiryFrom, signingKey } from '@octavo/runtime';
import { expect, test } from 'vitest';
import { addressOf, isSignedFile as isSigned } from './file-address.ts';

const key = await signingKey({ OCTAVO_SECRET: 'a secret of some length' });
const file = { blob: 'org_1/abc', name: 'a.png', contentType: 'image/png', expires: 1000 };
const signatureOf = async (over: object = {}) =>
  new URL(await addressOf(key, { ...file, ...over }), 'http://a.test').searchParams.get('signature') ?? '';

test('19: a signature is of all that it was made for, and of nothing else', async () => {
  const signature = await signatureOf();
  const others = [{ blob: 'org_1/abd' }, { name: 'b.png' }, { contentType: 'text/html' }, { expires: 1001 }];

  expect(await isSigned(key, file, signature)).toBe(true);
  for (const other of others)
    expect([other, await isSigned(key, { ...file, ...other }, signature)]).toEqual([other, false]);
  for (const wrong of ['', 'a', `${signature}a`, signature.slice(1), 'a'.repeat(43), '日'.repeat(43)])
    expect([wrong, await isSigned(key, file, wrong)]).toEqual([wrong, false]);
  const another = await signingKey({ OCTAVO_SECRET: 'another secret of some length' });
  expect(await isSigned(another, file, signature)).toBe(false);
});

test('what two parts hold cannot be moved from one to the other', async () => {
  expect(await signatureOf({ blob: 'org_1/ab', name: 'ca.png' })).not.toBe(await signatureOf());
  expect(await signatureOf({ name: 'a","b' })).not.toBe(await signatureOf({ name: 'a', contentType: 'b' }));
});

test.each([undefined, '', 'short'])('nothing is signed or checked with the secret %j', async (secret) => {
  await expect(signingKey({ OCTAVO_SECRET: secret as string })).rejects.toThrow('OCTAVO_SECRET');
});

test('an address lives for an hour at least, and five minutes more at most', () => {
  const start = 1_800_000_000_000;
  for (let now = start; now < start + 900_000; now += 7_777) {
    const left = expiryFrom(now) - now / 1000;
    expect(left).toBeGreaterThanOrEqual(3600);
    expect(left).toBeLessThanOrEqual(3901);
  }
  expect(expiryFrom(start + 1000)).toBe(expiryFrom(start + 299_000));
});
