import type { Endpoint } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import type { Authorized } from './authorize.ts';
import type { Environment } from './environment.ts';

/** Characters of the hash that stands after the revision in a tag. */
const hashLength = 16;

/**
 * The ETag of what follows from a revision: its id, and a hash of all else that the bytes follow from, which are the
 * address and the software. A tag of another address is not this one's, so what is not there is never "not modified".
 */
export async function tagOf(
  { cache }: Endpoint,
  { point }: Authorized,
  { request, env }: { request: Request; env: Environment },
): Promise<string | undefined> {
  if (cache === undefined || point === undefined) return undefined;
  const { pathname, search } = new URL(request.url);
  const source = [env.OCTAVO_BUILD ?? '', env.OCTAVO_PUBLIC_URL, `${pathname}${search}`].join('\n');
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(source));
  const hash = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `"${point.id}.${hash.slice(0, hashLength)}"`;
}

/** A list of tags, as RFC 9110 has it: `*`, or strong and weak tags between commas. */
const tagList = /^\s*(?:\*|(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*)\s*$/;
const tags = (list: string): string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? [];

/** Whether the client holds what the tag stands for. `*` asks whether there is anything, which only reading tells. */
export const hasTag = ({ headers }: Request, tag: string): boolean =>
  tags(headers.get('if-none-match') ?? '').some((each) => each.replace(/^W\//, '') === tag);

export const asksForAny = ({ headers }: Request): boolean => headers.get('if-none-match')?.trim() === '*';

export const cacheHeaders = (tag: string): Record<string, string> => ({
  etag: tag,
  'cache-control': 'private, no-cache',
});

/**
 * The revisions of which one must be the head, by If-Match: those that the tags of reads name. Weak tags match nothing,
 * and `*` everything.
 * @throws ApiError invalid
 */
export function readPrecondition({ precondition }: Endpoint, { headers }: Request): string[] | undefined {
  const list = precondition === undefined ? null : headers.get('if-match');
  if (list === null) return undefined;
  if (!tagList.test(list)) {
    throw invalid([{ path: 'headers.if-match', message: 'must be * or entity tags in double quotes' }]);
  }
  if (list.trim() === '*') return undefined;
  return tags(list).flatMap((tag) => (tag.startsWith('W/') ? [] : [tag.slice(1, -1).replace(/\..*$/, '')]));
}
