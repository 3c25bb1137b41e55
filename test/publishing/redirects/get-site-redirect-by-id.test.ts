import { expect, test } from 'vitest';
import { makeRedirectingSite } from './redirecting-site.ts';

test('returns the redirect only under the site that it belongs to', async () => {
  const [mine, theirs] = [await makeRedirectingSite(), await makeRedirectingSite()];
  const redirect = await mine.made({ source: '/a' });

  expect(await (await mine.call(`/redirects/${redirect.id}`)).json()).toEqual(redirect);
  expect((await theirs.call(`/redirects/${redirect.id}`)).status).toBe(404);
});
