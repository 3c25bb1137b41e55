import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { makeRedirectingSite } from './redirecting-site.ts';

test('lists live or draft redirects, and searches for a part of the source', async () => {
  const { create, sources } = await makeRedirectingSite();
  for (const source of ['/a/one', '/a/two', '/b']) await create({ source });
  await create({ source: '/a/three', draft: true });

  expect(await sources()).toEqual(['/a/one', '/a/two', '/b']);
  expect(await sources('?draft=true')).toEqual(['/a/three']);
  expect(await sources('?search=A/T')).toEqual(['/a/two']);
});

test('paginates the list and returns each redirect once', async () => {
  const { create, list } = await makeRedirectingSite();
  for (let index = 0; index < 5; index += 1) await create({ source: `/${index}` });

  const sources: string[] = [];
  let page = '';
  do {
    const { items, next } = await list(`?limit=2${page}`);
    sources.push(...items.map(({ source }) => source));
    page = next === undefined ? '' : `&page=${next.page}`;
  } while (page !== '');

  expect(sources.toSorted()).toEqual(['/0', '/1', '/2', '/3', '/4']);
});

test('the list is visible to members, but not to users without access', async () => {
  const { organization, call } = await makeRedirectingSite();
  const member = await platform().makeUser({ organization: organization.id, role: 'read' });
  const stranger = await platform().makeUser();

  expect((await call('/redirects', { token: member.token })).status).toBe(200);
  expect((await call('/redirects', { token: stranger.token })).status).toBe(404);
});
