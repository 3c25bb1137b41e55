import type { Database, RecordOf, Statement } from '@octavo/db';
import { given, selection, uploads } from '@octavo/db';
import { log } from '@octavo/runtime';
import { aliasedTable, sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { objectOf, tailOf } from '../uploads/upload-address.ts';
import { maxRows } from './part.ts';

const hour = 3_600_000;
const abortedAtOnce = 20;

const u = aliasedTable(uploads, 'u');
const leftRow = selection({ id: u.id, multipart: u.multipart, isWhole: given(Boolean), isHeld: given(Boolean) });
export type LeftUpload = RecordOf<typeof leftRow>;

/** Uploads that have been over for an hour: no request still writes to one. Some are held by a blob, which keeps the bytes. */
export const leftUploads = () =>
  leftRow.query(
    sql`SELECT ${leftRow.with({
      isWhole: sql`u.blob IS NOT NULL`,
      isHeld: sql`EXISTS (SELECT 1 FROM blobs b WHERE b.object = 'uploads/' || u.id)`,
    })} FROM uploads u WHERE u.expires_at < ${Date.now() - hour} ORDER BY u.expires_at LIMIT ${maxRows}`,
  );

/** Deletes what came of uploads and is held by nothing, before their rows: until those are gone, they are found again. */
export async function deleteUploaded({ FILES }: Pick<ContentEnvironment, 'FILES'>, left: LeftUpload[]): Promise<void> {
  const begun = left.flatMap(({ id, multipart, isWhole }) =>
    multipart === null || isWhole ? [] : [{ key: objectOf(id), multipart }],
  );
  for (let start = 0; start < begun.length; start += abortedAtOnce) {
    const some = begun.slice(start, start + abortedAtOnce);
    await Promise.all(some.map(({ key, multipart }) => abort(FILES, key, multipart)));
  }
  const objects = left.flatMap(({ id, isHeld }) => [tailOf(id), ...(isHeld ? [] : [objectOf(id)])]);
  if (objects.length > 0) await FILES.delete(objects);
}

/** One that the bucket has forgotten, or completed, is no reason to keep the others: the bucket ends it after a week. */
const abort = (files: R2Bucket, key: string, multipart: string): Promise<void> =>
  files
    .resumeMultipartUpload(key, multipart)
    .abort()
    .catch((error: unknown) => log('warn', 'an upload in parts was not ended', { key, cause: String(error) }));

export function forgetUploads(db: Database, left: LeftUpload[]): Statement[] {
  if (left.length === 0) return [];
  const ids = JSON.stringify(left.map(({ id }) => id));
  return [db.run(sql`DELETE FROM uploads WHERE id IN (SELECT value FROM json_each(${ids}))`)];
}
