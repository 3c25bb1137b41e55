import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import { preconditionFailed, timestamp } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { installationToken } from '../tokens/installation-token.ts';

export const createIntegrationInstallationToken: Handler<
  typeof integrations.createIntegrationInstallationToken,
  IntegrationsEnvironment
> = async (_, { env, db, actor, installation }) => {
  if (installation.status === 'paused') throw preconditionFailed('The installation is paused.');
  const { token, expiresAt } = await installationToken({ env, db }, installation, actor.depth);
  return { token, expiresAt: timestamp(expiresAt) };
};
