import { expect, test } from 'vitest';
import { redirectingSite } from './redirecting-site.ts';

test('returns the redirect only under the site that it belongs to', async () => {
  const [mine, theirs] = [await redirectingSite(), await redirectingSite()];
  const made = await mine.made({ source: '/a' });

  expect(await (await mine.call(`/redirects/${made.id}`)).json()).toEqual(made);
  expect((await theirs.call(`/redirects/${made.id}`)).status).toBe(404);
});
