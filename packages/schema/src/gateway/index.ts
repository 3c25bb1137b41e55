import { informationEndpoints } from './information.ts';

export * from './information.ts';

/** What the gateway promises itself: what follows from the software alone, and needs no database. */
export const gateway = { ...informationEndpoints };
