import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform } from '../../support/own-platform.ts';
import { createHtml, importAll, serveSite } from '../imports/site.ts';
import { getClient } from '../space-client.ts';
import { advanceOneDay, getCosts, getRows, setDeletedDaysAgo, waitForAllJobs } from './trash.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform({ allowsPrivate: true });
});
afterAll(() => server?.remove());

/** Writes imports directly to the database, without queued jobs. One is running, and some of the others failed. */
async function insertImports(space: string, organization: string, count: number): Promise<void> {
  const numbers = `WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < ${count - 1})`;
  await writeDatabase(
    server,
    `${numbers} INSERT INTO imports (id, space, organization, branch, source, url, status, phase, base, lineage, revision,
      created_by, request_id, created_at, updated_at) SELECT 'imp_' || ? || n, ?, ?, ?, 'zip', '',
      CASE n WHEN 0 THEN 'running' ELSE 'completed' END, CASE n WHEN 0 THEN 'link' ELSE 'ended' END, '', '[]', '', '', '', 1, ?
      FROM n`,
    ...[space, space, organization, space, Date.now() + 3_600_000],
  );
  await writeDatabase(
    server,
    `${numbers}, a(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM a WHERE a < 20)
      INSERT INTO import_addresses (import, address, url, kind, rank, ordinal, status)
      SELECT 'imp_' || ? || n, a, '', 'page', 1, a, 'failed' FROM n, a`,
    space,
  );
}

test('purges the imports of a space with their URLs, but not those of other spaces', async () => {
  const organization = await server.makeOrganization();
  const { url } = await serveSite({ '/': createHtml('Home', '<a href="/gone">Gone</a>'), '/b': createHtml('B') });
  const stays = getClient(server, await server.makeSpace({ organization }));
  await importAll(stays, { url });
  await waitForAllJobs(server);
  const rowsBefore = getRows(server);
  const space = await server.makeSpace({ organization });
  const state = await importAll(getClient(server, space), { url });
  expect(state.failures).toHaveLength(1);
  await insertImports(space.id, organization.id, 120);
  await setDeletedDaysAgo(server, space.id, 8);

  await advanceOneDay(server);

  const { imports = 0, import_addresses: addresses = 0 } = rowsBefore;
  expect([imports, addresses]).toEqual([1, 1]);
  expect(getRows(server)).toMatchObject({ imports, import_addresses: addresses });
  expect(queryDatabase(server.dataDir, 'SELECT 1 FROM spaces WHERE id = ?', space.id)).toEqual([]);
  const steps = (await getCosts(server, space.id)).imports ?? [];
  expect(steps.length).toBeGreaterThan(3);
  for (const { rowsWritten, rowsRead } of steps) {
    expect(rowsWritten).toBeLessThan(2000);
    expect(rowsRead).toBeLessThan(8000);
  }
});
