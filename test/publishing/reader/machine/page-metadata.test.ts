import type { SiteSpace, Space } from '@octavo/schema';
import { parseAtomFeed } from 'feedsmith';
import { expect, test } from 'vitest';
import { edit, json, makePage } from '../../../support/content.ts';
import { platform } from '../../../support/platform.ts';
import { publishedSite, spaceWith } from '../../resolution/site-world.ts';
import { machineSite } from './machine-site.ts';
import { getFaults } from './parsed-feed.ts';

const pageAt = async (address: string) => (await platform().request(address)).text();

const hreflangs = (html: string) =>
  [...html.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)"/g)].map(([, language, href]) => [
    language,
    href,
  ]);

async function twoLanguages() {
  const organization = await platform().makeOrganization();
  const { token } = organization;
  const space = await spaceWith(organization, 'English', ['Start', 'Install']);
  const site = await publishedSite({ organization, title: 'Docs', spaces: [space.id] });
  const copies: SiteSpace[] = [];
  for (const path of ['de', 'v1']) {
    const copy = await json<Space>(`/v1/spaces/${space.id}/duplicate`, { token, method: 'POST' });
    const made = await json<SiteSpace>(`${site.path}/site-spaces`, { token, body: { spaceId: copy.id } });
    const place = `${site.path}/site-spaces/${made.id}`;
    copies.push(await json<SiteSpace>(place, { token, method: 'PATCH', body: { path } }));
  }
  const german = `${site.path}/site-spaces/${copies[0]?.id}/customization`;
  const body = { internationalization: { locale: 'de' } };
  await json(german, { token, method: 'PATCH', body });
  return site;
}

test('a page links to its translations, but not to other versions', async () => {
  const { base } = await twoLanguages();
  const all = [
    ['en', `${base}/install`],
    ['de', `${base}/de/install`],
    ['x-default', `${base}/install`],
  ];
  const german = await pageAt(`${base}/de/install`);

  expect(hreflangs(await pageAt(`${base}/install`))).toEqual(all);
  expect(hreflangs(german).toSorted()).toEqual(all.toSorted());
  expect(german).toContain('<html lang="de"');
  expect(hreflangs(await pageAt(`${base}/v1/install`))).toContainEqual(['de', `${base}/de/install`]);
});

test('the llms.txt files of one language link to those of the others', async () => {
  const { base } = await twoLanguages();

  expect(await pageAt(`${base}/llms.txt`)).toContain(`- [English](${base}/de/llms.txt)`);
  expect(await pageAt(`${base}/llms-full.txt`)).toContain(`- [English](${base}/de/llms-full.txt)`);
  expect(await pageAt(`${base}/de/llms.txt`)).toContain(`- [Install](${base}/de/install.md)`);
});

test('splits the full text into parts that link to the next part', async () => {
  const organization = await platform().makeOrganization();
  const titles = Array.from({ length: 23 }, (_, index) => `Page ${index + 1}`);
  const space = await spaceWith(organization, 'Long', titles);
  const { base } = await publishedSite({ organization, spaces: [space.id] });
  const [first, second] = [await pageAt(`${base}/llms-full.txt`), await pageAt(`${base}/llms-full-2.txt`)];

  expect(first).toMatch(/Pages 1 to 20 of 23\. Continued at \S+\/llms-full-2\.txt\n$/);
  expect(second.match(/^# Page \d+$/gm)).toEqual(['# Page 21', '# Page 22', '# Page 23']);
  expect(second).not.toContain('Continued');
});

test('a page has its metadata for search engines and previews', async () => {
  const site = await machineSite('public');
  const { token } = site.organization;
  const body = { socialPreview: { url: 'https://images.example.test/card.png' } };
  await json(`${site.path}/customization`, { token, method: 'PUT', body });
  const html = await pageAt(`${site.base}otters`);
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

test('each option that prevents indexing works', async () => {
  const site = await machineSite('public');
  const space = { id: site.space, token: site.organization.token };
  await makePage(space, 'Draft', 'words', { noRobotsIndex: true });
  await makePage(space, 'Unfound', 'words', { noIndex: true });
  const sitemap = await pageAt(`${site.base}sitemap-pages-1.xml`);

  for (const path of ['draft', 'unfound']) {
    const answer = await site.get(path);
    expect([path, answer.headers.get('x-robots-tag')]).toEqual([path, 'noindex']);
    expect(await answer.text()).toContain('<meta name="robots" content="noindex"');
    expect(sitemap).not.toContain(path);
  }
});

test('omits the frontmatter from the text of a page', async () => {
  const site = await machineSite('public');
  const space = { id: site.space, token: site.organization.token };
  const markdown =
    '---\ndescription: What they eat\nvariables:\n  secret: hush\n---\n\nFish, {{ page.vars.secret }}.\n';
  await makePage(space, 'Food', markdown);
  const text = await pageAt(`${site.base}food.md`);

  expect(text).toMatch(/^# Food\n\nFish, /);
  expect(text).not.toContain('variables');
});

test('a page of updates has a feed in which each update has its own anchor', async () => {
  const site = await machineSite('public');
  const space = { id: site.space, token: site.organization.token };
  const update = (date: string, text: string) => `{% update date="${date}" %}\n${text}\n{% endupdate %}`;
  const updates = [update('2026-03-02', '## Faster\n\nSee [otters](otters.md).'), update('2026-02-01', 'First.')];
  const document = { markdown: `{% updates %}\n${updates.join('\n\n')}\n{% endupdates %}\n` };
  await edit(space, [{ operation: 'insert_page', title: 'News', document }]);
  const html = await pageAt(`${site.base}news`);
  const xml = await pageAt(`${site.base}news.atom`);
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
    const site = await machineSite(audience);
    const { token } = site.organization;
    await json(`${site.path}/customization`, { token, method: 'PUT', body: { pageActions: { items } } });
    pages.set(audience, await pageAt(`${site.base}otters`));
  }

  for (const html of pages.values()) {
    expect(html).toContain('<copy-text data-from="./otters.md"');
    expect(html).toMatch(/<copy-text data-text="[^"]+\/~\/mcp"/);
  }
  expect(pages.get('public')).toMatch(/href="https:\/\/claude\.ai\/new\?q=[^"]+otters\.md/);
  expect(pages.get('share-link')).not.toContain('claude.ai');
});
