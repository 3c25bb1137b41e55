import type { Constant, Constants } from '@octavo/runtime';
import type { gateway } from '@octavo/schema';
import { apiVersion } from '@octavo/schema';
import type { GatewayEnvironment } from './environment.ts';

export const getApiInformation: Constant<typeof gateway.getApiInformation, GatewayEnvironment> = (env) => ({
  version: apiVersion,
  build: env.OCTAVO_BUILD ?? 'unnamed',
});

/** The operations that the gateway serves itself. */
export const handlers: Constants<typeof gateway, GatewayEnvironment> = { getApiInformation };
