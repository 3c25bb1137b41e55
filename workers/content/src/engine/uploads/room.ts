import { ApiError } from '@octavo/schema';
import { partBytes } from './parts.ts';

/** What all requests together may hold of the 128 MB of an isolate. */
const maxHeldBytes = 64 * 1024 * 1024;
/** What a request holds beside its part: what is read at once, and the beginning of the file. */
const besidePartBytes = 512 * 1024;
const retryAfterSeconds = 1;
/** A request that the runtime ended does not give its room back. */
const longestMilliseconds = 3_600_000;

interface Held {
  bytes: number;
  since: number;
}

const all = new Set<Held>();

/**
 * Takes room in memory for the bytes of a request, twice, as the bucket and the hashing take copies: 10.5 MiB where they
 * are a part or more, or where it is not known how many they are. Gives what gives the room back.
 * @throws ApiError unavailable, to be tried again shortly, where there is none
 */
export function takeRoom(length: number | undefined): () => void {
  const now = Date.now();
  const bytes = 2 * Math.min(length ?? partBytes, partBytes) + besidePartBytes;
  let sum = bytes;
  for (const held of all) {
    if (now - held.since > longestMilliseconds) all.delete(held);
    else sum += held.bytes;
  }
  if (sum > maxHeldBytes) throw noRoom();
  const held = { bytes, since: now };
  all.add(held);
  return () => all.delete(held);
}

function noRoom(): ApiError {
  const error = new ApiError('unavailable', 'Too many uploads arrive at this moment: try again shortly.');
  error.retryAfter = retryAfterSeconds;
  return error;
}
