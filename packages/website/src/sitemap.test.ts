import { expect, test } from 'vitest';
import { readSitemap, SitemapError } from './sitemap.ts';

const createUrlset = (inside: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inside}</urlset>`;

test('returns each page of a sitemap once, without images and alternates', () => {
  const text = createUrlset(`
    <url><loc> https://a.example/x?a=1&amp;b=2 </loc><lastmod>2024-01-01</lastmod>
      <image:image><image:loc>https://a.example/i.png</image:loc></image:image>
      <xhtml:link rel="alternate" href="https://a.example/de"/></url>
    <url><loc><![CDATA[https://a.example/y]]></loc></url>
    <url><loc>https://a.example/y</loc></url>
    <url><loc>javascript:alert(1)</loc></url><url><loc>/relative</loc></url>`);
  expect(readSitemap(text)).toEqual({ pages: ['https://a.example/x?a=1&b=2', 'https://a.example/y'], sitemaps: [] });
});

test('returns the sitemaps of an index, also with XML prefixes', () => {
  const text =
    '\ufeff<s:sitemapindex xmlns:s="x"><s:sitemap><s:loc>https://a.example/1.xml</s:loc></s:sitemap></s:sitemapindex>';
  expect(readSitemap(text)).toEqual({ pages: [], sitemaps: ['https://a.example/1.xml'] });
});

test('reads a plain list of URLs', () => {
  expect(readSitemap('https://a.example/x\r\n\r\nhttps://a.example/y\nnot one\n')).toEqual({
    pages: ['https://a.example/x', 'https://a.example/y'],
    sitemaps: [],
  });
});

test.each([
  ['<html><body>Not found</body></html>', 'neither a urlset nor a sitemapindex'],
  ['<urlset><url></urlset>', 'could not be read'],
  ['<urlset><url><loc>https://a.example/x</loc></url>', 'could not be read'],
  [createUrlset('<url><loc>&nbsp;</loc></url>'), 'could not be read'],
])('rejects %s', (text, message) => {
  expect(() => readSitemap(text)).toThrow(SitemapError);
  expect(() => readSitemap(text)).toThrow(message);
});

test('rejects entities before using them', () => {
  const lines = Array.from({ length: 9 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('');
  const bomb = `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY e0 "lol">${lines}]><urlset><url><loc>&e9;</loc></url></urlset>`;
  expect(() => readSitemap(bomb)).toThrow('The sitemap has a document type, which is not allowed.');
  const outside = '<!DOCTYPE urlset SYSTEM "file:///etc/passwd"><urlset/>';
  expect(() => readSitemap(outside)).toThrow('document type');
});

test('returns at most 50,000 pages, in XML and in text', () => {
  const address = (n: number): string => `https://a.example/${n}`;
  const addresses = Array.from({ length: 50_010 }, (_, n) => address(n));
  const xml = createUrlset(addresses.map((each) => `<url><loc>${each}</loc></url>`).join(''));
  expect(readSitemap(xml).pages).toHaveLength(50_000);
  expect(readSitemap(addresses.join('\n')).pages).toHaveLength(50_000);
});
