import type { Site } from '@octavo/schema';
import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createTestSite } from './site-client.ts';

test('publishes and unpublishes a site repeatedly', async () => {
  const { callJson, publish, get, organization } = await createTestSite({ title: 'Docs' });
  const base = `${platform().url.replace(/\/$/, '')}/-/${organization.id}/docs/`;
  expect((await get()).urls).not.toHaveProperty('published');

  for (let count = 0; count < 2; count += 1)
    expect(await publish()).toMatchObject({ published: true, urls: { published: base } });
  for (let count = 0; count < 2; count += 1) {
    const site = await callJson<Site>('/unpublish', { method: 'POST' });
    expect(site.published).toBe(false);
    expect(site.urls).not.toHaveProperty('published');
  }
});

test('unpublishing revokes visitor tokens', async () => {
  const { callJson, publish, id } = await createTestSite();
  const readStamp = () => query('SELECT stamp FROM sites WHERE id = ?', id)[0]?.stamp;
  await publish();
  const before = readStamp();
  await callJson('/unpublish', { method: 'POST' });

  expect(readStamp()).not.toBe(before);
});

test('requires the right to manage the site', async () => {
  const { send, organization } = await createTestSite();
  const { token } = await platform().makeUser({ organization: organization.id, role: 'review' });

  expect((await send('/publish', { token, method: 'POST' })).status).toBe(403);
});
