import type { Database } from '@octavo/db';
import { blobs, readRow, selection } from '@octavo/db';
import type { ServiceContext } from '@octavo/runtime';
import type { BookFile, RevisionId, SpaceId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { findNodes, lineageOfRevision } from '../../engine/store/lineage.ts';
import { fileFields, toNode } from '../../engine/store/nodes.ts';
import type { ContentEnvironment } from '../../environment.ts';

const maxBytes = 10 * 1024 * 1024;

interface Reading {
  space: SpaceId;
  revision: RevisionId;
  file: string;
}

/** The bytes of a file that a revision holds; null where there is none, or where it is too large for a book. */
export async function readBookFile(
  { file, ...at }: Reading,
  { db, env }: Pick<ServiceContext<ContentEnvironment>, 'db' | 'env'>,
): Promise<BookFile | null> {
  const row = await readRow(db, findNodes(lineageOfRevision(at), sql`SELECT 'file' AS kind, ${file} AS id`));
  const node = row && toNode(row);
  if (node === undefined) return null;
  const { blob, size, contentType } = fileFields(node);
  if (size > maxBytes) return null;
  const object = (await env.FILES.get(blob)) ?? (await bytesElsewhere(db, blob, env.FILES));
  return object === null ? null : { bytes: new Uint8Array(await object.arrayBuffer()), contentType };
}

const objectRow = selection({ object: blobs.object });

/** Large files stay where they were uploaded to. */
async function bytesElsewhere(db: Database, blob: string, bucket: R2Bucket): Promise<R2ObjectBody | null> {
  const row = await readRow(db, objectRow.query(sql`SELECT ${objectRow} FROM blobs WHERE key = ${blob}`));
  return row?.object == null ? null : bucket.get(row.object);
}
