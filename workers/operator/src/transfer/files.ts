import { toHex } from '@octavo/runtime';
import type { ExportedFile } from '@octavo/schema';
import { ApiError, maxReadBytes } from '@octavo/schema';
import type { Body, OperatorEnvironment } from '../environment.ts';
import { requireImport } from './import.ts';
import { fromBase64, toBase64 } from './tables.ts';

const maxListed = 500;
/** The static files of builds and rendered documents, which each installation generates itself. */
const generatedFiles = /^(?:(?:assets|documents)\/|unused-assets\.json$)/;

function getBucket({ FILES, RENDERED }: OperatorEnvironment, name: unknown): R2Bucket {
  if (name === 'FILES') return FILES;
  if (name === 'RENDERED') return RENDERED;
  throw new ApiError('invalid', `There is no bucket ${name}.`);
}

interface ListedFiles {
  files: ExportedFile[];
  cursor: string | null;
}

/** Lists files of a bucket in the order of their keys. */
export async function listFiles(env: OperatorEnvironment, { bucket, cursor }: Body): Promise<ListedFiles> {
  const options = {
    limit: maxListed,
    include: ['httpMetadata', 'customMetadata'],
    ...(typeof cursor === 'string' ? { cursor } : {}),
  } as R2ListOptions;
  const found = await getBucket(env, bucket).list(options);
  return {
    files: found.objects
      .filter(({ key }) => !generatedFiles.test(key))
      .map(({ key, etag, size, httpMetadata, customMetadata }) => ({
        ...{ bucket: String(bucket), key, etag, size },
        httpMetadata: (httpMetadata ?? {}) as Record<string, string>,
        customMetadata: customMetadata ?? {},
      })),
    cursor: found.truncated ? found.cursor : null,
  };
}

/**
 * Returns a part of a version of a file; null if the file was deleted.
 * @throws ApiError if it was replaced, or if the part would need too much memory
 */
export async function readPart(
  env: OperatorEnvironment,
  { bucket, key, etag, offset, length }: Body,
): Promise<{ base64: string | null }> {
  const range = { offset: Number(offset), length: Number(length) };
  if (!(range.length <= maxReadBytes)) throw new ApiError('invalid', `A part can have at most ${maxReadBytes} bytes.`);
  const object = await getBucket(env, bucket).get(String(key), { range, onlyIf: { etagMatches: String(etag) } });
  if (object === null) return { base64: null };
  if (!('body' in object)) throw new ApiError('conflict', `The file ${key} was changed during the export.`);
  return { base64: toBase64(new Uint8Array(await object.arrayBuffer())) };
}

const toOptions = ({ httpMetadata, customMetadata }: Body) => ({
  httpMetadata: httpMetadata as R2HTTPMetadata,
  customMetadata: customMetadata as Record<string, string>,
});

const differs = (key: unknown): ApiError =>
  new ApiError('conflict', `The file ${key} was not stored, because it differs from the export. Import again.`);

/** The numbers of R2's errors for bytes that differ from their hash or size, and for parts that are missing or too small. */
const wrongBytes = /\((?:10011|10025|10037|10048)\)/;

/** Stores bytes. @throws ApiError if R2 refuses them */
async function storeBytes<Stored>(key: unknown, store: () => Promise<Stored>): Promise<Stored> {
  try {
    return await store();
  } catch (error) {
    throw error instanceof Error && wrongBytes.test(error.message) ? differs(key) : error;
  }
}

/** Stores a file that fits into one call. */
export async function writeFile(env: OperatorEnvironment, body: Body): Promise<object> {
  await requireImport(env, body);
  const { bucket, key, base64, sha256 } = body;
  const options = { ...toOptions(body), sha256: String(sha256) };
  await storeBytes(key, () => getBucket(env, bucket).put(String(key), fromBase64(String(base64)), options));
  return {};
}

export async function beginFile(env: OperatorEnvironment, body: Body): Promise<{ upload: string }> {
  await requireImport(env, body);
  const { uploadId } = await getBucket(env, body.bucket).createMultipartUpload(String(body.key), toOptions(body));
  return { upload: uploadId };
}

export async function writePart(env: OperatorEnvironment, body: Body): Promise<{ part: R2UploadedPart }> {
  await requireImport(env, body);
  const { bucket, key, upload, number, base64 } = body;
  const multipart = getBucket(env, bucket).resumeMultipartUpload(String(key), String(upload));
  return { part: await multipart.uploadPart(Number(number), fromBase64(String(base64))) };
}

/** Completes a file of several parts, and deletes it if its bytes have another hash. */
export async function endFile(env: OperatorEnvironment, body: Body): Promise<object> {
  await requireImport(env, body);
  const { bucket, key, upload, parts, sha256 } = body;
  const target = getBucket(env, bucket);
  const multipart = target.resumeMultipartUpload(String(key), String(upload));
  await storeBytes(key, () => multipart.complete(parts as R2UploadedPart[]));
  const object = await target.get(String(key));
  if (object === null) throw new ApiError('not_found', 'The file was deleted.');
  const digest = new crypto.DigestStream('SHA-256');
  await object.body.pipeTo(digest);
  if (toHex(await digest.digest) === sha256) return {};
  await target.delete(String(key));
  throw differs(key);
}
