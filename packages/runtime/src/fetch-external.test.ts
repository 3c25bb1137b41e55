import { afterEach, expect, test, vi } from 'vitest';
import { fetchExternal, findAddressFault } from './fetch-external.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://0/',
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[4000::1]/',
  'http://[fe80::1]/',
  'http://[fd00::1]/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://localhost/',
  'http://localhost./',
  'http://metadata../',
  'http://metadata/',
  'http://metadata.google.internal/',
  'http://printer.local/',
  'http://127。0。0。1/',
  'http://user:secret@example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'a text that is not a URL',
])('does not fetch %s for a user', (address) => {
  expect(findAddressFault(address)).toBeDefined();
});

test.each(['https://example.com/docs', 'http://93.184.216.34:8080/', 'https://[2606:2800:220:1::1]/'])(
  'allows fetching %s',
  (address) => {
    expect(findAddressFault(address)).toBeUndefined();
  },
);

test.each(['http://169.254.169.254/latest/meta-data/', 'http://127.0.0.1:8787/', '//[::1]/', 'file:///etc/passwd'])(
  'does not follow a redirect to %s, also after another redirect',
  async (location) => {
    const asked: string[] = [];
    const redirects = new Map([
      ['https://example.com/docs', '/moved'],
      ['https://example.com/moved', location],
    ]);
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(url);
      return new Response('inside', {
        status: redirects.has(url) ? 302 : 200,
        headers: { location: redirects.get(url) ?? '' },
      });
    });
    const limits = { milliseconds: 30_000, bytes: 1000 };

    for (const first of ['https://example.com/moved', 'https://example.com/docs'])
      await expect(fetchExternal({}, first, limits)).rejects.toMatchObject({ fault: 'address' });

    expect(asked).toEqual(['https://example.com/moved', 'https://example.com/docs', 'https://example.com/moved']);
  },
);
