import { expect, test } from 'vitest';
import { makeRedirectingSite } from './redirecting-site.ts';

test('deletes the redirect, and returns 404 the second time', async () => {
  const { made, call, sources } = await makeRedirectingSite();
  const { id } = await made({ source: '/a' });

  expect((await call(`/redirects/${id}`, { method: 'DELETE' })).status).toBe(205);
  expect((await call(`/redirects/${id}`, { method: 'DELETE' })).status).toBe(404);
  expect(await sources()).toEqual([]);
});

test('returns 404 for a redirect of another site', async () => {
  const [mine, theirs] = [await makeRedirectingSite(), await makeRedirectingSite()];
  const { id } = await theirs.made({ source: '/a' });

  expect((await mine.call(`/redirects/${id}`, { method: 'DELETE' })).status).toBe(404);
  expect(await theirs.sources()).toEqual(['/a']);
});
