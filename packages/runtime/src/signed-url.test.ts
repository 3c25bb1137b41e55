import { describe, expect, test, vi } from 'vitest';
import { getExpiry, importSigningKey, readSignedUrl, signUrl } from './signed-object.ts';

const key = await importSigningKey({ OCTAVO_SECRET: 'a secret of some length' });
const kind = { objectName: 'file', renew: 'read it' };
const query = { type: 'image/png', expires: '2000000000' };
const address = await signUrl(key, '/files/a/b%20(c).png', query);
const read = (text: string, by = key) => readSignedUrl(new Request(new URL(text, 'http://a.test')), by, kind);

test('accepts a signed URL', async () => {
  expect(Object.fromEntries(await read(address))).toMatchObject(query);
});

/**
 * The last of the 43 base64url characters encodes four bits but has room for six, so several characters decode to the
 * same bytes.
 */
const replaceLastCharacter = (text: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return `${text.slice(0, -1)}${alphabet[alphabet.indexOf(text.slice(-1)) + 1]}`;
};

describe('rejects a changed URL', () => {
  test.each([
    ['another path', address.replace('/a/', '/aa/')],
    ['a letter as its code', address.replace('/files/a', '/files/%61')],
    ['a code in small letters', address.replace('image%2Fpng', 'image%2fpng')],
    ['another type', address.replace('png&', 'gif&')],
    ['a later end', address.replace('2000000000', '2000000001')],
    ['digits behind a plus sign', address.replace('2000000000', '%2B2000000000')],
    ['digits behind a zero', address.replace('2000000000', '02000000000')],
    ['digits with a fraction', address.replace('2000000000', '2000000000.0')],
    ['digits as a power', address.replace('2000000000', '2e9')],
    ['a parameter twice', `${address.replace('&expires', '&expires=2000000000&expires')}`],
    ['a parameter after the signature', `${address}&expires=9`],
    ['one more parameter', address.replace('?', '?a=b&')],
    ['another order', address.replace(/type=(\S+)&(expires=\d+)/, '$2&type=$1')],
    ['an empty parameter', address.replace('&expires', '&&expires')],
    ['the signature twice', `${address}${address.slice(address.indexOf('&signature='))}`],
    ['a signature that is decoded to the same', replaceLastCharacter(address)],
    ['a signature with its padding', `${address}=`],
    ['half a signature', address.slice(0, -1)],
    ['a signature of other characters', `${address.slice(0, -43)}${'%E6'.repeat(43)}`],
    ['no signature', address.slice(0, address.indexOf('&signature='))],
    ['no query', '/files/a/b%20(c).png'],
  ])('%s', async (_, text) => {
    expect(text).not.toBe(address);
    await expect(read(text)).rejects.toThrow('File not found');
  });
});

test('a different secret creates different URLs', async () => {
  await expect(
    read(address, await importSigningKey({ OCTAVO_SECRET: 'another secret of some length' })),
  ).rejects.toThrow('File not found');
});

test('reports an expired URL', async () => {
  vi.useFakeTimers({ now: 2_000_000_000_000 });
  await expect(read(address).finally(() => vi.useRealTimers())).rejects.toThrow('has expired: read it for a new one');
});

test.each([undefined, '', 'short'])('rejects the secret %j', async (secret) => {
  await expect(importSigningKey({ OCTAVO_SECRET: secret as string })).rejects.toThrow('OCTAVO_SECRET');
});

test('a URL is valid for at least an hour, and at most five minutes more', () => {
  const start = 1_800_000_000_000;
  for (let now = start; now < start + 900_000; now += 7_777) {
    const left = getExpiry(now) - now / 1000;
    expect(left).toBeGreaterThanOrEqual(3600);
    expect(left).toBeLessThanOrEqual(3901);
  }
  expect(getExpiry(start + 1000)).toBe(getExpiry(start + 299_000));
});
