import { readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { queryDatabase, writeDatabase } from '../../support/database.ts';
import type { OwnPlatform } from '../../support/own-platform.ts';
import { startOwnPlatform } from '../../support/own-platform.ts';
import { getZip } from '../../support/zip.ts';
import { beginDay, waitForAllJobs } from '../retention/trash.ts';
import { getClient } from '../space-client.ts';
import { importAll, serveSite } from './site.ts';

/** Opens the database in which the bucket lists its objects. */
function useBucket<Value>({ dataDir }: OwnPlatform, use: (bucket: DatabaseSync) => Value): Value {
  const folder = path.join(dataDir, 'state/r2/miniflare-R2BucketObject');
  const name = readdirSync(folder).find((each) => /^[0-9a-f]{64}\.sqlite$/.test(each)) ?? '';
  const bucket = new DatabaseSync(path.join(folder, name), { timeout: 5000 });
  try {
    return use(bucket);
  } finally {
    bucket.close();
  }
}

const listArchives = (server: OwnPlatform) =>
  useBucket(server, (bucket) =>
    bucket
      .prepare("SELECT key FROM _mf_objects WHERE key LIKE 'imports/%' ORDER BY key")
      .all()
      .map(({ key }) => key),
  );

function leave(server: OwnPlatform, key: string, uploaded: number): void {
  useBucket(server, (bucket) =>
    bucket
      .prepare(`INSERT INTO _mf_objects (key, version, size, etag, uploaded, checksums, http_metadata, custom_metadata)
        VALUES (?, ?, 0, 'x', ?, '{}', '{}', '{}')`)
      .run(key, key, uploaded),
  );
}

test('deletes unused archives after a day, but not those that an import reads', async () => {
  const server = await startOwnPlatform({ allowsPrivate: true });
  try {
    const { url } = await serveSite({ '/a.zip': { body: getZip([{ name: 'a.md', body: '# A' }]) } });
    const space = getClient(server, await server.makeSpace());
    const { id } = await importAll(space, { url: `${url}/a.zip`, source: 'zip' });
    await waitForAllJobs(server);
    const [{ phase } = { phase: '' }] = queryDatabase<{ phase: string }>(
      server.dataDir,
      'SELECT phase FROM imports WHERE id = ?',
      id,
    );
    expect(phase).toBe('ended');
    const old = Date.now() - 25 * 3_600_000;
    leave(server, 'imports/imp_left', old);
    leave(server, 'imports/imp_new', Date.now());
    leave(server, 'imports/imp_runs', old);
    await writeDatabase(
      server,
      `INSERT INTO imports SELECT 'imp_runs', space, organization, branch, source, url, 'running', 'gather', error, folder,
        robots, navigation, base, lineage, revision, seq, cursor, known, total, pages, files, skipped, failed, bytes, resumed,
        created_by, request_id, created_at, ?, finished_at, depth FROM imports WHERE id = ?`,
      Date.now() + 3_600_000,
      id,
    );

    await beginDay(server);

    expect(listArchives(server)).toEqual(['imports/imp_new', 'imports/imp_runs']);
  } finally {
    await server.remove();
  }
});
