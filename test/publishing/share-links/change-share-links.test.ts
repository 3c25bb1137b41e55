import type { List, ShareLink } from '@octavo/schema';
import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { walkItems } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';
import { createTestSite } from '../sites/site-client.ts';

test('the URL of a share link contains a key that is not stored in plain text', async () => {
  const { callJson, id, organization } = await createTestSite({ title: 'Docs', visibility: 'share-link' });
  const link = await callJson<ShareLink>('/share-links', { body: { name: 'Partners' } });
  const key = /docs\/([\w-]{22})$/.exec(link.urls.published ?? '')?.[1] ?? '';

  expect(link).toMatchObject({ object: 'share-link', name: 'Partners', active: true, createdAt: expect.any(String) });
  expect(key).not.toBe('');
  expect((await callJson<List<ShareLink>>('/share-links')).items).toEqual([link]);
  const rows = query('SELECT * FROM site_share_links WHERE site = ?', id);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify([rows, query('SELECT * FROM outbox WHERE organization = ?', organization.id)])).not.toContain(
    key,
  );
});

test('a share link can be renamed, disabled and deleted', async () => {
  const { callJson, patch, send } = await createTestSite();
  const { id, urls } = await callJson<ShareLink>('/share-links', { body: { name: 'Partners' } });

  expect(await patch(`/share-links/${id}`, { name: 'Press' })).toMatchObject({ name: 'Press', active: true, urls });
  expect(await patch(`/share-links/${id}`, { active: false })).toMatchObject({ name: 'Press', active: false });
  expect((await send(`/share-links/${id}`, { method: 'DELETE' })).status).toBe(205);
  expect((await send(`/share-links/${id}`, { method: 'PATCH', body: { active: true } })).status).toBe(404);
  expect(await callJson('/share-links')).toEqual({ count: 0, items: [] });
});

test('each link has its own key, and the list is paginated', async () => {
  const { callJson, base, organization } = await createTestSite();
  const links = await Promise.all(
    Array.from({ length: 5 }, () => callJson<ShareLink>('/share-links', { body: { name: 'A' } })),
  );

  expect(new Set(links.map(({ urls }) => urls.published)).size).toBe(5);
  expect(await walkItems(`${base}/share-links`, organization.token, { limit: 2 })).toHaveLength(5);
});

test('hides keys from users who cannot manage the site', async () => {
  const { send, organization } = await createTestSite();
  const { token } = await platform().makeUser({ organization: organization.id, role: 'review' });

  expect((await send('/share-links', { token })).status).toBe(403);
});
