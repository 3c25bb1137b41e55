import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getClient } from '../space-client.ts';
import type { TestLocations } from './link-client.ts';
import { insertLinkingPage, listSpaceLinks } from './link-client.ts';
import { testLocations } from './locations.ts';

testLocations(false);

test('returns all locations of a listed link, while the list returns only the first ones', async () => {
  const space = getClient(platform(), await platform().makeSpace());
  await space.change([
    ...Array.from({ length: 7 }, (_, index) =>
      insertLinkingPage(`P ${index}`, ['https://x.test/', `/pages/p-${index}`, '#top']),
    ),
    { operation: 'insert_reusable_content', title: 'R', document: { markdown: '[a](https://x.test/)' } },
  ]);
  const { items } = await listSpaceLinks(space);

  expect(items.map(({ locations }) => locations)).toEqual([8, ...Array.from({ length: 14 }, () => 1)]);
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  for (const { id, locations, locationReferences } of items) {
    const all = await space.callJson<TestLocations>(`/links/${id}/locations`);
    expect(all.count).toBe(locations);
    expect(all.items.slice(0, 5)).toEqual(locationReferences);
  }
});
