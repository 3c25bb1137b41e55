import { sites } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSite } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { newStamp } from './new-stamp.ts';
import { writeSite } from './write-site.ts';

export const unpublishSite: Handler<typeof publishing.unpublishSite, PublishingEnvironment> = async (_, context) => {
  const { db, site, urls } = context;
  const unpublish = db.update(sites).set({ published: false, stamp: newStamp() }).where(eq(sites.id, site.id));
  return presentSite(await writeSite(context, { type: 'site.unpublished' }, [unpublish]), urls);
};
