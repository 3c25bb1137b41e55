import type { PublishingAuth } from '@octavo/schema';
import type { RequestOptions } from '../../support/platform.ts';
import { siteOf } from '../customized-site.ts';

/** A site, and how its visitors are vouched for. */
export async function authOf() {
  const site = await siteOf();
  const ask = async (path = '', options: RequestOptions = {}) => {
    const answer = await site.call(`/publishing/auth${path}`, options);
    return { status: answer.status, ...((await answer.json()) as PublishingAuth) };
  };
  return { ...site, ask, regenerate: () => ask('/regenerate', { method: 'POST' }) };
}
