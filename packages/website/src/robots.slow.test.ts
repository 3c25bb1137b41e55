import { expect, test } from 'vitest';
import { readRobots } from './robots.ts';

const url = 'https://a.example/robots.txt';
const read = (text: string) => readRobots(text, url, 'Octavo/1.0');

test('applies the longest matching rule of the group for this crawler, and of the * group if this crawler has no group', () => {
  const robots = read(
    'User-agent: *\nDisallow: /\n\nUser-agent: octavo\nDisallow: /private\nAllow: /private/open\nDisallow: /*.pdf$\nCrawl-delay: 2\n',
  );
  expect(robots.allows('https://a.example/')).toBe(true);
  expect(robots.allows('https://a.example/private/x')).toBe(false);
  expect(robots.allows('https://a.example/private/open')).toBe(true);
  expect(robots.allows('https://a.example/a.pdf')).toBe(false);
  expect(robots.allows('https://a.example/a.pdf?x')).toBe(true);
  expect(robots.allows('https://b.example/private')).toBe(true);
  expect(robots.crawlDelaySeconds).toBe(2);
  expect(read('User-agent: *\nDisallow: /x').allows('https://a.example/x')).toBe(false);
});

test('an empty file allows everything, and an invalid delay is ignored', () => {
  expect(read('')).toEqual({ allows: expect.any(Function), sitemaps: [] });
  expect(read('').allows('https://a.example/x')).toBe(true);
  expect(read('User-agent: *\nCrawl-delay: -1')).not.toHaveProperty('crawlDelaySeconds');
  expect(read('User-agent: *\nCrawl-delay: soon')).not.toHaveProperty('crawlDelaySeconds');
});

test('returns only sitemaps with an absolute web URL', () => {
  const { sitemaps } = read(
    '\ufeffSitemap: /map.xml\nSitemap: https://b.example/m.xml\nSitemap: file:///etc/passwd\nSitemap:\n',
  );
  expect(sitemaps).toEqual(['https://a.example/map.xml', 'https://b.example/m.xml']);
});

test('treats rules with very many wildcards as stricter rules', () => {
  const robots = read(`User-agent: *\nDisallow: /early*x\n${'Disallow: /a*a*a*a*a*b\nAllow: /z*\n'.repeat(20_000)}`);
  const address = `https://a.example/${'z'.repeat(4000)}`;
  for (let count = 0; count < 20; count += 1) expect(robots.allows(address)).toBe(true);
  expect(robots.allows('https://a.example/early-x')).toBe(false);
  expect(robots.allows('https://a.example/early')).toBe(true);
  expect(robots.allows('https://a.example/a')).toBe(false);
});
