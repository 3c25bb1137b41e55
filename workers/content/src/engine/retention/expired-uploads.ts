import type { Database, RecordOf, Statement } from '@octavo/db';
import { fromQuery, selection, uploads } from '@octavo/db';
import { log } from '@octavo/runtime';
import { aliasedTable, sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { getObjectKey, getTailKey } from '../uploads/upload-record.ts';
import { hour, maxRows } from './retention.ts';

const maxParallelAborts = 20;

const u = aliasedTable(uploads, 'u');
const expiredUploadRow = selection({
  id: u.id,
  multipart: u.multipart,
  isWhole: fromQuery(Boolean),
  isHeld: fromQuery(Boolean),
});
export type ExpiredUpload = RecordOf<typeof expiredUploadRow>;

/**
 * Returns the query for uploads that expired more than an hour ago, so no request writes to them. A blob may still use
 * the bytes of such an upload.
 */
export const queryExpiredUploads = () =>
  expiredUploadRow.query(
    sql`SELECT ${expiredUploadRow.with({
      isWhole: sql`u.blob IS NOT NULL`,
      isHeld: sql`EXISTS (SELECT 1 FROM blobs b WHERE b.object = 'uploads/' || u.id)`,
    })} FROM uploads u WHERE u.expires_at < ${Date.now() - hour} ORDER BY u.expires_at LIMIT ${maxRows}`,
  );

/**
 * Deletes the objects of expired uploads that no blob uses. Their rows are deleted afterwards, so that an interrupted
 * run finds the uploads again.
 */
export async function deleteUploadedObjects(
  { FILES }: Pick<ContentEnvironment, 'FILES'>,
  expired: ExpiredUpload[],
): Promise<void> {
  const multipartUploads = expired.flatMap(({ id, multipart, isWhole }) =>
    multipart === null || isWhole ? [] : [{ key: getObjectKey(id), multipart }],
  );
  for (let start = 0; start < multipartUploads.length; start += maxParallelAborts) {
    const chunk = multipartUploads.slice(start, start + maxParallelAborts);
    await Promise.all(chunk.map(({ key, multipart }) => abort(FILES, key, multipart)));
  }
  const objects = expired.flatMap(({ id, isHeld }) => [getTailKey(id), ...(isHeld ? [] : [getObjectKey(id)])]);
  if (objects.length > 0) await FILES.delete(objects);
}

/**
 * A multipart upload that the bucket no longer knows must not block the others. The bucket itself ends it after a week.
 */
const abort = (files: R2Bucket, key: string, multipart: string): Promise<void> =>
  files
    .resumeMultipartUpload(key, multipart)
    .abort()
    .catch((error: unknown) => log('warn', 'could not abort a multipart upload', { key, cause: String(error) }));

export function deleteUploads(db: Database, expired: ExpiredUpload[]): Statement[] {
  if (expired.length === 0) return [];
  const ids = JSON.stringify(expired.map(({ id }) => id));
  return [db.run(sql`DELETE FROM uploads WHERE id IN (SELECT value FROM json_each(${ids}))`)];
}
