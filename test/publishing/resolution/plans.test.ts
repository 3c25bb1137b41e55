import { findPreviewedSpace, findSiteAccess, findVisitedSite, findVisitedSpace } from '@octavo/db';
import type { VisitorToken } from '@octavo/schema';
import { expect, test } from 'vitest';
import { findSite } from '../../../workers/publishing/src/resolution/find-site.ts';
import { boundTo, memoryDatabase } from '../../support/memory-database.ts';

const token: VisitorToken = { organization: 'org_1', site: 'site_1', stamp: 'x', claims: {}, expires: 0 };
const preview = { user: 'usr_1' };
const candidates = [
  { by: 'organization', organization: 'acme', basename: 'docs', depth: 2 } as const,
  { by: 'hostname', hostname: 'docs.example', depth: 0 } as const,
];

test('what visitors meet is found by indexes, never by reading through a table', async () => {
  const database = memoryDatabase();
  const asked = new Set<string>();
  const db = boundTo(database, (sql) => asked.add(sql));
  await findSite(db, { candidates, segments: ['acme', 'docs', 'a'], hashes: ['x'], user: 'usr_1' });
  await findVisitedSite(db, token);
  await findVisitedSpace(db, token, { space: 'spc_1', revision: 'rev_1' });
  await findPreviewedSpace(db, { ...token, preview }, { space: 'spc_1' });
  await findSiteAccess(db, 'x', { organization: 'org_1', site: 'site_1' });

  const read = [...asked].flatMap((sql) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
      .filter((detail) =>
        /^SCAN (?!CONSTANT|json_each|segment\b|h\b|p\b|wanted\b|site\b|present\b|former\b|asked_path\b|claimants\b|sections\b|picked\b|chain\b|\(subquery)/.test(
          detail,
        ),
      ),
  );
  expect(asked.size).toBeGreaterThan(7);
  expect(read).toEqual([]);
});
