import { sites } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentSite } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { writeSite } from './write-site.ts';

export const publishSite: Handler<typeof publishing.publishSite, PublishingEnvironment> = async (_, context) => {
  const { db, site, urls } = context;
  const publish = db.update(sites).set({ published: true }).where(eq(sites.id, site.id));
  return presentSite(await writeSite(context, { type: 'site.published' }, [publish]), urls);
};
