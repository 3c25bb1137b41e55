import { checkCondition, integrations } from '@octavo/db';
import { findAddressFault } from '@octavo/runtime';
import { invalid } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { resetOwnInstallationFailures } from '../deliveries/subscriptions.ts';
import type { IntegrationsEnvironment } from '../environment.ts';
import { handler } from '../handler.ts';

/**
 * Tokens and secrets are sent to this address, so it has to be encrypted. The address of the platform is not allowed,
 * because the platform would call itself endlessly.
 */
function findTunnelFault(
  { OCTAVO_IMPORT_ALLOW_PRIVATE, OCTAVO_PUBLIC_URL }: IntegrationsEnvironment,
  address: string,
): string | undefined {
  const { origin, protocol } = new URL(address);
  if (origin === new URL(OCTAVO_PUBLIC_URL).origin) return 'must not be a URL of this server';
  if (OCTAVO_IMPORT_ALLOW_PRIVATE === '1') return undefined;
  return protocol === 'https:' ? findAddressFault(address) : 'must start with https://';
}

export const setIntegrationDevelopmentMode = handler(
  'setIntegrationDevelopmentMode',
  async ({ body: { tunnelUrl, seconds } }, { db, env, commit, integration: { integration } }) => {
    const fault = findTunnelFault(env, tunnelUrl);
    if (fault !== undefined) throw invalid([{ path: 'body.tunnelUrl', message: fault }]);
    const { name, organization } = integration;
    const isOwnIntegration = sql`${integrations.name} = ${name} AND ${integrations.organization} = ${organization}`;
    const now = Date.now();
    const set = { devUrl: tunnelUrl, devUntil: now + seconds * 1000 };
    const isKeptUp = await checkCondition(
      db,
      sql`EXISTS (
    SELECT 1 FROM integrations WHERE ${isOwnIntegration} AND dev_url = ${tunnelUrl} AND dev_until > ${now})`,
    );
    await commit(
      [
        db.update(integrations).set(set).where(isOwnIntegration),
        ...(isKeptUp ? [] : [resetOwnInstallationFailures(db, name, organization)]),
      ],
      // Extending the development mode writes no event.
      isKeptUp ? [] : [{ type: 'integration.development_set', organization, data: { integration: name } }],
    );
    return undefined;
  },
);

export const disableIntegrationDevelopmentMode = handler(
  'disableIntegrationDevelopmentMode',
  async (_, { db, commit, integration: { integration } }) => {
    const { name, organization } = integration;
    const isOwnIntegration = sql`${integrations.name} = ${name} AND ${integrations.organization} = ${organization}`;
    const set = db.update(integrations).set({ devUrl: null, devUntil: null }).where(isOwnIntegration);
    await commit(
      [set, resetOwnInstallationFailures(db, name, organization)],
      [{ type: 'integration.development_ended', organization, data: { integration: name } }],
    );
    return undefined;
  },
);
