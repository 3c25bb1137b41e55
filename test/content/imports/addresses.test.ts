import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { flatten, getClient } from '../space-client.ts';
import { createHtml, importAll, serveSite } from './site.ts';

const makeSpaceClient = async () => getClient(platform(), await platform().makeSpace());
type Space = Awaited<ReturnType<typeof makeSpaceClient>>;

const createLinks = (...urls: string[]): string => urls.map((url) => `<a href="${url}">${url}</a> `).join('');
const listTitles = async (space: Space) => flatten(await space.pages()).map(({ title }) => title);

test('imports a site on which every page declares the first page as canonical', async () => {
  const home = '<link rel="canonical" href="/">';
  const { url } = await serveSite({
    '/': createHtml('Start', createLinks('/a', '/b'), home),
    '/a': createHtml('A', '', home),
    '/b': createHtml('B', '', home),
  });
  const space = await makeSpaceClient();

  expect(await importAll(space, { url })).toMatchObject({ importedResources: 3 });
  expect((await listTitles(space)).toSorted()).toEqual(['A', 'B', 'Start']);
});

test('differently escaped forms of one URL are the same page', async () => {
  const { url } = await serveSite({
    '/': createHtml('Start', createLinks('/caf%c3%a9', '/caf%C3%A9', '/café', '/%63af%C3%A9')),
    '/caf%C3%A9': createHtml('Café'),
    '/caf%c3%a9': createHtml('Café'),
  });
  const space = await makeSpaceClient();

  expect(await importAll(space, { url })).toMatchObject({ importedResources: 2, failedResources: 0 });
  expect(await listTitles(space)).toEqual(['Start', 'Café']);
});

test('imports a page with many URLs once, and resolves links to any of its URLs', async () => {
  const createCanonicalLink = (path: string) => `<link rel="canonical" href="${path}">`;
  const { url } = await serveSite({
    '/': createHtml(
      'Start',
      createLinks('/a', '/a/', '/a/index.html', '/a?utm_source=x', '/copy', '/moved', '/sent#part'),
    ),
    '/a': createHtml('A', '', createCanonicalLink('/a')),
    '/copy': createHtml('A', '', createCanonicalLink('/a')),
    '/moved': { status: 301, headers: { location: '/a' } },
    '/sent': createHtml('Away', '', '<meta http-equiv="refresh" content="0; url=/a">'),
  });
  const space = await makeSpaceClient();

  const state = await importAll(space, { url });
  const [start, a] = flatten(await space.pages());
  const { markdown = '' } = await space.page(start?.id ?? '');

  expect(state).toMatchObject({ importedResources: 2, totalResources: 2, failedResources: 0 });
  expect(a).toMatchObject({ title: 'A', slug: 'a' });
  expect([...markdown.matchAll(/\]\(([^)]*)\)/g)].map(([, target]) => target)).toEqual([
    ...Array(6).fill(`/pages/${a?.id}`),
    `/pages/${a?.id}#part`,
  ]);
});
