import type { Database, Row, Statement } from '@octavo/db';
import { blobs, given, runBatch, selection } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { maxRows } from './part.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** A version of a file holds a blob, of whichever branch and however old. */
const isHeld = sql`EXISTS (SELECT 1 FROM versions v WHERE v.kind = 'file' AND v.data->>'$.fields.blob' = +blobs.key)`;

/** All that may refer to a blob, and keeps its bytes. */
const uses = (): SQL[] => [
  isHeld,
  sql`EXISTS (SELECT 1 FROM uploads u WHERE u.blob = +blobs.key AND u.expires_at > ${Date.now()})`,
];

const isUnused = (): SQL => sql`NOT (${sql.join(uses(), sql` OR `)})`;

const doomedRow = selection({ doomed: given(blobs.key), object: given(blobs.object) });

/** A blob that is doomed takes no upload any more: whoever doomed it deletes its bytes at once, and then its row. */
const doom = (which: SQL): Statement =>
  doomedRow.query(
    sql`UPDATE blobs SET doomed_at = ${Date.now()} WHERE ${which} RETURNING key AS ${doomedRow.names.doomed},
      object AS ${doomedRow.names.object}`,
  );

/** Dooms those of the blobs that nothing refers to any more; one that was claimed within the hour waits for the sweep. */
export function releaseBlobs(keys: string[]): Statement[] {
  if (keys.length === 0) return [];
  const released = sql`key IN (SELECT value FROM json_each(${JSON.stringify(keys)})) AND ${isUnused()}`;
  return [doom(sql`${released} AND doomed_at IS NULL AND claimed_at < ${Date.now() - hour}`)];
}

/** Keys of blobs that were uploaded a day ago and not used, or that a run doomed an hour ago and did not get to delete. */
export const selectLeftBlobs = (): SQL => sql`
  SELECT * FROM (SELECT key FROM blobs WHERE settled = 0 AND doomed_at IS NULL AND claimed_at < ${Date.now() - day}
    ORDER BY claimed_at LIMIT ${maxRows})
  UNION SELECT * FROM (SELECT key FROM blobs WHERE doomed_at IS NOT NULL AND doomed_at < ${Date.now() - hour}
    ORDER BY doomed_at LIMIT ${maxRows})`;

/**
 * Dooms blobs that `selectLeftBlobs` has found; those that a version holds after all are settled. No run lasts an hour:
 * a slow one never deletes bytes that were stored anew since.
 */
export function sweepBlobs(db: Database, keys: string[]): Statement[] {
  if (keys.length === 0) return [];
  const left = sql`key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
  const overdue = sql`CASE WHEN doomed_at IS NULL THEN settled = 0 AND claimed_at < ${Date.now() - day}
    ELSE doomed_at < ${Date.now() - hour} END`;
  return [
    db.run(sql`UPDATE blobs SET settled = 1 WHERE ${left} AND doomed_at IS NULL AND ${isHeld}`),
    doom(sql`${left} AND ${overdue} AND ${isUnused()}`),
  ];
}

/** What a batch doomed: the keys, and where else in the bucket their bytes are. */
export const doomedIn = (rows: Row[]): string[] =>
  rows.flatMap(({ doomed, object }) =>
    typeof doomed === 'string' ? [doomed, ...(typeof object === 'string' ? [object] : [])] : [],
  );

/** As many objects as R2 deletes at once. */
const deletedAtOnce = 1000;

/** Deletes the bytes of doomed blobs, and then their rows: until the rows are gone, the sweep finds them again. */
export async function deleteBytes(
  { env, db }: { env: Pick<ContentEnvironment, 'FILES'>; db: Database },
  keys: string[],
): Promise<void> {
  if (keys.length === 0) return;
  for (let start = 0; start < keys.length; start += deletedAtOnce)
    await env.FILES.delete(keys.slice(start, start + deletedAtOnce));
  const rows = sql`key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
  await runBatch(db, [db.run(sql`DELETE FROM blobs WHERE ${rows} AND doomed_at IS NOT NULL`)]);
}
