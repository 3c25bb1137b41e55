import { deriveText, hashOf } from '@octavo/runtime';
import type { PublishingEnvironment } from '../environment.ts';

/** Whether a text may be the key of a share link. */
export const mayBeShareKey = (text: string): boolean => /^[\w-]{22}$/.test(text);

/** What is kept of the key of a share link. */
export const shareKeyHash = (key: string): Promise<string> => hashOf(key);

/** The key that a site's visitors are vouched for with: it follows from what the site keeps and the server's secret. */
export const authKeyOf = (env: PublishingEnvironment, kept: string): Promise<string> =>
  deriveText(env, `visitor auth\n${kept}`);
