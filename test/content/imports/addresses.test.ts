import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { flatten, getClient } from '../space-client.ts';
import { html, importAll, serveSite } from './site.ts';

const newSpace = async () => getClient(platform(), await platform().makeSpace());
type Space = Awaited<ReturnType<typeof newSpace>>;

const links = (...urls: string[]): string => urls.map((url) => `<a href="${url}">${url}</a> `).join('');
const titles = async (space: Space) => flatten(await space.pages()).map(({ title }) => title);

test('imports a site on which every page declares the first page as canonical', async () => {
  const home = '<link rel="canonical" href="/">';
  const { url } = await serveSite({
    '/': html('Start', links('/a', '/b'), home),
    '/a': html('A', '', home),
    '/b': html('B', '', home),
  });
  const space = await newSpace();

  expect(await importAll(space, { url })).toMatchObject({ importedResources: 3 });
  expect((await titles(space)).toSorted()).toEqual(['A', 'B', 'Start']);
});

test('different escapings of one URL are the same page', async () => {
  const { url } = await serveSite({
    '/': html('Start', links('/caf%c3%a9', '/caf%C3%A9', '/café', '/%63af%C3%A9')),
    '/caf%C3%A9': html('Café'),
    '/caf%c3%a9': html('Café'),
  });
  const space = await newSpace();

  expect(await importAll(space, { url })).toMatchObject({ importedResources: 2, failedResources: 0 });
  expect(await titles(space)).toEqual(['Start', 'Café']);
});

test('imports a page with many URLs once, and links to each of its URLs point to it', async () => {
  const canonical = (path: string) => `<link rel="canonical" href="${path}">`;
  const { url } = await serveSite({
    '/': html('Start', links('/a', '/a/', '/a/index.html', '/a?utm_source=x', '/copy', '/moved', '/sent#part')),
    '/a': html('A', '', canonical('/a')),
    '/copy': html('A', '', canonical('/a')),
    '/moved': { status: 301, headers: { location: '/a' } },
    '/sent': html('Away', '', '<meta http-equiv="refresh" content="0; url=/a">'),
  });
  const space = await newSpace();

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
