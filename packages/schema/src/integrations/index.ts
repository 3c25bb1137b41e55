import { installationEndpoints } from './installations.ts';
import { integrationEndpoints } from './integrations.ts';

export * from './installations.ts';
export * from './integrations.ts';

/** What the integrations worker promises. */
export const integrations = { ...integrationEndpoints, ...installationEndpoints };
