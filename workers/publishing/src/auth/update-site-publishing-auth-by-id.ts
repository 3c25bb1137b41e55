import type { Check, SiteRecord } from '@octavo/db';
import { sites } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { BodyOf, publishing } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { vouchesFor } from '../scripts/site-scripts.ts';
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
    writeSite(context, { type: 'site.auth_updated', checks: checksFor(given, site) }, [
      db.update(sites).set(given).where(eq(sites.id, site.id)),
    ]);
  const changed = isChange ? await write() : site;
  return presentAuth(changed, await showKey(changed, context));
};

type Body = BodyOf<typeof publishing.updateSitePublishingAuthById>;

/** An integration vouches for visitors only where it is installed for that. */
function checksFor(
  { authBackend, authIntegration }: { authBackend: Body['backend']; authIntegration: Body['integration'] },
  site: SiteRecord,
): Check[] {
  if (authBackend === undefined && authIntegration === undefined) return [];
  const named = authIntegration === undefined ? site.authIntegration : authIntegration;
  const isAsked = (authBackend ?? site.authBackend) === 'integration' || authIntegration != null;
  if (!isAsked) return [];
  const message = 'must be installed on this site, with the scope site:visitor:auth';
  return [
    {
      holds: named === null ? sql`0` : vouchesFor(named, site.id, site.organization),
      otherwise: () => invalid([{ path: 'body.integration', message }]),
    },
  ];
}
