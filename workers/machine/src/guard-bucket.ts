import { getStorageError } from '@octavo/runtime';

/** Whether a binding of the machine's worker is a bucket, by its name. */
export const isBucket = (name: string): boolean => name.startsWith('bucket:');

/** The methods of buckets and multipart uploads that store bytes. */
const writes: ReadonlySet<string | symbol> = new Set(['put', 'createMultipartUpload', 'uploadPart', 'complete']);
const uploads: ReadonlySet<string | symbol> = new Set(['createMultipartUpload', 'resumeMultipartUpload']);

/** Duration in milliseconds within which Node.js reports a full disk. */
const reportMilliseconds = 2500;

async function guardWrite<Value>(run: () => Promise<Value>): Promise<Value> {
  const refusal = getStorageError();
  if (refusal !== undefined) throw refusal;
  try {
    return await run();
  } catch (error) {
    // The local buckets report an unspecified error when the disk is full.
    await scheduler.wait(reportMilliseconds);
    throw getStorageError() ?? error;
  }
}

type Method = (...args: unknown[]) => unknown;

/**
 * Returns a bucket that stores nothing while the disk is full. Objects are stored before the rows that name them, so
 * each attempt would leave bytes behind.
 */
export const guardBucket = <Target extends object>(target: Target): Target =>
  new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const method: Method = value.bind(target);
      if (!writes.has(name))
        return uploads.has(name) ? (...args: unknown[]) => guardBucket(method(...args) as object) : method;
      return async (...args: unknown[]) => {
        const result = await guardWrite(async () => method(...args));
        return uploads.has(name) ? guardBucket(result as object) : result;
      };
    },
  });
