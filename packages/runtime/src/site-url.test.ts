import { describe, expect, test } from 'vitest';
import {
  getLocationUrl,
  getOrganizationSiteUrl,
  getSiteUrl,
  isOwnHost,
  isSiteHost,
  parseSiteUrl,
  toCanonicalSiteUrl,
} from './site-url.ts';

const site = { organization: 'org_1', organizationHostname: 'acme', basename: 'docs', hostname: null, proxy: null };
const forms = {
  'a folder of the public address': { OCTAVO_PUBLIC_URL: 'https://octavo.example' },
  'a host for each organization': {
    OCTAVO_PUBLIC_URL: 'https://octavo.example',
    OCTAVO_SITES_URL: 'https://{organization}.docs.example',
  },
  'a host and a folder': {
    OCTAVO_PUBLIC_URL: 'https://octavo.example',
    OCTAVO_SITES_URL: 'https://docs.example:8443/of-{organization}/sites',
  },
};

describe.each(Object.entries(forms))('%s', (_, env) => {
  test('resolves to the site with that address', () => {
    const address = getOrganizationSiteUrl(env, site);
    const read = parseSiteUrl(env, `${address}/a/b%2Fc?x#y`);
    const own = read?.candidates.find(({ by }) => by === 'organization');

    expect(own).toMatchObject({ organization: 'acme', basename: 'docs' });
    expect(read?.segments.slice(own?.depth)).toEqual(['a', 'b/c']);
  });

  test('resolves to no site if the address is something else', () => {
    const addresses = [
      'https://else.example/acme/docs',
      'https://.docs.example/docs',
      'https://octavo.example/v1/acme',
    ];

    for (const address of addresses)
      expect(parseSiteUrl(env, address)?.candidates.filter(({ by }) => by === 'organization')).toEqual([]);
  });
});

test.each([
  ['a folder of the public address', ['octavo.example'], ['docs.example', 'www.octavo.example']],
  ['a host for each organization', ['octavo.example', 'acme.docs.example', 'org_1.docs.example'], ['docs.example']],
  ['a host and a folder', ['octavo.example', 'docs.example'], ['acme.docs.example']],
] as const)('%s: recognizes the hostnames of the server, but no others', (form, own, foreign) => {
  expect(own.filter((host) => !isOwnHost(forms[form], host))).toEqual([]);
  expect(foreign.filter((host) => isOwnHost(forms[form], host))).toEqual([]);
});

test('uses the ID of an organization that has no hostname', () => {
  const env = forms['a folder of the public address'];

  expect(getOrganizationSiteUrl(env, { ...site, organizationHostname: null })).toBe(
    'https://octavo.example/-/org_1/docs',
  );
});

test("a site's own hostname takes precedence over its proxy", () => {
  const env = forms['a folder of the public address'];
  const [hostname, proxy] = ['docs.acme.example', 'acme.example/help'];

  expect(getSiteUrl(env, { ...site, hostname, proxy })).toBe('https://docs.acme.example');
  expect(getSiteUrl(env, { ...site, proxy })).toBe('https://acme.example/help');
  const candidates = parseSiteUrl(env, 'https://acme.example/help/a')?.candidates;
  expect(candidates).toContainEqual({ by: 'proxy', proxy: 'acme.example/help', depth: 1 });
  expect(candidates).toContainEqual({ by: 'hostname', hostname: 'acme.example', depth: 0 });
});

test.each(['', 'docs', 'ftp://x.example/a', 'https://x.example/%E0%A4%A'])('%j is not a site address', (address) => {
  expect(parseSiteUrl(forms['a folder of the public address'], address)).toBeUndefined();
});

test('a default section or site space adds no segment to the path', () => {
  const [section, siteSpace] = [
    { path: 'guides', isDefault: false },
    { path: 'en', isDefault: true },
  ];

  expect(getLocationUrl('https://x', { section, siteSpace, page: 'a b/c' })).toBe('https://x/guides/a%20b/c');
  expect(getLocationUrl('https://x', { siteSpace })).toBe('https://x/');
  expect(getLocationUrl('https://x', { shareKey: 'k' })).toBe('https://x/k');
});

test.each([
  [
    'a folder of the public address',
    ['docs.acme.example', 'a.b.c.d.'],
    ['octavo.example', 'localhost', '127.0.0.1', '[::1]'],
  ],
  [
    'a host for each organization',
    ['acme.docs.example', 'docs.acme.example'],
    ['octavo.example', 'octavo', 'x.y.localhost'],
  ],
  ['a host and a folder', ['docs.example', 'docs.acme.example'], ['octavo.example', '10.0.0.1']],
] as const)('with %s, distinguishes the hostnames of sites from those of the server', (form, ofSites, ofServer) => {
  expect(ofSites.filter((host) => !isSiteHost(forms[form], host))).toEqual([]);
  expect(ofServer.filter((host) => isSiteHost(forms[form], host))).toEqual([]);
});

test('a server without a hostname responds at any hostname', () => {
  const env = { OCTAVO_PUBLIC_URL: 'http://127.0.0.1:8787', OCTAVO_SITES_URL: 'https://{organization}.docs.example' };

  expect(['octavo.acme.example', 'acme.docs.example'].map((host) => isSiteHost(env, host))).toEqual([false, true]);
});

test.each([
  ['http://127.0.0.1:8787/-/acme/docs/a?b', 'https://octavo.example/-/acme/docs/a?b'],
  ['http://docs.acme.example/a%2Fb?c', 'https://docs.acme.example/a%2Fb?c'],
  ['http://docs.acme.example//evil.example/x', 'https://docs.acme.example//evil.example/x'],
  ['http://octavo.example//evil.example/x', 'https://octavo.example//evil.example/x'],
])('converts %s to the canonical URL %s', (asked, known) => {
  expect(toCanonicalSiteUrl(forms['a folder of the public address'], new URL(asked)).href).toBe(known);
});
