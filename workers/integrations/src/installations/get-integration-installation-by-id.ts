import type { Handler } from '@octavo/runtime';
import type { integrations } from '@octavo/schema';
import type { IntegrationsEnvironment } from '../environment.ts';
import { isPerson } from './configured-by.ts';
import { presentInstallation } from './present-installation.ts';

export const getIntegrationInstallationById: Handler<
  typeof integrations.getIntegrationInstallationById,
  IntegrationsEnvironment
> = (_, { env, urls, actor, installation }) =>
  presentInstallation(installation, { env, urls, toPeople: isPerson(actor) });
