import { expect, test } from 'vitest';
import { getSite } from '../customized-site.ts';
import { makeCustomizedSiteSpace } from './site-space-customization.ts';

test("returns the site's customization by default", async () => {
  const { read, readSite } = await makeCustomizedSiteSpace({ title: 'The docs', themes: { default: 'dark' } });

  const own = await read();

  expect(own).toMatchObject({ title: 'The docs', themes: { default: 'dark', toggeable: true } });
  expect(own).toEqual(await readSite());
});

test('returns 404 for a site space of another site', async () => {
  const [mine, theirs] = [await getSite(), await getSite()];

  expect((await mine.call(`/site-spaces/${theirs.siteSpace}/customization`)).status).toBe(404);
  expect((await mine.call('/site-spaces/ss_none/customization')).status).toBe(404);
});
