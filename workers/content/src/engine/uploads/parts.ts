import { describe, log } from '@octavo/runtime';
import { ApiError } from '@octavo/schema';
import { objectOf } from './upload-address.ts';
import type { UploadRecord } from './upload-record.ts';

/** The bytes of a part, as R2 has it: at least 5 MiB, and all but the last one equal. A file of no more is none of parts. */
export const partBytes = 5 * 1024 * 1024;

/**
 * The parts of one place in the file have so many numbers, of 10,000 in all: a request that was taken over and does not
 * know it yet puts its part beside that of the one that goes on, not over it.
 */
const numbersOfPlace = 400;

/** The bucket has no such parts any more: they were given up, or are one file already. */
export class PartsAreGone extends Error {
  override name = 'PartsAreGone';
}

/** Stores the next part of an upload and notes it in the record. @throws PartsAreGone, ApiError unavailable */
export async function storePart(files: R2Bucket, upload: UploadRecord, bytes: Uint8Array): Promise<void> {
  const object = objectOf(upload.id);
  const partNumber = upload.parts.length * numbersOfPlace + (upload.turn % numbersOfPlace) + 1;
  try {
    upload.multipart ??= (await files.createMultipartUpload(object)).uploadId;
    const { etag } = await files.resumeMultipartUpload(object, upload.multipart).uploadPart(partNumber, bytes);
    upload.parts.push({ partNumber, etag });
  } catch (error) {
    throw faultOf(error, upload);
  }
}

/** Makes one file of the parts. @throws PartsAreGone, ApiError unavailable */
export async function completeParts(files: R2Bucket, { id, ...upload }: UploadRecord): Promise<void> {
  try {
    await files.resumeMultipartUpload(objectOf(id), upload.multipart ?? '').complete(upload.parts);
  } catch (error) {
    throw faultOf(error, { id });
  }
}

/** Gives parts up; where the bucket has forgotten them, that is no fault: it ends all of them after a week. */
export const dropParts = (files: R2Bucket, id: string, multipart: string): Promise<void> =>
  files
    .resumeMultipartUpload(objectOf(id), multipart)
    .abort()
    .catch((error: unknown) => log('warn', 'an upload in parts was not ended', { upload: id, cause: String(error) }));

/** What R2 says of parts, or of an upload of them, that it does not have, or that do not fit together. */
const areGone = /\((?:10024|10025|10048)\)|does not exist|could not be found/;

function faultOf(error: unknown, { id }: Pick<UploadRecord, 'id'>): Error {
  if (areGone.test(String(error))) return new PartsAreGone(String(error));
  log('error', 'a part was not stored', { upload: id, cause: describe(error) });
  return new ApiError('unavailable', 'The bytes could not be stored: go on from where the upload stands.');
}
