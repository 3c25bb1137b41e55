import { expect, test } from 'vitest';
import { createAppResolver } from './resolve-reference.ts';

const resolve = createAppResolver({
  space: 'spc_a',
  contentPath: '/spaces/spc_a',
  pages: new Map(),
  files: new Map(),
});

test.each(['https://a.example/b', 'http://a.example', 'mailto:a@b.example', '/guide', 'guide.md'])(
  'links to the address %s of a reference that has no other target',
  (href) => {
    expect(resolve({ kind: 'page', page: 'pg_missing', href })?.to).toBe(href);
  },
);

test.each(['javascript:alert(1)', ' JavaScript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,a', 'vbscript:a'])(
  'does not link to the address %j',
  (address) => {
    expect(resolve({ kind: 'page', page: 'pg_missing', href: address })).toBeUndefined();
    expect(resolve({ kind: 'url', url: address })).toBeUndefined();
  },
);
