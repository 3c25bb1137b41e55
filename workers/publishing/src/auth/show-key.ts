import type { Database, SiteRecord } from '@octavo/db';
import { must, sites, unlessBeaten } from '@octavo/db';
import type { ActorContext } from '@octavo/runtime';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { authKeyOf } from '../keys/site-keys.ts';

interface Showing extends Pick<ActorContext, 'commit'> {
  db: Database;
  env: PublishingEnvironment;
}

/** The key of a site's visitors for the one who is the first to see it; undefined for all others. */
export async function showKey(
  { id, organization, authKey, authShown }: SiteRecord,
  { db, env, commit }: Showing,
): Promise<string | undefined> {
  if (authShown) return undefined;
  const isUnseen = sql`EXISTS (SELECT 1 FROM sites WHERE id = ${id} AND auth_key = ${authKey} AND NOT auth_shown)`;
  const show = db.update(sites).set({ authShown: true }).where(sql`id = ${id}`);
  const shown = await unlessBeaten(() =>
    commit([must(db, isUnseen), show], [{ type: 'site.auth_key_shown', organization, data: { site: id } }]),
  );
  return shown === undefined ? undefined : authKeyOf(env, authKey);
}
