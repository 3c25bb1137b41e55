import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { IntegrationName } from './integration.ts';

const developed = {
  path: '/v1/integrations/:integrationName/dev',
  access: { integration: 'admin' },
  scope: 'integration:publish',
  params: z.object({ integrationName: IntegrationName }),
} as const;

export const developmentEndpoints = contract({
  setIntegrationDevelopmentMode: {
    ...developed,
    method: 'PUT',
    summary: 'Have events of an integration sent to where its script is developed',
    body: z.object({
      tunnelUrl: z
        .url({ protocol: /^https?$/ })
        .min(1)
        .max(256),
      seconds: z.number().int().min(60).max(3600).default(3600).meta({
        description: 'Our extension: for how long, unless it is set again by then.',
      }),
      all: z.boolean().default(false).meta({
        description: 'Taken, and of no effect: what is of other organizations is sent to no developer.',
      }),
    }),
    success: 204,
  },
  disableIntegrationDevelopmentMode: {
    ...developed,
    method: 'DELETE',
    summary: 'End the development mode of an integration',
    success: 205,
  },
});
