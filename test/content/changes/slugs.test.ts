import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage } from '../space-client.ts';

test('inserting or merging the 200th page with one title costs as much as the 100th, and each gets its own slug', async () => {
  const server = platform();
  const space = getClient(server, await server.makeSpace());
  const insert = async (count: number) => {
    const costs: number[] = [];
    for (let left = count; left > 0; left -= 50) {
      await space.change(Array.from({ length: 49 }, () => insertPage('Notes')));
      costs.push((await space.edit([insertPage('Notes')])).cost.read);
    }
    const branch = await space.open();
    await space.change([insertPage('Notes')], branch);
    return [...costs.slice(-1), (await space.merge(branch)).cost.read];
  };
  const [edited = 0, merged = 0] = await insert(100);
  const [editedLater = 0, mergedLater = 0] = await insert(100);

  expect(Math.abs(editedLater - edited)).toBeLessThan(10);
  expect(Math.abs(mergedLater - merged)).toBeLessThan(10);
  const slugs = (await space.pages()).map(({ slug = '' }) => slug);
  expect(new Set(slugs).size).toBe(202);
  expect(slugs.slice(0, 2)).toEqual(['notes', 'notes-2']);
  expect(slugs.at(-1)).toMatch(/^notes-[a-z0-9]{8}$/);
  expect((await space.edit([insertPage('Free', { slug: 'notes-900' })])).status).toBe(200);
  expect((await space.edit([insertPage('Taken', { slug: 'notes-2' })])).status).toBe(409);
});
