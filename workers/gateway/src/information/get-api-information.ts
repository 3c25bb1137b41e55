import type { Constant } from '@octavo/runtime';
import type { gateway } from '@octavo/schema';
import { apiVersion } from '@octavo/schema';
import type { GatewayEnvironment } from '../environment.ts';

export const getApiInformation: Constant<typeof gateway.getApiInformation, GatewayEnvironment> = (env) => ({
  version: apiVersion,
  build: env.OCTAVO_BUILD ?? 'unnamed',
});
