import { deriveBytes, hashOf } from '@octavo/runtime';
import type { ShareLinkId } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const shareKeyLength = 22;

/** The key of a share link: it follows from the link's id and the server's secret, and stands nowhere. */
export const shareKeyOf = async (env: PublishingEnvironment, link: ShareLinkId): Promise<string> =>
  base64url(await deriveBytes(env, `share key\n${link}`)).slice(0, shareKeyLength);

/** Whether a text may be the key of a share link. */
export const mayBeShareKey = (text: string): boolean => /^[\w-]{22}$/.test(text);

/** What is kept of the key of a share link. */
export const shareKeyHash = (key: string): Promise<string> => hashOf(key);

/** The key that a site's visitors are vouched for with: it follows from what the site keeps and the server's secret. */
export const authKeyOf = async (env: PublishingEnvironment, kept: string): Promise<string> =>
  base64url(await deriveBytes(env, `visitor auth\n${kept}`));
