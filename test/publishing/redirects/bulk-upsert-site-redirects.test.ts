import type { BulkRedirectResult, Issue } from '@octavo/schema';
import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { elsewhere, makeRedirectingSite } from './redirecting-site.ts';

const getResults = async (response: Response) => ((await response.json()) as { results: BulkRedirectResult[] }).results;

test('creates, changes, deletes and publishes redirects in one request', async () => {
  const { made, bulk, list, id } = await makeRedirectingSite();
  const untouchedRedirect = await made({ source: '/kept', permanent: true });
  await made({ source: '/gone' });
  const draft = await made({ source: '/draft', draft: true });
  const live = await made({ source: '/live' });
  await made({ source: '/live', draft: true, destination: { kind: 'external', url: 'https://example.com/next' } });

  const response = await bulk([
    { source: '/new/*', destination: elsewhere, captureWildcard: true },
    { source: '/kept', destination: { kind: 'external', url: 'https://example.com/other' } },
    { source: '/gone', destination: null },
    { source: '/draft', intent: 'publish' },
    { source: '/live', intent: 'publish' },
    { source: '/later', intent: 'draft', destination: elsewhere },
  ]);

  expect(response.status).toBe(200);
  expect(await getResults(response)).toEqual([
    { status: 'created', source: '/new/*', draft: false, id: expect.any(String) },
    { status: 'updated', source: '/kept', draft: false, id: untouchedRedirect.id },
    { status: 'deleted', source: '/gone', draft: false },
    { status: 'published', source: '/draft', draft: false, id: draft.id },
    { status: 'published', source: '/live', draft: false, id: live.id },
    { status: 'created', source: '/later', draft: true, id: expect.any(String) },
  ]);
  const { items } = await list();
  expect(items.map(({ source }) => source).toSorted()).toEqual(['/draft', '/kept', '/live', '/new/*']);
  expect(items.find(({ source }) => source === '/kept')).toMatchObject({
    ...{ permanent: true, destination: { url: 'https://example.com/other' } },
  });
  expect(items.find(({ source }) => source === '/live')).toMatchObject({
    destination: { url: 'https://example.com/next' },
  });
  expect((await list('?draft=true')).items.map(({ source }) => source)).toEqual(['/later']);
  expect(query('SELECT data FROM outbox WHERE type = ?', 'site_redirects.changed')).toContainEqual({
    data: JSON.stringify({ site: id, redirects: 6 }),
  });
});

test('a single error rejects the whole request, and all errors are reported', async () => {
  const { bulk, sources } = await makeRedirectingSite();

  const response = await bulk([
    { source: '/fine', destination: elsewhere },
    { source: '/nothing', destination: null },
    { source: '/none', intent: 'publish' },
    { source: '/fine', destination: elsewhere },
    { source: '/lost', destination: { kind: 'site-space', siteSpaceId: 'ss_none' } },
  ]);

  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { issues: Issue[] } };
  expect(error.issues.map(({ path }) => path).toSorted()).toEqual([
    'body.redirects.1.source',
    'body.redirects.2.source',
    'body.redirects.3.source',
    'body.redirects.4.destination',
  ]);
  expect(await sources()).toEqual([]);
});

test('accepts at most 500 redirects', async () => {
  const { bulk, list } = await makeRedirectingSite();
  const entries = Array.from({ length: 501 }, (_, index) => ({ source: `/${index}`, destination: elsewhere }));

  expect((await bulk(entries)).status).toBe(400);
  expect((await bulk([])).status).toBe(400);
  expect((await bulk(entries.slice(1))).status).toBe(200);
  expect((await list('?limit=1000')).count).toBe(500);
  expect(new Set((await getResults(await bulk(entries.slice(1)))).map(({ status }) => status))).toEqual(
    new Set(['updated']),
  );
});

test('concurrent requests with the same sources create each source once', async () => {
  const { bulk, sources } = await makeRedirectingSite();
  const entries = ['/a', '/b', '/c'].map((source) => ({ source, destination: elsewhere }));

  const responses = await Promise.all(Array.from({ length: 5 }, () => bulk(entries)));

  expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(await sources()).toEqual(['/a', '/b', '/c']);
});
