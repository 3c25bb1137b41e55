import { deriveText, hashOf } from '@octavo/runtime';
import type { PublishingEnvironment } from '../environment.ts';

/** Whether a text has the form of a share link's key. */
export const mayBeShareKey = (text: string): boolean => /^[\w-]{22}$/.test(text);

/** The database stores only this hash of a share link's key. */
export const shareKeyHash = (key: string): Promise<string> => hashOf(key);

/** Derives the key that signs a site's visitor tokens from the stored value and the server's secret. */
export const authKeyOf = (env: PublishingEnvironment, kept: string): Promise<string> =>
  deriveText(env, `visitor auth\n${kept}`);
