import { expect, test } from 'vitest';
import type { KeyParts } from './site-cache.ts';
import { toCacheKey } from './site-cache.ts';

const parts: KeyParts = {
  ...{ build: 'one', contentBuild: 'one', publicUrl: 'https://octavo.example', sitesUrl: '', site: 'site_1' },
  ...{ organizationShown: 1, stamp: 'first', shareLink: '', claims: {}, origin: 'https://octavo.example' },
  ...{ depth: 3, path: '/-/acme/docs/start', query: '', form: 'html' },
};

/** Another value for each part of the key. */
const others: { [Part in keyof KeyParts]: KeyParts[Part] } = {
  ...{
    build: 'two',
    contentBuild: 'two',
    publicUrl: 'https://other.example',
    sitesUrl: 'https://{organization}.example',
    site: 'site_2',
  },
  ...{ organizationShown: 2, stamp: 'second', shareLink: 'sl_1', claims: { plan: 'pro' } },
  ...{ origin: 'http://octavo.example', depth: 1, path: '/-/acme/docs/end', query: '?a=1' },
  form: 'markdown',
};

test.each(Object.keys(others) as (keyof KeyParts)[])('the cache key differs for another %s', (part) => {
  expect(toCacheKey({ ...parts, [part]: others[part] })).not.toBe(toCacheKey(parts));
});

test('the cache key is the same for the same parts in any order', () => {
  const turned = Object.fromEntries(Object.entries(parts).reverse()) as unknown as KeyParts;

  expect(toCacheKey(turned)).toBe(toCacheKey(parts));
});
