import { expect, test } from 'vitest';
import { siteOf } from '../customized-site.ts';
import { customizedSpace } from './site-space-customization.ts';

test('is that of the site where it has none of its own', async () => {
  const { read, readSite } = await customizedSpace({ title: 'The docs', themes: { default: 'dark' } });

  const own = await read();

  expect(own).toMatchObject({ title: 'The docs', themes: { default: 'dark', toggeable: true } });
  expect(own).toEqual(await readSite());
});

test('a site space of another site is not there', async () => {
  const [mine, theirs] = [await siteOf(), await siteOf()];

  expect((await mine.call(`/site-spaces/${theirs.siteSpace}/customization`)).status).toBe(404);
  expect((await mine.call('/site-spaces/ss_none/customization')).status).toBe(404);
});
