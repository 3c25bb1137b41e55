import * as z from 'zod';
import { contract } from '../endpoint.ts';

/** The public version of the API and the build that is running. */
export const ApiInformation = z.object({ version: z.string(), build: z.string() }).meta({ id: 'ApiInformation' });
export type ApiInformation = z.infer<typeof ApiInformation>;

export const apiVersion = '1.0.0';

export const informationEndpoints = contract({
  getApiInformation: {
    method: 'GET',
    path: '/v1',
    summary: 'Get the version of the API',
    access: 'public',
    scope: 'any',
    response: ApiInformation,
    success: 200,
  },
});
