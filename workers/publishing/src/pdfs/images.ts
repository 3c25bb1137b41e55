import type { PdfRecord } from '@octavo/db';
import { ExternalFetchError, fetchExternal } from '@octavo/runtime';
import type { BookFile, PrintedImage } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';

/** Maximum number of requests to other servers for one PDF. */
const maxExternalImages = 100;
const externalLimits = { milliseconds: 5_000, bytes: 5 * 1024 * 1024, accept: 'image/*' };

/** Returns a function that reads the files of a PDF's revision, and public images of other servers. */
export function createImageReader(env: PublishingEnvironment, { space, revision }: PdfRecord) {
  let fetchedImages = 0;
  return async (image: PrintedImage): Promise<BookFile | null> => {
    if ('file' in image) return (await env.CONTENT.readBookFile({ space, revision, file: image.file }, null)).value;
    fetchedImages += 1;
    return fetchedImages > maxExternalImages ? null : fetchImage(env, image.address);
  };
}

async function fetchImage(env: PublishingEnvironment, address: string): Promise<BookFile | null> {
  try {
    const { bytes, headers } = await fetchExternal(env, address, externalLimits);
    return { bytes, contentType: headers.get('content-type') ?? '' };
  } catch (error) {
    if (error instanceof ExternalFetchError) return null;
    throw error;
  }
}
