import { sites } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { randomString } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { authKeyOf } from '../keys/site-keys.ts';
import { newStamp } from '../sites/new-stamp.ts';
import { writeSite } from '../sites/write-site.ts';
import { presentAuth } from './present-auth.ts';

const keptLength = 32;

export const regenerateSitePublishingAuthById: Handler<
  typeof publishing.regenerateSitePublishingAuthById,
  PublishingEnvironment
> = async (_, context) => {
  const { db, env, site } = context;
  const authKey = randomString(keptLength);
  const write = db.update(sites).set({ authKey, authShown: true, stamp: newStamp() }).where(eq(sites.id, site.id));
  const changed = await writeSite(context, { type: 'site.auth_key_regenerated' }, [write]);
  return presentAuth(changed, await authKeyOf(env, authKey));
};
