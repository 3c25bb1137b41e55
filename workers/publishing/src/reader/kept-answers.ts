import { Hashes, hasTag } from '@octavo/runtime';

/** An answer as it is kept: its body is packed by gzip. */
export interface KeptAnswer {
  packed: Uint8Array<ArrayBuffer>;
  headers: [name: string, value: string][];
}

/** Headers that an answer keeps; those that follow from who asks are made anew each time. */
const keptHeaders = ['content-type', 'content-security-policy', 'permissions-policy', 'x-robots-tag', 'link'];

const stream = (bytes: BufferSource) => new Blob([bytes]).stream();

/** An answer to keep, packed once. */
export async function pack(answer: Response): Promise<KeptAnswer> {
  const body = answer.body ?? stream(new Uint8Array());
  const packed = await new Response(body.pipeThrough(new CompressionStream('gzip'))).arrayBuffer();
  const headers = keptHeaders.flatMap((name): [string, string][] => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { packed: new Uint8Array(packed), headers };
}

const hashes = new Hashes(1000, 2000);

/** A tag of what follows from a key; weak, since its bytes may come packed or not. */
export const tagOf = async (key: string): Promise<string> => `W/"${(await hashes.of(key)).slice(0, 32)}"`;

/** Whether a client takes what is packed by gzip. */
const takesGzip = (request: Request): boolean =>
  /(?:^|[\s,])(?:gzip|\*)(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(request.headers.get('accept-encoding') ?? '');

/** What a kept answer tells caches. */
export interface Shared {
  tag: string;
  cacheControl: string;
}

/** What the client holds already; undefined where it does not. */
export function answerHeld(request: Request, { tag, cacheControl }: Shared): Response | undefined {
  if (!hasTag(request, tag.slice(2))) return undefined;
  return new Response(null, { status: 304, headers: { etag: tag, 'cache-control': cacheControl, vary } });
}

/** What an answer depends on beside its address: the form that is asked for, and cookies, by which visitors are known. */
const vary = 'accept, accept-encoding, cookie';

/** A kept answer, packed where the client takes that. */
export function answerKept(request: Request, { packed, headers }: KeptAnswer, shared: Shared): Response {
  const told = new Headers(headers);
  told.set('etag', shared.tag);
  told.set('cache-control', shared.cacheControl);
  told.set('vary', vary);
  if (!takesGzip(request))
    return new Response(stream(packed).pipeThrough(new DecompressionStream('gzip')), { headers: told });
  told.set('content-encoding', 'gzip');
  return new Response(packed, { headers: told, encodeBody: 'manual' });
}
