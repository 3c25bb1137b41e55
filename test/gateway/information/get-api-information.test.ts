import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';

test('returns the version of the API and its build to anyone', async () => {
  const response = await platform().request('/v1/');

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ version: '1.0.0', build: expect.stringMatching(/^[0-9a-f]{12}$/) });
});

test('its headers match those of a response without a database query', async () => {
  const bookmark = '00000001-00000002-00000003-a';

  const response = await platform().request('/v1', { headers: { 'octavo-bookmark': bookmark } });

  expect(Object.fromEntries(response.headers)).toMatchObject({
    'cache-control': 'private, no-store',
    'content-type': 'application/json',
    'octavo-bookmark': bookmark,
    'octavo-request-id': expect.stringMatching(/^req_\w{20}$/),
    'server-timing': 'd1-trips;desc="0", d1-sequential-trips;desc="0", d1-rows-read;desc="0", d1-rows-written;desc="0"',
    'access-control-allow-origin': '*',
  });
  expect((await platform().request('/v1')).headers.has('octavo-bookmark')).toBe(false);
});

test('rejects an invalid bookmark', async () => {
  const response = await platform().request('/v1', { headers: { 'octavo-bookmark': 'none' } });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { type: 'invalid', issues: [{ path: 'headers.octavo-bookmark' }] },
  });
});
