import { callOperator } from '@octavo/platform';
import { createId } from '@octavo/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntilMidMinute } from '../../support/between-minutes.ts';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform } from '../../support/own-platform.ts';
import { getClient } from '../space-client.ts';
import { createHtml, serveSite, startImport, waitForImport } from './site.ts';

let server: OwnPlatform;
beforeAll(async () => {
  server = await startOwnPlatform();
});
afterAll(() => server?.remove());

describe.each(['website', 'markdown', 'zip'])('the source %s', (source) => {
  test.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://user:secret@example.test/',
  ])('is rejected with the URL %s, and nothing is written', async (url) => {
    const space = getClient(server, await server.makeSpace());

    const { status, body } = await startImport(space, { url, source });

    expect(status).toBe(400);
    expect(body.error.issues).toEqual([{ path: 'body.url', message: expect.stringMatching(/private|credentials/) }]);
    expect(queryDatabase(server.dataDir, 'SELECT id FROM imports WHERE space = ?', space.space)).toEqual([]);
  });

  test('sends no request to a server on loopback', async () => {
    const { url, requestedPaths } = await serveSite({ '/': createHtml('Inside') });
    const space = getClient(server, await server.makeSpace());

    expect((await startImport(space, { url, source })).status).toBe(400);
    expect(requestedPaths).toEqual([]);
  });
});

/**
 * Writes an import in the state after a crash before its first job was written. Waits for a gap between cron runs, so
 * that no cron run sees half of it.
 */
async function insertDuringImport(
  space: string,
  organization: string,
  more: { resumed?: number; url?: string } = {},
): Promise<string> {
  await waitUntilMidMinute();
  const id = createId('import');
  const [head] = queryDatabase<{ id: string; lineage: string }>(
    server.dataDir,
    'SELECT id, lineage FROM revisions WHERE branch = ? ORDER BY seq DESC LIMIT 1',
    space,
  );
  const url = more.url ?? 'http://127.0.0.1:1/';
  await writeDatabase(
    server,
    `INSERT INTO imports (id, space, organization, branch, source, url, folder, base, lineage, revision, resumed, known,
      total, created_by, request_id, created_at, updated_at) VALUES (?, ?, ?, ?, 'website', ?, ?, ?, ?, ?, ?, 1, 1, '', '', ?, 1)`,
    ...[id, space, organization, space, url, url, head?.id ?? '', head?.lineage ?? '', head?.id ?? ''],
    ...[more.resumed ?? 0, Date.now()],
  );
  await writeDatabase(
    server,
    `INSERT INTO import_addresses (import, address, url, kind, rank, ordinal) VALUES (?, 'x', ?, 'page', 1, 0)`,
    id,
    url,
  );
  return id;
}

test('rejects private addresses in redirects and links, and fails if no page is imported', async () => {
  const newSpace = await server.makeSpace();
  const space = getClient(server, newSpace);
  const id = await insertDuringImport(newSpace.id, newSpace.organization);

  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });
  const state = await waitForImport(space, id);

  expect(state).toMatchObject({
    status: 'failed',
    error: 'No page could be imported.',
    failures: [{ url: 'http://127.0.0.1:1/', error: expect.stringContaining('private address') }],
  });
});

test('an import that stalls repeatedly fails with the reason', async () => {
  const newSpace = await server.makeSpace();
  const space = getClient(server, newSpace);
  const id = await insertDuringImport(newSpace.id, newSpace.organization, { resumed: 3 });

  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '* * * * *' });

  expect(await waitForImport(space, id)).toMatchObject({ status: 'failed', error: expect.stringContaining('stalled') });
});
