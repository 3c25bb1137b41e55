import { informationEndpoints } from './information.ts';

export * from './information.ts';

/** The endpoints of the gateway itself, which need no database. */
export const gateway = { ...informationEndpoints };
