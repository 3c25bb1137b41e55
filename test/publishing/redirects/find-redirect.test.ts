import { getCapturedPath } from '@octavo/db';
import { toRedirectPath } from '@octavo/schema';
import { expect, test } from 'vitest';
import { findSite } from '../../../workers/publishing/src/resolution/find-site.ts';
import { connectMemoryDatabase, createMemoryDatabase } from '../../support/memory-database.ts';

interface RedirectInput {
  source: string;
  draft?: boolean;
  site?: string;
}

function createSite(...redirects: RedirectInput[]) {
  const database = createMemoryDatabase();
  database.exec(`INSERT INTO organizations (id, title, created_at) VALUES ('org_1', 'O', 0);
    INSERT INTO sites (id, organization, title, basename, stamp, auth_key, created_by, created_at)
    VALUES ('site_1', 'org_1', 'S', 'docs', '', '', 'usr_1', 0)`);
  const insert = database.prepare(`INSERT INTO site_redirects
    (id, site, source, wildcard, destination, draft, capture_wildcard, created_at, updated_at) VALUES (?, ?, ?, ?, '{}', ?, 1, 0, 0)`);
  for (const { source, draft = false, site = 'site_1' } of redirects) {
    const wildcard = source.endsWith('/*');
    insert.run(source, site, wildcard ? source.slice(0, -2) : source, wildcard ? 1 : 0, draft ? 1 : 0);
  }
  const queries: string[] = [];
  const db = connectMemoryDatabase(database, (sql) => queries.push(sql));
  const find = async (path: string) => (await findSite(db, getLookup(path)))?.redirects[0]?.id;
  return { database, queries, find };
}

const candidates = [{ by: 'organization', organization: 'org_1', basename: 'docs', depth: 0 } as const];

function getLookup(path: string) {
  const segments = path.split('/').filter((segment) => segment !== '');
  return { candidates, segments: segments.map(decodeSegment), hashes: [], isKeyed: false, user: null };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

test('prefers an exact source to a wildcard, and the longest wildcard to others', async () => {
  const { find } = createSite({ source: '/a/*' }, { source: '/a/b/*' }, { source: '/a/b/c' });

  expect(await find('/a/b/c')).toBe('/a/b/c');
  expect(await find('/a/b/d')).toBe('/a/b/*');
  expect(await find('/a/b/c/d')).toBe('/a/b/*');
  expect(await find('/a/c')).toBe('/a/*');
});

test('a wildcard matches one or more whole segments', async () => {
  const { find } = createSite({ source: '/public/*' });

  expect(await find('/public')).toBeUndefined();
  expect(await find('/public/')).toBeUndefined();
  expect(await find('/public-secret/a')).toBeUndefined();
  expect(await find('/publi/a')).toBeUndefined();
  expect(await find('/')).toBeUndefined();
  expect(await find('/public/a')).toBe('/public/*');
});

test('a draft never applies, and never takes precedence over another redirect', async () => {
  const { find } = createSite({ source: '/a', draft: true }, { source: '/b/c', draft: true }, { source: '/b/*' });

  expect(await find('/a')).toBeUndefined();
  expect(await find('/b/c')).toBe('/b/*');
});

test('ignores redirects of another site', async () => {
  const { find } = createSite({ source: '/a', site: 'site_2' }, { source: '/b/*', site: 'site_2' });

  expect(await find('/a')).toBeUndefined();
  expect(await find('/b/c')).toBeUndefined();
});

test('matches a path in any encoding', async () => {
  const { find } = createSite({ source: toRedirectPath('/a b/ü') });

  for (const path of ['/a%20b/%C3%BC', '/a%20b/%c3%bc/', 'a b/ü', '//a b//ü', '/%61%20b/ü'])
    expect(await find(path), path).toBe('/a%20b/%C3%BC');
  expect(await find('/a%2520b/ü')).toBeUndefined();
  expect(await find('/a%ZZ/\ud800')).toBeUndefined();
});

test('a very long path looks up a limited number of sources', async () => {
  const { find } = createSite({ source: '/a/*' });

  expect(await find(`/a${'/b'.repeat(100_000)}`)).toBe('/a/*');
});

test('returns the part matched by the wildcard if the redirect appends it', () => {
  const record = {
    id: '',
    destination: { kind: 'external', url: 'https://example.com' },
    draft: false,
    permanent: false,
  } as const;
  const wildcard = { ...record, source: '/a', wildcard: true, captureWildcard: true, createdAt: 0, updatedAt: 0 };

  expect(getCapturedPath(wildcard, '/a/b/c d')).toBe('/b/c%20d');
  expect(getCapturedPath({ ...wildcard, captureWildcard: false }, '/a/b')).toBe('');
  expect(getCapturedPath({ ...wildcard, wildcard: false }, '/a')).toBe('');
});

test('looks up each source by the index, however many redirects exist', async () => {
  const { database, queries, find } = createSite();
  await find('/a/b/c');
  const sql = queries.find((each) => each.includes('site_redirects')) ?? '';
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();

  expect(plan.map(({ detail }) => detail)).toContain(
    'SEARCH sr USING INDEX site_redirects_by_source (site=? AND source=? AND wildcard=? AND draft=?)',
  );
});
