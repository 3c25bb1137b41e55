import { describe, expect, test } from 'vitest';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import { flatten, getClient } from '../space-client.ts';
import {
  createHtml,
  importAll,
  importState,
  limitDistinctUrls,
  serveSite,
  startImport,
  waitForImport,
} from './site.ts';

const makeSpaceClient = async () => getClient(platform(), await platform().makeSpace());
type Space = Awaited<ReturnType<typeof makeSpaceClient>>;

const createLinks = (...urls: string[]): string => urls.map((url) => `<a href="${url}">${url}</a> `).join('');
const listTitles = async (space: Space) => flatten(await space.pages()).map(({ title }) => title);

/** The header of a PNG of 1 × 3 pixels. */
const png = Uint8Array.from([
  137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 3, 8, 6, 0, 0, 0, 0, 0, 0, 0,
]);

test('imports a page with its text, code, description and image', async () => {
  const { url } = await serveSite({
    '/docs/': createHtml(
      'Start',
      '<p>Some <b>words</b>.</p><pre><code class="language-js">a &lt; b;</code></pre><img src="a.png" alt="A dot">',
      '<meta name="description" content="How to start">',
    ),
    '/docs/a.png': { body: png, type: 'image/png' },
  });
  const space = await makeSpaceClient();

  const state = await importAll(space, { url: `${url}/docs/` });
  const [page] = await space.pages();
  const { markdown = '' } = await space.page(page?.id ?? '');
  const { items } = await space.callJson<{ items: object[] }>('/content/files');

  expect(state).toMatchObject({ status: 'completed', importedResources: 2, totalResources: 2 });
  expect(page).toMatchObject({ title: 'Start', description: 'How to start', slug: 'docs' });
  expect(markdown).toContain('Some **words**.');
  expect(markdown).toContain('```js\na < b;\n```');
  expect(markdown).toMatch(/!\[A dot\]\(\/files\/file_\w+\)/);
  expect(items).toEqual([expect.objectContaining({ name: 'a.png', dimensions: { width: 1, height: 3 } })]);
});

test('imports a small site before the response is sent, as one revision, after the existing content', async () => {
  const { url } = await serveSite({
    '/': createHtml('Start', createLinks('/next')),
    '/next': createHtml('Next', createLinks('/#top')),
  });
  const space = await makeSpaceClient();
  await space.change([{ operation: 'insert_page', title: 'Start', document: { markdown: 'Ours.\n' } }]);
  const before = await space.head();

  const { status, body } = await startImport(space, { url });
  const state = await waitForImport(space, body.id);

  expect(status).toBe(201);
  expect(body).toMatchObject({ importedResources: 2, totalResources: 2, revision: state.revision });
  expect(await space.head()).toMatchObject({ id: body.revision, parents: [before.id] });
  expect(flatten(await space.pages()).map(({ path }) => path)).toEqual(['start', 'start-2', 'next']);
});

test('imports pages that are listed only in the sitemap or a sitemap index', async () => {
  const createLocation = (tag: string, address: string) => `<${tag}><loc>${address}</loc></${tag}>`;
  const paths: Parameters<typeof serveSite>[0] = { '/': createHtml('Start'), '/alone': createHtml('Alone') };
  const { url } = await serveSite(paths);
  paths['/sitemap.xml'] = {
    body: `<sitemapindex>${createLocation('sitemap', `${url}/pages.xml`)}</sitemapindex>`,
    type: 'application/xml',
  };
  paths['/pages.xml'] = {
    body: `<urlset>${createLocation('url', `${url}/alone`)}${createLocation('url', 'https://elsewhere.test/x')}</urlset>`,
    type: 'application/xml',
  };
  const space = await makeSpaceClient();

  expect(await importAll(space, { url })).toMatchObject({ importedResources: 2, failedResources: 0 });
  expect(await listTitles(space)).toEqual(['Start', 'Alone']);
});

test("the site's navigation defines order and nesting of its pages", async () => {
  const nav = `<nav><ul><li><a href="/docs/two">Two</a><ul><li><a href="/docs/deep">Deep</a></li></ul></li>
    <li><a href="/docs/one">One</a></li><li><a href="/docs/">Start</a></li></ul></nav>`;
  const createPage = (title: string) => `<body>${nav}<main><h1>${title}</h1></main></body>`;
  const { url } = await serveSite({
    '/docs/': createPage('Start'),
    '/docs/one': createPage('One'),
    '/docs/two': createPage('Two'),
    '/docs/deep': createPage('Deep'),
  });
  const space = await makeSpaceClient();

  await importAll(space, { url: `${url}/docs/` });

  expect((await space.pages()).map(({ title, pages = [] }) => [title, pages.map((each) => each.title)])).toEqual([
    ['Two', ['Deep']],
    ['One', []],
    ['Start', []],
  ]);
});

test('keeps links to pages outside the folder or host, and does not import these pages', async () => {
  const other = await serveSite({ '/docs/x': createHtml('Other') });
  const { url, requestedPaths } = await serveSite({
    '/docs/': createHtml('Start', createLinks('/blog/', `${other.url}/docs/x`, '/docs/a')),
    '/docs/a': createHtml('A'),
    '/blog/': createHtml('Blog'),
  });
  const space = await makeSpaceClient();

  await importAll(space, { url: `${url}/docs/` });
  const [start] = await space.pages();

  expect(await listTitles(space)).toEqual(['Start', 'A']);
  expect((await space.page(start?.id ?? '')).markdown).toContain(`(${url}/blog/)`);
  expect(
    [...requestedPaths, ...other.requestedPaths].filter((path) => path === '/blog/' || path === '/docs/x'),
  ).toEqual([]);
});

test('honors noindex and nofollow', async () => {
  const { url } = await serveSite({
    '/': createHtml('Start', createLinks('/quiet')),
    '/quiet': createHtml('Quiet', createLinks('/beyond'), '<meta name="robots" content="noindex, nofollow">'),
    '/beyond': createHtml('Beyond'),
  });
  const space = await makeSpaceClient();

  await importAll(space, { url });

  const pages = flatten(await space.pages());
  expect(pages.map(({ title, noIndex = false }) => [title, noIndex])).toEqual([
    ['Start', false],
    ['Quiet', true],
  ]);
});

describe('failures during an import', () => {
  test('are reported, and the other pages are imported', async () => {
    const { url, requestedPaths } = await serveSite({
      '/': createHtml('Start', `${createLinks('/gone', '/broken', '/data', '/far')}<img src="/no.png">`),
      '/broken': { status: 503 },
      '/data': { body: '{}', type: 'application/json' },
      '/far': createHtml('Far'),
    });
    const space = await makeSpaceClient();

    const state = await importAll(space, { url });

    expect(state).toMatchObject({ status: 'completed', importedResources: 2, totalResources: 6, failedResources: 4 });
    expect(Object.fromEntries(state.failures.map((each) => [new URL(each.url).pathname, each.error]))).toEqual({
      '/gone': 'returned 404',
      '/broken': 'returned 503',
      '/data': 'is not an HTML page',
      '/no.png': 'returned 404',
    });
    expect(requestedPaths.filter((path) => path === '/broken')).toHaveLength(3);
    expect(requestedPaths.filter((path) => path === '/gone')).toHaveLength(1);
  });
});

test('imports into a change request without changing live content', async () => {
  const { url } = await serveSite({ '/': createHtml('Start') });
  const space = await makeSpaceClient();
  const branch = await space.open();

  const state = await importAll(space, { url }, branch);

  expect(await listTitles(space)).toEqual([]);
  expect((await space.pages(branch)).map(({ title }) => title)).toEqual(['Start']);
  expect(await space.head(branch)).toMatchObject({ id: state.revision });
  expect((await space.call(`/content/import/${state.id}`)).status).toBe(404);
  expect(await space.merge(branch)).toMatchObject({ status: 200, body: { result: 'merge' } });
  expect(await listTitles(space)).toEqual(['Start']);
});

test('a running import shows its pages so far in its own revision, and leaves the content unchanged', async () => {
  const pages = Object.fromEntries(
    Array.from({ length: 120 }, (_, index) => [`/p${index}`, createHtml(`Page ${index}`)]),
  );
  const site = limitDistinctUrls(60);
  const served: Record<string, string> = { '/': createHtml('Start', createLinks(...Object.keys(pages))), ...pages };
  const url = await serveLocally(async ({ url: path = '' }, response) => {
    await site.pass(path);
    const status = served[path] === undefined ? 404 : 200;
    response.writeHead(status, { 'content-type': 'text/html' }).end(served[path]);
  });
  const space = await makeSpaceClient();
  const before = await space.head();

  const { body } = await startImport(space, { url });
  const gathered = flatten((await space.revision(body.revision)).pages).length;
  const head = await space.head();
  const during = await importState(space, body.id);
  site.open(Number.POSITIVE_INFINITY);

  expect(body.importedResources).toBeGreaterThan(0);
  expect(body.importedResources).toBeLessThan(121);
  expect(gathered).toBe(body.importedResources);
  expect(during.status).toBe('running');
  expect(head).toMatchObject({ id: before.id });
  expect(await waitForImport(space, body.id)).toMatchObject({ importedResources: 121, status: 'completed' });
  expect(await listTitles(space)).toHaveLength(121);
});

test('search finds imported live content', async () => {
  const { url } = await serveSite({ '/': createHtml('Start', '<p>Zirconium is a metal.</p>') });
  const space = await makeSpaceClient();
  await importAll(space, { url });

  await expect
    .poll(async () => (await space.callJson<{ items: unknown[] }>('/search?query=zirconium')).items.length, {
      timeout: 90_000,
    })
    .toBe(1);
});
