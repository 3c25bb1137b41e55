import { readSignedUrl, signUrl } from '@octavo/runtime';
import type { SpaceId, UserId } from '@octavo/schema';

/** The space whose events a URL gives access to, and the user for whom it was signed, with the id of the user's token. */
export interface LiveSubscriber {
  space: SpaceId;
  user: UserId;
  token: string;
}

const lifetimeSeconds = 60;
const pathPattern = /^\/live\/([\w-]+)$/;

/** Signs a URL with which its user can open a live connection within a minute. */
export async function signLiveUrl(
  key: CryptoKey,
  { space, ...caller }: LiveSubscriber,
): Promise<{ address: string; expires: number }> {
  const expires = Math.floor(Date.now() / 1000) + lifetimeSeconds;
  return { address: await signUrl(key, `/live/${space}`, { ...caller, expires: String(expires) }), expires };
}

/** Returns the subscriber of a signed URL. @throws ApiError not_found, forbidden */
export async function readLiveUrl(url: string, key: CryptoKey): Promise<LiveSubscriber> {
  const renew = 'call POST /v1/spaces/{spaceId}/live';
  const query = await readSignedUrl(new Request(url.replace(/^ws/, 'http')), key, { objectName: 'connection', renew });
  return {
    space: pathPattern.exec(new URL(url).pathname)?.[1] as SpaceId,
    user: query.get('user') as UserId,
    token: query.get('token') ?? '',
  };
}
