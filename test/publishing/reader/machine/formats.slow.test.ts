import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseAtomFeed } from 'feedsmith';
import { ErrorLevel, XMLToSitemapIndexStream, XMLToSitemapItemStream } from 'sitemap';
import { beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../../support/content.ts';
import { platform } from '../../../support/platform.ts';
import { audiences } from '../../audiences/open-site.ts';
import { type MachineSite, makeMachineSite } from './machine-site.ts';
import { getFaults } from './parsed-feed.ts';

const asMarkdown = { accept: 'text/markdown, text/html;q=0.8' };
const asHtml = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const herons = '# Herons\n\nA heron stands in the **reeds**.\n';
const files = [
  'otters.md',
  'llms.txt',
  'llms-full.txt',
  'robots.txt',
  'sitemap.xml',
  'sitemap-pages-1.xml',
  'feed.xml',
];

/** Returns the URLs in a sitemap. Throws if it violates the sitemap protocol. */
async function readUrls(response: Response, parser: Transform): Promise<string[]> {
  const items: { url: string }[] = await pipeline(Readable.from([await response.text()]), parser, (stream) =>
    Array.fromAsync(stream),
  );
  return items.map(({ url }) => url);
}

describe.each(audiences)('a site that is %s', (audience) => {
  let site: MachineSite;
  beforeAll(async () => {
    site = await makeMachineSite(audience);
  });
  const getText = async (path: string) => (await site.get(path)).text();

  test('serves its pages as markdown, and the first page also as index.md and README.md', async () => {
    const response = await site.get('otters.md');

    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(response.headers.get('x-robots-tag')).toBe('noindex');
    expect(response.headers.get('link')).toBe(`<${site.base}otters>; rel="canonical"`);
    expect(await response.text()).toBe('# Otters\n\nAn otter swims.\n\n## Diet\n\nFish.\n');
    for (const path of ['index.md', 'README.md', 'herons.md']) expect(await getText(path)).toBe(herons);
    expect((await site.get('nowhere.md')).status).toBe(404);
  });

  test('negotiates the format of a page without mixing up cached responses', async () => {
    const seen = new Map<string, string>();
    for (const headers of [asHtml, asMarkdown, asHtml, asMarkdown, {}]) {
      const response = await site.get('', { headers });
      const isMarkdown = headers === asMarkdown;
      expect(response.headers.get('content-type')).toMatch(isMarkdown ? /^text\/markdown/ : /^text\/html/);
      expect(response.headers.get('vary')).toMatch(/\baccept\b(?!-)/);
      expect((await response.text()).startsWith(isMarkdown ? '# Herons' : '<!doctype')).toBe(true);
      seen.set(isMarkdown ? 'markdown' : 'html', response.headers.get('etag') ?? '');
    }
    const createConditionalHeaders = (headers: Record<string, string>, tag: string) =>
      site.get('', { headers: { ...headers, 'if-none-match': seen.get(tag) ?? '' } });

    expect((await createConditionalHeaders(asMarkdown, 'markdown')).status).toBe(304);
    expect((await createConditionalHeaders(asMarkdown, 'markdown')).headers.get('vary')).toContain('accept,');
    expect((await createConditionalHeaders(asMarkdown, 'html')).status).toBe(200);
    expect((await createConditionalHeaders(asHtml, 'markdown')).status).toBe(200);
  });

  test('lists its pages in llms.txt, and returns all of them as one text', async () => {
    const list = await getText('llms.txt');

    expect(list).toContain(`# Field guide\n\n> Full text of all pages: ${site.base}llms-full.txt`);
    expect(list).toContain(`- [Herons](${site.base}index.md)\n- [Otters](${site.base}otters.md)`);
    expect(await getText('llms-full.txt')).toContain(`${herons}\nSource: ${site.base}\n\n---\n\n# Otters\n`);
    expect((await site.get('llms-full-2.txt')).status).toBe(404);
  });

  test('tells search engines which pages to index, in robots.txt, headers and the sitemap', async () => {
    const robots = await getText('robots.txt');
    const index = await site.get('sitemap.xml');
    const part = await site.get('sitemap-pages-1.xml');
    const page = await site.get('otters');
    const path = new URL(site.base).pathname;
    if (audience !== 'public') {
      expect(robots).toBe(`User-agent: *\nDisallow: ${path}\n`);
      expect([index.status, part.status]).toEqual([404, 404]);
      expect(page.headers.get('x-robots-tag')).toBe('noindex');
      expect(await page.text()).toContain('<meta name="robots" content="noindex"');
      return;
    }
    const strict = { level: ErrorLevel.THROW };
    const parts = await readUrls(index, new XMLToSitemapIndexStream(strict));
    const pages = await readUrls(part, new XMLToSitemapItemStream(strict));
    expect(robots).toContain(`Sitemap: ${site.base}sitemap.xml`);
    expect(parts).toEqual([`${site.base}sitemap-pages-1.xml`]);
    expect(pages).toEqual([site.base, `${site.base}otters`]);
    expect(page.headers.get('x-robots-tag')).toBeNull();
    expect(await page.text()).not.toContain('<meta name="robots"');
  });

  test('has a feed of the latest changes', async () => {
    const response = await site.get('feed.xml');
    const xml = await response.text();

    expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    expect(getFaults(xml)).toEqual([]);
    expect(
      parseAtomFeed(xml)
        .entries?.map(({ id }) => id)
        .toSorted(),
    ).toEqual([site.base, `${site.base}otters`]);
  });

  test('links each page to its other formats', async () => {
    const page = await getText('otters');

    expect(page).toContain('<link rel="alternate" type="text/markdown" href="./otters.md"');
    expect(page).toContain('<link rel="alternate" type="application/atom+xml" title="Field guide" href="./feed.xml"');
    expect(await getText('')).toContain('<link rel="alternate" type="text/markdown" href="./index.md"');
  });

  test('serves none of the other formats to visitors without access', async () => {
    const shut = audience === 'share-link' ? site.base.replace(/[^/]+\/$/, '') : site.base;
    const isOpen = audience === 'public' || audience === 'unlisted';
    const get = (path: string) => platform().request(`${shut}${path}`, { headers: asMarkdown });
    const isIndexFile = (path: string) => path.startsWith('sitemap') && audience !== 'public';

    for (const path of ['', ...files])
      expect([path, (await get(path)).status]).toEqual([path, isOpen && !isIndexFile(path) ? 200 : 404]);
  });

  test('hides content from agents if the site excludes them', async () => {
    const apart = await makeMachineSite(audience);
    await json(apart.path, { token: apart.organization.token, method: 'PATCH', body: { agentsContext: 'excluded' } });
    const statuses = await Promise.all(
      ['otters.md', 'llms.txt', 'llms-full.txt', 'feed.xml'].map(async (path) => (await apart.get(path)).status),
    );
    const page = await apart.get('otters', { headers: asMarkdown });

    expect(statuses).toEqual([404, 404, 404, 200]);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await page.text()).not.toContain('text/markdown');
  });
});
