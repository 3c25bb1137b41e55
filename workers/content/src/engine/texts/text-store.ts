import type { TextStore } from '@octavo/db';
import { addTexts } from '@octavo/db';
import { describeError, log } from '@octavo/runtime';
import { ApiError } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { LengthLimitedCache } from '../search/cache.ts';

/** A worker may have six open connections. */
export const maxParallelObjects = 6;

/** Texts that were read from the bucket, by the names of their objects. The bytes of an object never change. */
const cache = new LengthLimitedCache<string>(4_000_000);

/** Returns the key of an object in the bucket `FILES`. */
export const toTextKey = (object: string): string => `texts/${object}`;

/** Reads a text from the bucket, without the cache. @throws Error if there is no such object, or its bytes are damaged */
export async function readStoredText(bucket: R2Bucket, object: string): Promise<string> {
  const storedObject = await bucket.get(toTextKey(object));
  if (storedObject === null) throw new Error('The object does not exist.');
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await storedObject.arrayBuffer());
}

async function readCachedText(bucket: R2Bucket, object: string): Promise<string> {
  const cached = cache.get(object);
  if (cached !== undefined) return cached;
  try {
    const text = await readStoredText(bucket, object);
    cache.add(object, text, text.length);
    return text;
  } catch (error) {
    log('error', 'text of a document not read from the bucket', { object, cause: describeError(error) });
    throw new ApiError('unavailable', 'The text of a document could not be read. Try again later.');
  }
}

const createTextStore = (bucket: R2Bucket): TextStore => ({
  async read(objects) {
    const texts = new Map<string, string>();
    for (let start = 0; start < objects.length; start += maxParallelObjects)
      await Promise.all(
        objects.slice(start, start + maxParallelObjects).map(async (object) => {
          texts.set(object, await readCachedText(bucket, object));
        }),
      );
    return texts;
  },
});

/** Returns an environment whose connections read the texts that were moved to the bucket. */
export const addTextStore = <Env extends ContentEnvironment>(env: Env): Env =>
  addTexts(env, createTextStore(env.FILES));
