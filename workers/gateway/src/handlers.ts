import type { Constants } from '@octavo/runtime';
import type { gateway } from '@octavo/schema';
import type { GatewayEnvironment } from './environment.ts';
import { getApiInformation } from './information/get-api-information.ts';

/** What the gateway answers itself. */
export const handlers: Constants<typeof gateway, GatewayEnvironment> = { getApiInformation };
