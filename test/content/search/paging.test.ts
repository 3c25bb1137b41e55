import { expect, test } from 'vitest';
import { edit, searchSpace } from '../../support/content.ts';
import { until } from '../../support/own-platform.ts';
import { walk } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';

const createCursor = (value: unknown) => `page=${Buffer.from(JSON.stringify(value)).toString('base64url')}`;

test('returns each result once across pages, and rejects invalid limits and cursors', async () => {
  const { makeSpace, request } = platform();
  const space = await makeSpace();
  const changes = Array.from({ length: 12 }, (_, index) => ({
    operation: 'insert_page',
    title: `Page ${index}`,
    document: { markdown: `${'otter '.repeat(index + 1)}\n\n## More\n\notter` },
  }));
  await edit(space, changes);
  const all = await until(async () => {
    const { items } = await searchSpace(space, 'otter');
    return items.length === 12 ? items.map(({ id }) => id) : undefined;
  });
  const path = `/v1/spaces/${space.id}/search?query=otter`;

  for (const limit of [1, 5, 12]) expect(await walk(path, space.token, { limit })).toEqual(all);
  expect(await searchSpace(space, 'otter', '&limit=0')).toEqual({ count: 0, items: [] });
  const places = [0.5, -3, 1e300, 2 ** 31, 201, '5'].map((place) => createCursor([place]));
  for (const wrong of ['limit=1001', 'limit=-1', 'page=x', 'page=', ...places]) {
    expect([wrong, (await request(`${path}&${wrong}`, { token: space.token })).status]).toEqual([wrong, 400]);
  }
  expect(await searchSpace(space, 'otter', `&${createCursor([200])}`)).toEqual({ count: 0, items: [] });
});
