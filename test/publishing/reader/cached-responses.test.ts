import { expect, test } from 'vitest';
import { edit, makePage } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { createPublishedSite, makeSpaceWithPages } from '../resolution/site-world.ts';
import { read } from './reads.ts';

const getTrips = (headers: Headers): string | undefined =>
  /d1-trips;desc="(\d+)"/.exec(headers.get('server-timing') ?? '')?.[1];

test('serves a cached response without a database query until something is written', async () => {
  const organization = await platform().makeOrganization();
  const space = await makeSpaceWithPages(organization, 'Guide', []);
  const page = await makePage(space, 'Start', 'First words.\n');
  const { base } = await createPublishedSite({ organization, visibility: 'public', spaces: [space.id] });
  const address = `${base}/`;
  const first = await read(address);
  const again = await read(address);
  expect([again.text, again.headers.get('etag')]).toEqual([first.text, first.headers.get('etag')]);
  const tag = { 'if-none-match': first.headers.get('etag') ?? '' };
  expect((await read(address, { headers: tag })).status).toBe(304);
  expect((await read(address, { method: 'HEAD' })).headers.get('etag')).toBe(first.headers.get('etag'));
  const cookie = 'a=b';
  expect(Number(getTrips((await read(address, { headers: { cookie } })).headers))).toBeLessThanOrEqual(1);

  for (let change = 0; change < 20; change += 1) {
    await edit(space, [{ operation: 'update_page', page, document: { markdown: `Words ${change}.\n` } }]);
    const [changed, held] = [await read(address), await read(address, { headers: tag })];
    expect([held.status, changed.text]).toEqual([200, expect.stringContaining(`Words ${change}.`)]);
  }
});
