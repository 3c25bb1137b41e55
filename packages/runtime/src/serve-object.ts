import { readRange } from './byte-range.ts';
import type { ServedFile } from './file-headers.ts';
import { fileHeaders } from './file-headers.ts';

interface ServedObject extends ServedFile {
  /** Of the bucket. */
  key: string;
  /** In quotes. */
  etag: string;
}

/** Answers with an object of a bucket, or with the part of it that is asked for; undefined where there is none. */
export async function serveObject(
  request: Request,
  bucket: R2Bucket,
  object: ServedObject,
): Promise<Response | undefined> {
  const { key, etag } = object;
  const headers = fileHeaders(object, etag);
  if (isFresh(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  const wanted = request.headers.get('range');
  const condition = request.headers.get('if-range');
  if (wanted !== null && (condition === null || condition === etag)) {
    const head = await bucket.head(key);
    if (head === null) return undefined;
    const range = readRange(wanted, head.size);
    if (range !== undefined) return servePart(bucket, key, { range, size: head.size, headers });
  }
  const whole = await bucket.get(key);
  if (whole === null) return undefined;
  headers.set('content-length', String(whole.size));
  return new Response(whole.body, { headers });
}

/** `If-None-Match` compares weakly: a list of tags, or a star. */
const isFresh = (header: string | null, etag: string): boolean =>
  (header ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));

interface Part {
  range: Exclude<ReturnType<typeof readRange>, undefined>;
  size: number;
  headers: Headers;
}

async function servePart(bucket: R2Bucket, key: string, { range, size, headers }: Part): Promise<Response | undefined> {
  if (range === null) {
    headers.set('content-range', `bytes */${size}`);
    headers.set('cache-control', 'no-store');
    return new Response(null, { status: 416, headers });
  }
  const object = await bucket.get(key, { range });
  if (object === null) return undefined;
  headers.set('content-range', `bytes ${range.offset}-${range.offset + range.length - 1}/${size}`);
  headers.set('content-length', String(range.length));
  return new Response(object.body, { status: 206, headers });
}
