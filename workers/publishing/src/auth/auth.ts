import type { Check, Database, SiteRecord } from '@octavo/db';
import { abortUnless, ignoreConflict, sites } from '@octavo/db';
import type { ActorContext } from '@octavo/runtime';
import type { BodyOf, PublishingAuth, publishing } from '@octavo/schema';
import { createRandomString, invalid } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';
import { deriveAuthKey } from '../resolution/visitors.ts';
import { canAuthenticate } from '../sites/published-site.ts';
import { createStamp, writeSite } from '../sites/write-site.ts';

export const getSitePublishingAuthById = handler('getSitePublishingAuthById', async (_, context) =>
  presentAuth(context.site, await revealKey(context.site, context)),
);

export const updateSitePublishingAuthById = handler(
  'updateSitePublishingAuthById',
  async ({ body: { backend, integration, fallbackURL } }, context) => {
    const { db, site } = context;
    const changes = { authBackend: backend, authIntegration: integration, authFallback: fallbackURL };
    const isChange = Object.values(changes).some((value) => value !== undefined);
    const writeAuth = () =>
      writeSite(context, { type: 'site.auth_updated', checks: createChecks(changes, site) }, [
        db.update(sites).set(changes).where(eq(sites.id, site.id)),
      ]);
    const changed = isChange ? await writeAuth() : site;
    return presentAuth(changed, await revealKey(changed, context));
  },
);

type Body = BodyOf<typeof publishing.updateSitePublishingAuthById>;

/** An integration can authenticate visitors only if it is installed on the site with that scope. */
function createChecks(
  { authBackend, authIntegration }: { authBackend: Body['backend']; authIntegration: Body['integration'] },
  site: SiteRecord,
): Check[] {
  if (authBackend === undefined && authIntegration === undefined) return [];
  const integrationName = authIntegration === undefined ? site.authIntegration : authIntegration;
  const usesIntegration = (authBackend ?? site.authBackend) === 'integration' || authIntegration != null;
  if (!usesIntegration) return [];
  const message = 'must be installed on this site, with the scope site:visitor:auth';
  return [
    {
      condition: integrationName === null ? sql`0` : canAuthenticate(integrationName, site.id, site.organization),
      createError: () => invalid([{ path: 'body.integration', message }]),
    },
  ];
}

const keptLength = 32;

export const regenerateSitePublishingAuthById = handler('regenerateSitePublishingAuthById', async (_, context) => {
  const { db, env, site } = context;
  const authKey = createRandomString(keptLength);
  const writeAuth = db
    .update(sites)
    .set({ authKey, authShown: true, stamp: createStamp() })
    .where(eq(sites.id, site.id));
  const changed = await writeSite(context, { type: 'site.auth_key_regenerated' }, [writeAuth]);
  return presentAuth(changed, await deriveAuthKey(env, authKey));
});

interface KeyContext extends Pick<ActorContext, 'commit'> {
  db: Database;
  env: PublishingEnvironment;
}

/** Returns the private key the first time it is requested, and undefined after that. */
async function revealKey(
  { id, organization, authKey, authShown }: SiteRecord,
  { db, env, commit }: KeyContext,
): Promise<string | undefined> {
  if (authShown) return undefined;
  const isUnseen = sql`EXISTS (SELECT 1 FROM sites WHERE id = ${id} AND auth_key = ${authKey} AND NOT auth_shown)`;
  const show = db.update(sites).set({ authShown: true }).where(sql`id = ${id}`);
  const rows = await ignoreConflict(() =>
    commit([abortUnless(db, isUnseen), show], [{ type: 'site.auth_key_shown', organization, data: { site: id } }]),
  );
  return rows === undefined ? undefined : deriveAuthKey(env, authKey);
}

/** `privateKey` is empty unless this response reveals it. */
const presentAuth = ({ authBackend, authFallback, authIntegration }: SiteRecord, privateKey = ''): PublishingAuth => ({
  object: 'publishing-auth',
  backend: authBackend,
  privateKey,
  ...(authFallback === null ? {} : { fallbackURL: authFallback }),
  ...(authIntegration === null ? {} : { integration: authIntegration }),
});
