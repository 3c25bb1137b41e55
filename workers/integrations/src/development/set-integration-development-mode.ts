import { holds, integrations } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { faultOfAddress } from '@octavo/runtime';
import type { integrations as contract } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { tryOwnInstallationAgain } from '../deliveries/try-at-once.ts';
import type { IntegrationsEnvironment } from '../environment.ts';

/** Tokens and secrets go there, so that nobody on the way may read them; and it is not asked of itself without end. */
function faultOfTunnel(
  { OCTAVO_IMPORT_ALLOW_PRIVATE, OCTAVO_PUBLIC_URL }: IntegrationsEnvironment,
  address: string,
): string | undefined {
  const { origin, protocol } = new URL(address);
  if (origin === new URL(OCTAVO_PUBLIC_URL).origin) return 'must not be an address of the platform itself';
  if (OCTAVO_IMPORT_ALLOW_PRIVATE === '1') return undefined;
  return protocol === 'https:' ? faultOfAddress(address) : 'must begin with https://';
}

export const setIntegrationDevelopmentMode: Handler<
  typeof contract.setIntegrationDevelopmentMode,
  IntegrationsEnvironment
> = async ({ body: { tunnelUrl, seconds } }, { db, env, commit, integration: { integration } }) => {
  const fault = faultOfTunnel(env, tunnelUrl);
  if (fault !== undefined) throw invalid([{ path: 'body.tunnelUrl', message: fault }]);
  const { name, organization } = integration;
  const own = sql`${integrations.name} = ${name} AND ${integrations.organization} = ${organization}`;
  const now = Date.now();
  const set = { devUrl: tunnelUrl, devUntil: now + seconds * 1000 };
  const isKeptUp = await holds(
    db,
    sql`EXISTS (
    SELECT 1 FROM integrations WHERE ${own} AND dev_url = ${tunnelUrl} AND dev_until > ${now})`,
  );
  await commit(
    [
      db.update(integrations).set(set).where(own),
      ...(isKeptUp ? [] : [tryOwnInstallationAgain(db, name, organization)]),
    ],
    // What is only kept up, nobody needs to read of.
    isKeptUp ? [] : [{ type: 'integration.development_set', organization, data: { integration: name } }],
  );
};
