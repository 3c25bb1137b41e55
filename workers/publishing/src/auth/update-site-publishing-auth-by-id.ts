import { sites } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { writeSite } from '../sites/write-site.ts';
import { presentAuth } from './present-auth.ts';
import { showKey } from './show-key.ts';

export const updateSitePublishingAuthById: Handler<
  typeof publishing.updateSitePublishingAuthById,
  PublishingEnvironment
> = async ({ body: { backend, integration, fallbackURL } }, context) => {
  const { db, site } = context;
  const given = { authBackend: backend, authIntegration: integration, authFallback: fallbackURL };
  const isChange = Object.values(given).some((value) => value !== undefined);
  const write = () =>
    writeSite(context, { type: 'site.auth_updated' }, [db.update(sites).set(given).where(eq(sites.id, site.id))]);
  const changed = isChange ? await write() : site;
  return presentAuth(changed, await showKey(changed, context));
};
