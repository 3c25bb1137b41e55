import { expect, test } from 'vitest';
import { serveLocally } from '../../support/local-server.ts';
import { platform } from '../../support/platform.ts';
import { flatten, getClient } from '../space-client.ts';
import { createHtml, importAll, serveSite, startImport } from './site.ts';

const makeSpaceClient = async () => getClient(platform(), await platform().makeSpace());
type Space = Awaited<ReturnType<typeof makeSpaceClient>>;

const createLinks = (...urls: string[]): string => urls.map((url) => `<a href="${url}">${url}</a> `).join('');
const listTitles = async (space: Space) => flatten(await space.pages()).map(({ title }) => title);

test('skips and counts pages that robots.txt disallows', async () => {
  const { url, requestedPaths } = await serveSite({
    '/robots.txt': { body: 'User-agent: octavo\nDisallow: /secret\n', type: 'text/plain' },
    '/': createHtml('Start', createLinks('/secret/one', '/open')),
    '/open': createHtml('Open'),
    '/secret/one': createHtml('Secret'),
  });
  const space = await makeSpaceClient();

  const state = await importAll(space, { url });

  expect(state).toMatchObject({ importedResources: 2, skippedResources: 1 });
  expect(await listTitles(space)).toEqual(['Start', 'Open']);
  expect(requestedPaths).not.toContain('/secret/one');
});

test('links to images that robots.txt disallows instead of downloading them', async () => {
  const { url, requestedPaths } = await serveSite({
    '/robots.txt': { body: 'User-agent: *\nDisallow: /img/\n', type: 'text/plain' },
    '/': createHtml('Start', '<p><img src="/img/a.png" alt="a"></p>'),
    '/img/a.png': { body: 'x', type: 'image/png' },
  });
  const space = await makeSpaceClient();

  expect(await importAll(space, { url })).toMatchObject({
    importedResources: 1,
    skippedResources: 1,
    totalResources: 2,
  });
  const [start] = await space.pages();
  expect((await space.page(start?.id ?? '')).markdown).toContain(`![a](${url}/img/a.png)`);
  expect(requestedPaths).not.toContain('/img/a.png');
});

test('honors a crawl delay, and sends one request after another', async () => {
  const times: number[] = [];
  const url = await serveLocally(({ url: path = '' }, response) => {
    if (path === '/robots.txt') return void response.end('User-agent: *\nCrawl-delay: 1\n');
    if (/^\/[a-c]$/.test(path)) times.push(Date.now());
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(createHtml(`At ${path}`, path === '/' ? createLinks('/a', '/b', '/c') : ''));
  });

  expect(await importAll(await makeSpaceClient(), { url })).toMatchObject({ importedResources: 4 });
  expect(times).toHaveLength(3);
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  for (const wait of waits) expect(wait).toBeGreaterThan(900);
});

test('does not read a site whose robots.txt is temporarily unavailable', async () => {
  const url = await serveLocally(({ url: path }, response) => {
    if (path === '/robots.txt') return void response.destroy();
    response.writeHead(200, { 'content-type': 'text/html' }).end(createHtml('Start'));
  });
  const { status, body } = await startImport(await makeSpaceClient(), { url });

  expect(status).toBe(400);
  expect(body.error.issues).toEqual([{ path: 'body.url', message: expect.stringContaining('robots.txt') }]);
});

test('imports nothing if the first page is disallowed', async () => {
  const { url } = await serveSite({
    '/robots.txt': { body: 'User-agent: *\nDisallow: /\n', type: 'text/plain' },
    '/': createHtml('Start'),
  });
  const { status, body } = await startImport(await makeSpaceClient(), { url });

  expect(status).toBe(400);
  expect(body.error.issues).toEqual([{ path: 'body.url', message: expect.stringContaining('robots.txt') }]);
});
