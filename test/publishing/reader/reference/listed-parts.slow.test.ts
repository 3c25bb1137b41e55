import { beforeAll, expect, test, vi } from 'vitest';
import { type Element, getElements, getText, parse } from '../html-tree.ts';
import type { InstantResults } from '../instant-results.ts';
import { createFleet, many } from './fleet.ts';
import { createReferenceSite, findTexts, getWithClass, hasClass } from './reference-site.ts';

type Site = Awaited<ReturnType<typeof createReferenceSite>>;

let site: Site;
beforeAll(async () => {
  site = await createReferenceSite(createFleet());
});

const findLinks = (node: Element): string[] =>
  getElements(node).flatMap(({ properties: { href } }) => (typeof href === 'string' ? [href] : []));

/** Returns the links of elements with a class, resolved relative to the site. */
const findLinksTo = (html: string, name: string, at: string): string[] =>
  getWithClass(html, name)
    .flatMap(findLinks)
    .map((href) => new URL(href, `${site.base}/${at}`).href.slice(site.base.length + 1));

const getMeta = (html: string, name: string): unknown =>
  getElements(parse(html)).find(({ properties }) => properties.name === name || properties.property === name)
    ?.properties.content;

test.each([
  ['ships', 'ship5', 'getTake ship5/ships/5'],
  ['webhooks', 'arrival5', 'postarrival5'],
  ['models', 'model5', 'Model5'],
])('a page with many %s lists them, each with an anchor and a link to its own page', async (path, slug, words) => {
  const { html } = await site.read(path);
  const listed = getWithClass(html, 'listed');
  const own = listed.find(({ properties }) => properties.id === slug);
  const [address] = own === undefined ? [] : findLinks(own);

  expect(listed.length).toBeGreaterThanOrEqual(many);
  expect(findTexts(html, 'operation')).toEqual([]);
  expect(own && getText(own)).toBe(words);
  expect(new URL(address ?? '', `${site.base}/${path}`).href).toBe(`${site.base}/${path}/${slug}`);
  expect(findLinksTo(html, 'next', path)).toEqual([expect.stringContaining(`${path}/`)]);
  expect(html.length).toBeLessThan(80_000);
});

test('marks deprecated operations in the list', async () => {
  const { html } = await site.read('ships');

  expect(findTexts(html, 'listed').filter((words) => words.includes('deprecated'))).toEqual([
    expect.stringContaining('ship3'),
  ]);
});

test('an operation in a long list has its own page with its own metadata', async () => {
  const { status, html } = await site.read('ships/ship5');
  const address = `${site.base}/ships/ship5`;
  const known = getElements(parse(html)).find(({ properties }) => properties.type === 'application/ld+json');
  const graph = JSON.parse(known === undefined ? '{}' : getText(known)) as { '@graph': object[] };

  expect([status, findTexts(html, 'endpoint')]).toEqual([200, ['gethttps://fleet.test/ships/5']]);
  expect(html).toMatch(/<title>Take ship5 \| [^<]*<\/title>/);
  expect(html).toContain(`<link rel="canonical" href="${address}"`);
  expect([getMeta(html, 'description'), getMeta(html, 'og:description')]).toEqual(Array(2).fill('Takes ship5 along.'));
  expect([getMeta(html, 'og:url'), getMeta(html, 'og:title')]).toEqual([address, 'Take ship5']);
  expect(graph['@graph']).toEqual([
    expect.objectContaining({
      itemListElement: expect.arrayContaining([expect.objectContaining({ name: 'Take ship5', item: address })]),
    }),
    expect.objectContaining({ headline: 'Take ship5', url: address }),
  ]);
  expect(html.match(/<h1/g)).toHaveLength(1);
});

test('the page of a listed operation is below the reference page, next to its siblings, in a navigation of limited size', async () => {
  const { html } = await site.read('ships/ship70');
  const current = getElements(parse(html)).filter(({ properties }) => properties.ariaCurrent === 'page');

  expect(findLinksTo(html, 'breadcrumbs', 'ships/ship70')).toEqual(['']);
  expect(findLinksTo(html, 'previous', 'ships/ship70')).toEqual(['ships/ship69']);
  expect(findLinksTo(html, 'next', 'ships/ship70')).toEqual(['ships/ship71']);
  expect(current.map(getText)).toEqual(['Take ship70get']);
  const beside = findLinksTo(html, 'pages', 'ships/ship70').filter((path) => path.startsWith('ships/ship'));
  expect(beside.length).toBeLessThan(many);
  expect(beside).toEqual(expect.arrayContaining(['ships/ship40', 'ships/ship69', 'ships/ship100']));
});

test('a written page with the same slug takes precedence', async () => {
  const [part, page] = [await site.read('ships/ship2'), await site.read('ships/ship2-2')];

  expect(findTexts(part.html, 'endpoint')).toEqual(['gethttps://fleet.test/ships/2']);
  expect(findTexts(page.html, 'endpoint')).toEqual(['gethttps://fleet.test/anchor']);
});

test('a page with few operations shows them completely, and the URL of each redirects to its anchor', async () => {
  const { html } = await site.read('crew');
  const response = await fetch(`${site.base}/crew/hire`, { redirect: 'manual' });

  expect(findTexts(html, 'endpoint')).toHaveLength(2);
  expect(findTexts(html, 'listed')).toEqual([]);
  expect(response.status).toBe(302);
  expect(new URL(response.headers.get('location') ?? '', response.url).href).toBe(`${site.base}/crew#hire`);
});

test('a page with few operations has them in the outline and the navigation, with their methods', async () => {
  const { html } = await site.read('crew');
  const anchors = ['crew#listcrew', 'crew#hire'];

  expect(findLinksTo(html, 'outline', 'crew').filter((to) => !to.includes('~'))).toEqual(anchors);
  expect(findLinksTo(html, 'pages', 'crew').filter((to) => to.includes('#'))).toEqual(anchors);
  for (const place of ['outline', 'pages'])
    expect(getWithClass(html, place).flatMap(getElements).filter(hasClass('method')).map(getText)).toEqual([
      'get',
      'post',
    ]);
  expect(findLinksTo((await site.read('ships')).html, 'pages', 'ships').filter((to) => to.includes('#'))).toEqual([]);
});

test('a page with few but large operations lists them', async () => {
  expect(findTexts((await site.read('cargo')).html, 'listed')).toHaveLength(2);
  expect(findTexts((await site.read('cargo/load')).html, 'field').length).toBeGreaterThan(300);
});

test('returns 404 for an unknown operation, and for a path below a written page', async () => {
  await site.write('Written', '## Part\n\nWords.\n');

  for (const path of ['ships/nothing', 'crew/nothing', 'written/part', 'nothing/ship5', 'ships/ship5/ship5'])
    expect([path, (await site.read(path)).status]).toEqual([path, 404]);
});

test('an operation has a markdown version for agents', async () => {
  const byName = await site.read('ships/ship5.md');
  const page = await site.read('ships/ship5', { accept: 'text/markdown' });

  expect(byName.html).toBe(
    '# Take ship5\n\nTakes **ship5** along.\n\n{% openapi-operation spec="api" path="/ships/5" method="get" %}\n{% endopenapi-operation %}\n',
  );
  expect(page.html).toBe(byName.html);
  expect(byName.headers.get('link')).toBe(`<${site.base}/ships/ship5>; rel="canonical"`);
  expect((await site.read('webhooks/arrival5.md')).html).toContain('name="arrival5" method="post"');
  expect((await site.read('models/model5.md')).html).toContain('schemas="Model5"');
  expect((await site.read('ships/nothing.md')).status).toBe(404);
});

test('the sitemap contains the pages of listed operations and models', async () => {
  const { html } = await site.read('sitemap-pages-1.xml');
  const paths = [...html.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) => url.slice(site.base.length + 1));

  const parts = ['ships/ship5', 'ships/ship2-2', 'webhooks/arrival130', 'models/model1', 'cargo/load', 'crew'];
  expect(paths).toEqual(expect.arrayContaining(parts));
  expect(paths).not.toContain('crew/hire');
  expect(new Set(paths).size).toBe(paths.length);
});

test('search results link to the page or anchor of an operation or model', async () => {
  const searchTitles = async (word: string) => {
    const { html } = await site.read(`~/search.json?q=${word}`);
    const { suggestions, results } = JSON.parse(html) as InstantResults;
    const links = [...suggestions, ...results.flatMap(({ parts }) => parts)];
    return links.map(({ href }) => new URL(href, site.base).href);
  };

  await vi.waitFor(async () => {
    expect(await searchTitles('ship77')).toContain(`${site.base}/ships/ship77`);
    expect(await searchTitles('hire')).toContain(`${site.base}/crew/hire`);
  }, 30_000);
});

test('a new version is visible in the next request, and a removed operation is gone', async () => {
  const other = await createReferenceSite(createFleet());
  expect((await other.read('ships/ship5')).html).toContain('https://fleet.test/ships/5');

  await other.publish('api', createFleet({ servers: [{ url: 'https://new.test' }] }));
  expect((await other.read('ships/ship5')).html).toContain('https://new.test/ships/5');

  const {
    paths: { '/ships/5': _, ...paths },
  } = createFleet() as unknown as { paths: Record<string, object> };
  await other.publish('api', createFleet({ paths }));
  expect((await other.read('ships/ship5')).status).toBe(404);
});

test('the page of an operation inherits the condition and indexing of the reference page', async () => {
  const other = await createReferenceSite(createFleet());
  await other.update({ condition: 'visitor.claims.unsigned.staff', noIndex: true });
  const name = `octavo-claims-${other.site.id}`;
  const staff = { cookie: `${name}=${encodeURIComponent(JSON.stringify({ staff: true }))}` };
  const paths = ['ships/ship5', 'crew/hire', 'ships/ship5.md', 'webhooks/arrival5'];
  const [first] = await Promise.all(paths.map((path) => other.read(path, staff)));

  expect(first?.status).toBe(200);
  expect(first?.headers.get('x-robots-tag')).toBe('noindex');
  expect((await other.read('sitemap-pages-1.xml', staff)).html).not.toContain('ship5');
  for (const path of paths) expect([path, (await other.read(path)).status]).toEqual([path, 404]);
});

test('the page of an operation takes at most as many round trips as the reference page', async () => {
  const other = await createReferenceSite(createFleet());
  const page = await other.read('ships');
  const part = await other.read('ships/ship5');

  expect(part.trips).toBeLessThanOrEqual(page.trips);
  expect((await other.read('ships/ship5')).trips).toBeLessThanOrEqual(1);
});
