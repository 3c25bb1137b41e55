import { expect, test } from 'vitest';
import { buildContentPolicy, type PolicySource } from './content-policy.ts';
import { toWebOrigin } from './web-origin.ts';

test('lists the directives with their sources', () => {
  const origin = toWebOrigin('https://fonts.example:8443/a;b,c.woff2');

  expect(
    buildContentPolicy({
      'default-src': ["'none'"],
      'script-src': origin ? [`${origin}/~/assets/`] : [],
      'font-src': ["'self'", ...(origin ? [origin] : [])],
      sandbox: [],
    }),
  ).toBe(
    "default-src 'none'; script-src https://fonts.example:8443/~/assets/; font-src 'self' https://fonts.example:8443; sandbox",
  );
});

test.each([
  'https://a.example;script-src-elem',
  'https://a.example,b',
  'https://a.example/path',
  'https://a.example/~/assets',
  'https://*.example',
  'a.example',
  "'unsafe-eval'",
  "'sha256-x' 'unsafe-inline'",
  '*',
  'https://a.example https://b.example',
  'https://a\n',
  '',
])('refuses the source %j', (source) => {
  expect(() => buildContentPolicy({ 'font-src': [source as PolicySource] })).toThrow('is invalid in a content');
});
