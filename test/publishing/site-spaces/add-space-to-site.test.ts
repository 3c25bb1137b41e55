import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createTestSite } from '../sites/site-client.ts';

test('adds a space at the end, and the first space becomes the default', async () => {
  const { addSpace, publish, get, id } = await createTestSite({ title: 'Docs' });
  const base = (await publish()).urls.published;
  const first = await addSpace('Guides');
  const second = await addSpace('Guides');

  expect(first).toMatchObject({
    object: 'site-space',
    id: expect.stringMatching(/^ss_\w{20}$/),
    path: 'guides',
    title: 'Guides',
    default: true,
    space: { object: 'space', title: 'Guides' },
    urls: { published: base },
  });
  expect(second).toMatchObject({ path: 'guides-2', default: false, urls: { published: `${base}guides-2` } });
  expect((await get()).siteSpaces).toBe(2);
  expect(query('SELECT id FROM site_spaces WHERE site = ? ORDER BY position', id)).toEqual([
    { id: first.id },
    { id: second.id },
  ]);
});

test('25 concurrent additions result in one default, unique paths and a correct count', async () => {
  const { space, callJson, get, id } = await createTestSite();
  const spaceId = await space('Guides');
  await Promise.all(Array.from({ length: 25 }, () => callJson('/site-spaces', { body: { spaceId } })));

  const rows = query<{ path: string; is_default: number }>(
    'SELECT path, is_default FROM site_spaces WHERE site = ?',
    id,
  );
  expect(rows.filter(({ is_default: isDefault }) => isDefault === 1)).toHaveLength(1);
  expect(new Set(rows.map(({ path }) => path)).size).toBe(25);
  expect((await get()).siteSpaces).toBe(25);
});

test('returns 404 for a missing space or section, or one of another organization', async () => {
  const { send, space } = await createTestSite();
  const foreign = await platform().makeSpace();
  const other = await createTestSite();
  const spaceId = await space('Guides');

  expect((await send('/site-spaces', { body: { spaceId: foreign.id } })).status).toBe(404);
  expect((await send('/site-spaces', { body: { spaceId, sectionId: 'sec_x' } })).status).toBe(404);
  expect((await other.send('/site-spaces', { body: { spaceId } })).status).toBe(404);
});
