import { given, readRows, runBatch, selection, uploads } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { invalid, notFound } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { StoredBlob } from '../blobs/store-blobs.ts';
import { storeBlobs } from '../blobs/store-blobs.ts';
import { readPieces, type UploadContext } from './receive-bytes.ts';
import { takenOver } from './upload-record.ts';

const u = aliasedTable(uploads, 'u');
const memberRow = selection({ id: u.id, name: u.name, contentType: u.contentType, size: u.size });

interface Bundle {
  id: string;
  organization: OrganizationId;
}

/**
 * Stores files whose bytes come in one body, one after the other: all of them or none. Bytes that come again are no fault.
 * @param length What the request says that it brings, if it does.
 * @throws ApiError not_found, invalid, conflict, unavailable
 */
export async function receiveBundle(
  { env, db }: UploadContext,
  { id, organization }: Bundle,
  { body, length }: { body: ReadableStream<Uint8Array> | null; length: number | undefined },
): Promise<void> {
  const members = await readRows(
    db,
    memberRow.query(sql`SELECT ${memberRow} FROM uploads u
      WHERE u.bundle = ${id} AND u.organization = ${organization} AND u.expires_at > ${Date.now()} ORDER BY u.ordinal`),
  );
  if (members.length === 0) throw notFound('upload');
  const total = members.reduce((sum, { size }) => sum + size, 0);
  if (length !== undefined && length !== total) throw otherLength(length, total);
  const bytes = await readWhole(body, total);
  let at = 0;
  const files = members.map(({ name, contentType, size }) => {
    at += size;
    return { name, contentType, bytes: bytes.subarray(at - size, at) };
  });
  const blobs = await storeBlobs(env, db, organization, files);
  const noted = await runBatch(
    db,
    note(members.flatMap((member, index) => ({ ...(blobs[index] as StoredBlob), id: member.id }))),
  );
  if (noted.length < members.length) throw takenOver();
}

const otherLength = (length: number, total: number) =>
  invalid([{ path: 'body', message: `has ${length} bytes, and ${total} were announced` }]);

async function readWhole(body: ReadableStream<Uint8Array> | null, total: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(total);
  let length = 0;
  await readPieces(body, (some) => {
    if (length + some.length > total) throw otherLength(length + some.length, total);
    bytes.set(some, length);
    length += some.length;
  });
  if (length < total) throw otherLength(length, total);
  return bytes;
}

const notedRow = selection({ noted: given(String) });

const note = (files: ({ id: string } & StoredBlob)[]) =>
  notedRow.query(sql`
    UPDATE uploads SET blob = w.value->>'key', received = size, content_type = w.value->>'contentType',
      oid = w.value->>'oid', width = w.value->>'width', height = w.value->>'height',
      settled = COALESCE((SELECT b.settled FROM blobs b WHERE b.key = w.value->>'key'), 0)
    FROM json_each(${JSON.stringify(files)}) w
    WHERE uploads.id = w.value->>'id' AND expires_at > ${Date.now()} AND (blob IS NULL OR blob = w.value->>'key')
    RETURNING uploads.id AS ${notedRow.names.noted}`);
