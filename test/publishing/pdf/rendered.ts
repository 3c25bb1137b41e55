import { readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Returns the object keys with this prefix in a platform's buckets, including those of unfinished multipart uploads.
 */
export function getObjects(
  { dataDir }: { dataDir: string },
  prefix = 'pdf_',
): { objects: string[]; uploads: string[] } {
  const folder = path.join(dataDir, 'state/r2/miniflare-R2BucketObject');
  const files = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  const isOurs = "key LIKE ? ESCAPE '\\'";
  const pattern = `${prefix.replace('_', '\\_')}%`;
  const readKeys = (statement: string) =>
    files.flatMap((name) => {
      const bucket = new DatabaseSync(path.join(folder, name), { readOnly: true, timeout: 5000 });
      try {
        return bucket
          .prepare(statement)
          .all(pattern)
          .map(({ key }) => String(key));
      } finally {
        bucket.close();
      }
    });
  return {
    objects: readKeys(`SELECT key FROM _mf_objects WHERE ${isOurs}`),
    uploads: readKeys(`SELECT key FROM _mf_multipart_uploads WHERE state = 0 AND ${isOurs}`),
  };
}
