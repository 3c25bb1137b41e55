import { expect, test } from 'vitest';
import { getSite } from '../customized-site.ts';
import { makeRedirectingSite } from './redirecting-site.ts';

test('changes the given fields, and the timestamp', async () => {
  const { made, patch, list } = await makeRedirectingSite();
  const before = await made({ source: '/old', draft: true });

  const response = await patch(before.id, { source: '/older/*', captureWildcard: true, draft: false, permanent: true });

  expect(response.status).toBe(200);
  const after = await response.json();
  expect(after).toEqual({
    ...before,
    ...{ source: '/older/*', captureWildcard: true, draft: false, permanent: true, updatedAt: expect.any(String) },
  });
  expect((await list()).items).toEqual([after]);
});

test('returns 409 for a source in use, and 400 for a destination on another site', async () => {
  const { made, patch, sources } = await makeRedirectingSite();
  await made({ source: '/a' });
  const { id } = await made({ source: '/b' });
  const { siteSpace } = await getSite();

  expect((await patch(id, { source: '/a' })).status).toBe(409);
  expect((await patch(id, { destination: { kind: 'site-space', siteSpaceId: siteSpace } })).status).toBe(400);
  expect(await sources()).toEqual(['/a', '/b']);
});

test('returns 404 for a redirect of another site', async () => {
  const [mine, theirs] = [await makeRedirectingSite(), await makeRedirectingSite()];
  const { id } = await theirs.made({ source: '/a' });

  expect((await mine.patch(id, { source: '/b' })).status).toBe(404);
  expect(await theirs.sources()).toEqual(['/a']);
});
