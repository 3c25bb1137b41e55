import { expect, test } from 'vitest';
import { redirectingSite } from './redirecting-site.ts';

test('deletes it once', async () => {
  const { made, call, sources } = await redirectingSite();
  const { id } = await made({ source: '/a' });

  expect((await call(`/redirects/${id}`, { method: 'DELETE' })).status).toBe(205);
  expect((await call(`/redirects/${id}`, { method: 'DELETE' })).status).toBe(404);
  expect(await sources()).toEqual([]);
});

test('security 39: one of another site is not there', async () => {
  const [mine, theirs] = [await redirectingSite(), await redirectingSite()];
  const { id } = await theirs.made({ source: '/a' });

  expect((await mine.call(`/redirects/${id}`, { method: 'DELETE' })).status).toBe(404);
  expect(await theirs.sources()).toEqual(['/a']);
});
