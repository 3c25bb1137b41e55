import { createHash } from 'node:crypto';

/** The id that git gives a file's content. */
export const blobId = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
