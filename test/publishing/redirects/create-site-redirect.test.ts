import { expect, test } from 'vitest';
import { listFieldsMissingForAnyVersion } from '../../clients/official/versions.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { getSite } from '../customized-site.ts';
import { elsewhere, makeRedirectingSite } from './redirecting-site.ts';

test('redirects a path to each kind of target', async () => {
  const { section, siteSpace, create, list } = await makeRedirectingSite();
  const destinations = [
    elsewhere,
    { kind: 'site-section', siteSectionId: section },
    { kind: 'site-space', siteSpaceId: siteSpace },
    { kind: 'site-page', siteSpaceId: siteSpace, pageId: 'pg_1' },
    { kind: 'site-page', siteSpaceId: siteSpace, pageId: 'pg_1', anchor: 'a b' },
  ];

  for (const [index, destination] of destinations.entries()) {
    const response = await create({ source: `/old/${index}`, destination });
    const redirect = await response.json();
    expect(response.status).toBe(201);
    expect(redirect).toEqual({
      object: 'site-redirect',
      id: expect.stringMatching(/^srd_/),
      source: `/old/${index}`,
      ...{ draft: false, permanent: false, captureWildcard: false, destination },
      createdAt: expect.any(String),
    });
    if (destination !== elsewhere) expect(listFieldsMissingForAnyVersion('createSiteRedirect', redirect)).toEqual([]);
  }
  expect((await list()).count).toBe(5);
});

test.each([
  ['old'],
  ['/'],
  ['/*'],
  ['/a*'],
  ['/a/*/b'],
  ['/a//b'],
  ['/a/'],
  ['/a?b'],
  ['/a#b'],
  ['/a b'],
  ['/a%2'],
  ['//evil.example'],
  [`/${'x'.repeat(512)}`],
  [`/${'%41%C3%BC'.repeat(60)}`],
])('rejects the source %s', async (source) => {
  const { create, sources } = await makeRedirectingSite();

  expect((await create({ source })).status).toBe(400);
  expect(await sources()).toEqual([]);
});

test.each([
  [{ kind: 'external', url: 'javascript:alert(1)' }],
  [{ kind: 'external', url: '//evil.example' }],
  [{ kind: 'site-section' }],
  [{ kind: 'path', path: '/x' }],
  [null],
])('rejects the destination %j', async (destination) => {
  const { create } = await makeRedirectingSite();

  expect((await create({ source: '/old', destination })).status).toBe(400);
});

test('rejects a destination of another site', async () => {
  const { section, siteSpace, create, sources } = await makeRedirectingSite();
  const theirs = await getSite();

  for (const destination of [
    { kind: 'site-section', siteSectionId: theirs.section },
    { kind: 'site-space', siteSpaceId: theirs.siteSpace },
    { kind: 'site-page', siteSpaceId: theirs.siteSpace, pageId: 'pg_1' },
    { kind: 'site-section', siteSectionId: siteSpace },
    { kind: 'site-space', siteSpaceId: section },
  ])
    expect((await create({ source: '/old', destination })).status).toBe(400);
  expect(await sources()).toEqual([]);
});

test('returns 409 for a source in use, in any encoding, except for drafts and wildcards', async () => {
  const { create, sources } = await makeRedirectingSite();
  await create({ source: '/a%2Db' });

  expect((await create({ source: '/a-b' })).status).toBe(409);
  expect((await create({ source: '/a-b', draft: true })).status).toBe(201);
  expect((await create({ source: '/a-b/*' })).status).toBe(201);
  expect((await create({ source: '/A-b' })).status).toBe(201);
  expect(await sources()).toEqual(['/A-b', '/a-b', '/a-b/*']);
});

test('only one of 25 concurrent requests creates the source', async () => {
  const { create, sources } = await makeRedirectingSite();

  const responses = await Promise.all(Array.from({ length: 25 }, () => create({ source: '/old' })));

  expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array(24).fill(409)]);
  expect(await sources()).toEqual(['/old']);
});

test('rejects a redirect to itself', async () => {
  const { id, organization, create } = await makeRedirectingSite();
  const own = new URL(`/-/${organization.id}/${id}`, platform().url).href;

  expect((await create({ source: '/a', destination: { kind: 'external', url: `${own}/a?x` } })).status).toBe(400);
  expect((await create({ source: '/a/*', destination: { kind: 'external', url: `${own}/a/b` } })).status).toBe(400);
  expect((await create({ source: '/a', destination: { kind: 'external', url: `${own}/b` } })).status).toBe(201);
});

test('a site has at most 5,000 redirects', async () => {
  const { id, create } = await makeRedirectingSite();
  await writeDatabase(
    platform(),
    `INSERT INTO site_redirects (id, site, source, destination, created_at, updated_at)
      SELECT 'srd_' || ?1 || value, ?1, '/' || value, '{"kind":"external","url":"https://example.com"}', 1, 1
      FROM generate_series(1, 4999)`.replace(
      'generate_series(1, 4999)',
      '(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 4999) SELECT value FROM n)',
    ),
    id,
  );

  expect((await create({ source: '/last' })).status).toBe(201);
  expect((await create({ source: '/beyond' })).status).toBe(409);
  expect(query('SELECT COUNT(*) AS count FROM site_redirects WHERE site = ?', id)).toEqual([{ count: 5000 }]);
});
