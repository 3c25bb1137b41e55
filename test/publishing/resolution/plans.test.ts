import { findPreviewedSpace, findSiteAccess, findVisitedSite, findVisitedSpace } from '@octavo/db';
import type { VisitorToken } from '@octavo/schema';
import { expect, test } from 'vitest';
import { findSite } from '../../../workers/publishing/src/resolution/find-site.ts';
import { getFullScans } from '../../support/full-scans.ts';
import { connectMemoryDatabase, createMemoryDatabase } from '../../support/memory-database.ts';

const token: VisitorToken = { organization: 'org_1', site: 'site_1', stamp: 'x', claims: {}, expires: 0 };
const preview = { user: 'usr_1' };
const candidates = [
  { by: 'organization', organization: 'acme', basename: 'docs', depth: 2 } as const,
  { by: 'hostname', hostname: 'docs.example', depth: 0 } as const,
];

test('statements for visitors use indexes and never scan a table', async () => {
  const database = createMemoryDatabase();
  const queries = new Set<string>();
  const db = connectMemoryDatabase(database, (sql) => queries.add(sql));
  await findSite(db, { candidates, segments: ['acme', 'docs', 'a'], hashes: ['x'], isKeyed: true, user: 'usr_1' });
  await findVisitedSite(db, token);
  await findVisitedSpace(db, token, { space: 'spc_1', revision: 'rev_1' });
  await findPreviewedSpace(db, { ...token, preview }, { space: 'spc_1' });
  await findSiteAccess(db, 'x', { organization: 'org_1', site: 'site_1' });

  expect(queries.size).toBeGreaterThan(7);
  expect([...queries].flatMap((sql) => getFullScans(database, sql))).toEqual([]);
});

test('the test detects a statement that scans a table', () => {
  const database = createMemoryDatabase();

  expect(getFullScans(database, 'SELECT * FROM site_spaces WHERE path = ?')).toEqual(['site_spaces']);
  expect(getFullScans(database, 'SELECT COUNT(*) FROM sites').length).toBe(1);
  expect(getFullScans(database, 'SELECT id FROM site_spaces ORDER BY id DESC')).toHaveLength(1);
  expect(getFullScans(database, 'SELECT * FROM site_spaces WHERE site = ? AND section = ?')).toEqual([]);
  expect(getFullScans(database, 'WITH a AS MATERIALIZED (SELECT 1 AS b) SELECT * FROM a ORDER BY b')).toEqual([]);
});
