import { expect, test } from 'vitest';
import { getSite } from '../customized-site.ts';
import { makeCustomizedSiteSpace } from './site-space-customization.ts';

test("resets to the site's customization, also repeatedly", async () => {
  const { call, path, patch, read, readSite } = await makeCustomizedSiteSpace({ title: 'The docs' });
  await patch({ title: 'Own', styling: { theme: 'bold' } });

  expect((await call(path, { method: 'DELETE' })).status).toBe(205);
  expect((await call(path, { method: 'DELETE' })).status).toBe(205);

  expect(await read()).toEqual(await readSite());
});

test('returns 404 for a site space of another site', async () => {
  const [mine, theirs] = [await getSite(), await getSite()];

  expect((await mine.call(`/site-spaces/${theirs.siteSpace}/customization`, { method: 'DELETE' })).status).toBe(404);
});
