import { integrations } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { integrations as contract } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { tryOwnInstallationAgain } from '../deliveries/try-at-once.ts';
import type { IntegrationsEnvironment } from '../environment.ts';

export const disableIntegrationDevelopmentMode: Handler<
  typeof contract.disableIntegrationDevelopmentMode,
  IntegrationsEnvironment
> = async (_, { db, commit, integration: { integration } }) => {
  const { name, organization } = integration;
  const own = sql`${integrations.name} = ${name} AND ${integrations.organization} = ${organization}`;
  const set = db.update(integrations).set({ devUrl: null, devUntil: null }).where(own);
  await commit(
    [set, tryOwnInstallationAgain(db, name, organization)],
    [{ type: 'integration.development_ended', organization, data: { integration: name } }],
  );
};
