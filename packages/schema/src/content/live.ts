import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { Timestamp } from '../time.ts';

/** A URL at which the caller receives the live events of a space. */
export const LiveConnection = z
  .object({
    object: z.literal('live-connection'),
    url: z.string(),
    expiresAt: Timestamp,
  })
  .meta({ id: 'LiveConnection' });
export type LiveConnection = z.infer<typeof LiveConnection>;

/** An extension of the GitBook API. */
export const liveEndpoints = contract({
  createLiveConnection: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/live',
    summary: 'Create a URL for live events of a space',
    access: { space: 'access' },
    scope: 'space:read',
    params: z.object({ spaceId: Id }),
    response: LiveConnection,
    success: 200,
    reads: true,
    secret: true,
  },
});
