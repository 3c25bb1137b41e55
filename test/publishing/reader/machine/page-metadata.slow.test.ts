import type { SiteSpace, Space } from '@octavo/schema';
import { parseAtomFeed } from 'feedsmith';
import { expect, test } from 'vitest';
import { edit, json, makePage } from '../../../support/content.ts';
import { platform } from '../../../support/platform.ts';
import { createPublishedSite, makeSpaceWithPages } from '../../resolution/site-world.ts';
import { makeMachineSite } from './machine-site.ts';
import { getFaults } from './parsed-feed.ts';

const readPage = async (address: string) => (await platform().request(address)).text();

const findHreflangs = (html: string) =>
  [...html.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)"/g)].map(([, language, href]) => [
    language,
    href,
  ]);

async function createBilingualSite() {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const space = await makeSpaceWithPages(organization, 'English', ['Start', 'Install']);
  const site = await createPublishedSite({ organization, title: 'Docs', spaces: [space.id] });
  const copies: SiteSpace[] = [];
  for (const path of ['de', 'v1']) {
    const copy = await json<Space>(`/v1/spaces/${space.id}/duplicate`, { token, method: 'POST' });
    const siteSpace = await json<SiteSpace>(`${site.path}/site-spaces`, { token, body: { spaceId: copy.id } });
    const place = `${site.path}/site-spaces/${siteSpace.id}`;
    copies.push(await json<SiteSpace>(place, { token, method: 'PATCH', body: { path } }));
  }
  const german = `${site.path}/site-spaces/${copies[0]?.id}/customization`;
  const body = { internationalization: { locale: 'de' } };
  await json(german, { token, method: 'PATCH', body });
  return site;
}

test('a page links to its translations, but not to other versions', async () => {
  const { base } = await createBilingualSite();
  const all = [
    ['en', `${base}/install`],
    ['de', `${base}/de/install`],
    ['x-default', `${base}/install`],
  ];
  const german = await readPage(`${base}/de/install`);

  expect(findHreflangs(await readPage(`${base}/install`))).toEqual(all);
  expect(findHreflangs(german).toSorted()).toEqual(all.toSorted());
  expect(german).toContain('<html lang="de"');
  expect(findHreflangs(await readPage(`${base}/v1/install`))).toContainEqual(['de', `${base}/de/install`]);
});

test('the llms.txt files of one language link to those of the others', async () => {
  const { base } = await createBilingualSite();

  expect(await readPage(`${base}/llms.txt`)).toContain(`- [English](${base}/de/llms.txt)`);
  expect(await readPage(`${base}/llms-full.txt`)).toContain(`- [English](${base}/de/llms-full.txt)`);
  expect(await readPage(`${base}/de/llms.txt`)).toContain(`- [Install](${base}/de/install.md)`);
});

test('splits the full text into parts that link to the next part', async () => {
  const organization = await platform().makeOrganization();
  const titles = Array.from({ length: 23 }, (_, index) => `Page ${index + 1}`);
  const space = await makeSpaceWithPages(organization, 'Long', titles);
  const { base } = await createPublishedSite({ organization, spaces: [space.id] });
  const [first, second] = [await readPage(`${base}/llms-full.txt`), await readPage(`${base}/llms-full-2.txt`)];

  expect(first).toMatch(/Pages 1 to 20 of 23\. Continued at \S+\/llms-full-2\.txt\n$/);
  expect(second.match(/^# Page \d+$/gm)).toEqual(['# Page 21', '# Page 22', '# Page 23']);
  expect(second).not.toContain('Continued');
});

test('a page has its metadata for search engines and previews', async () => {
  const site = await makeMachineSite('public');
  const { token } = site.organization;
  const body = { socialPreview: { url: 'https://images.example.test/card.png' } };
  await json(`${site.path}/customization`, { token, method: 'PUT', body });
  const html = await readPage(`${site.base}otters`);
  const [, data = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
  const { '@graph': graph } = JSON.parse(data) as { '@graph': Record<string, unknown>[] };

  expect(html).toContain(`<link rel="canonical" href="${site.base}otters"`);
  for (const [name, content] of [
    ['og:title', 'Otters'],
    ['og:url', `${site.base}otters`],
    ['og:locale', 'en'],
    ['og:image', 'https://images.example.test/card.png'],
  ])
    expect(html).toContain(`<meta property="${name}" content="${content}"`);
  expect(html).toContain('<meta name="twitter:card" content="summary_large_image"');
  expect(graph[0]).toMatchObject({ '@type': 'BreadcrumbList', itemListElement: [{ position: 1 }, { position: 2 }] });
  expect(graph[1]).toMatchObject({ '@type': 'TechArticle', headline: 'Otters', url: `${site.base}otters` });
});

test('the cover of a page is the image in link previews, unless the site has one or the cover is hidden', async () => {
  const site = await makeMachineSite('public');
  const space = { id: site.space, token: site.organization.token };
  const pixel = 'R0lGODlhAQABAAAAACwAAAAAAQABAAA=';
  const files = [{ name: 'a.gif', base64: pixel, contentType: 'image/gif' }];
  const { changes } = await json<{ changes: { file: string }[] }>(`/v1/spaces/${space.id}/content`, {
    token: space.token,
    body: { changes: [{ operation: 'insert_files', files }] },
  });
  const cover = { ref: { kind: 'file', file: changes[0]?.file } };
  await makePage(space, 'Covered', 'words', { cover });
  await makePage(space, 'Hidden', 'words', { cover, layout: { cover: false } });
  const findImage = async (path: string) =>
    /<meta property="og:image" content="([^"]*)"/.exec(await readPage(`${site.base}${path}`))?.[1];
  const address = (await findImage('covered')) ?? '';

  expect(new URL(address).protocol).toMatch(/^https?:$/);
  expect((await fetch(address.replaceAll('&amp;', '&'))).headers.get('content-type')).toBe('image/gif');
  expect([await findImage('hidden'), await findImage('otters')]).toEqual([undefined, undefined]);
  const url = 'https://images.example.test/card.png';
  await json(`${site.path}/customization`, { token: space.token, method: 'PUT', body: { socialPreview: { url } } });
  expect(await findImage('covered')).toBe(url);
});

test('pages with `noRobotsIndex` or `noIndex` have robots tags and are not in the sitemap', async () => {
  const site = await makeMachineSite('public');
  const space = { id: site.space, token: site.organization.token };
  await makePage(space, 'Draft', 'words', { noRobotsIndex: true });
  await makePage(space, 'Unfound', 'words', { noIndex: true });
  const sitemap = await readPage(`${site.base}sitemap-pages-1.xml`);

  for (const path of ['draft', 'unfound']) {
    const response = await site.get(path);
    expect([path, response.headers.get('x-robots-tag')]).toEqual([path, 'noindex']);
    expect(await response.text()).toContain('<meta name="robots" content="noindex"');
    expect(sitemap).not.toContain(path);
  }
});

test('omits the frontmatter from the text of a page', async () => {
  const site = await makeMachineSite('public');
  const space = { id: site.space, token: site.organization.token };
  const markdown =
    '---\ndescription: What they eat\nvariables:\n  secret: hush\n---\n\nFish, {{ page.vars.secret }}.\n';
  await makePage(space, 'Food', markdown);
  const text = await readPage(`${site.base}food.md`);

  expect(text).toMatch(/^# Food\n\nFish, /);
  expect(text).not.toContain('variables');
});

test('a page of updates has a feed in which each update has its own anchor', async () => {
  const site = await makeMachineSite('public');
  const space = { id: site.space, token: site.organization.token };
  const update = (date: string, text: string) => `{% update date="${date}" %}\n${text}\n{% endupdate %}`;
  const updates = [update('2026-03-02', '## Faster\n\nSee [otters](otters.md).'), update('2026-02-01', 'First.')];
  const document = { markdown: `{% updates %}\n${updates.join('\n\n')}\n{% endupdates %}\n` };
  await edit(space, [{ operation: 'insert_page', title: 'News', document }]);
  const html = await readPage(`${site.base}news`);
  const xml = await readPage(`${site.base}news.atom`);
  const { entries = [] } = parseAtomFeed(xml);

  expect(getFaults(xml)).toEqual([]);
  expect(html).toContain('title="Field guide" href="./news.atom"');
  expect(entries.map(({ id, title, updated }) => [id, title?.value, updated])).toEqual([
    [`${site.base}news#update-2026-03-02`, 'Faster', '2026-03-02T00:00:00.000Z'],
    [`${site.base}news#update-2026-02-01`, '2026-02-01', '2026-02-01T00:00:00.000Z'],
  ]);
  expect(entries[0]?.content?.value).toContain(`<a href="${site.base}otters">otters</a>`);
  for (const { id } of entries) expect(html).toContain(`id="${id?.split('#')[1]}"`);
  expect((await site.get('otters.atom')).status).toBe(404);
});

test('page actions are in a menu, and pass only public URLs to other services', async () => {
  const items = ['markdown', 'external-ai', 'mcp'];
  const pages = new Map<string, string>();
  for (const audience of ['public', 'share-link'] as const) {
    const site = await makeMachineSite(audience);
    const { token } = site.organization;
    await json(`${site.path}/customization`, { token, method: 'PUT', body: { pageActions: { items } } });
    pages.set(audience, await readPage(`${site.base}otters`));
  }

  for (const html of pages.values()) {
    expect(html).toContain('<copy-text data-from="./otters.md"');
    expect(html).toMatch(/<copy-text data-text="[^"]+\/~\/mcp"/);
  }
  expect(pages.get('public')).toMatch(/href="https:\/\/claude\.ai\/new\?q=[^"]+otters\.md/);
  expect(pages.get('share-link')).not.toContain('claude.ai');
});
