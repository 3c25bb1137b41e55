import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Timestamp } from '../time.ts';

/**
 * The state of a computed page whose pages an integration generates, in the live content. It has the values of a
 * specification's state: `pending` before the first attempt, `progress` during an attempt, and `complete` after it,
 * even if it failed.
 */
export const ComputedPageState = z
  .object({
    object: z.literal('computed-page'),
    id: z.string(),
    title: z.string(),
    type: z.string(),
    processingState: z.enum(['pending', 'progress', 'complete']),
    lastVersion: z.string().optional(),
    lastProcessedAt: Timestamp.optional(),
    nextProcessAt: Timestamp,
    failures: z.number().int(),
    lastProcessErrorMessage: z.string().optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'ComputedPageState' });
export type ComputedPageState = z.infer<typeof ComputedPageState>;

export const computedPageEndpoints = contract({
  listComputedPages: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/content/computed',
    summary: 'List the state of computed pages',
    access: { space: 'edit' },
    scope: 'space:read',
    // Only people may read script errors, not other scripts.
    byInstallation: 'none',
    params: z.object({ spaceId: Id }),
    query: PageQuery,
    response: list(ComputedPageState),
    success: 200,
  },
});
