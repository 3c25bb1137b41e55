import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Timestamp } from '../time.ts';

/**
 * The state of a computed page in the live content whose pages an integration generates, in the form of a
 * specification's state: `pending` before the first attempt, `progress` during an attempt, and `complete` after it,
 * even if it failed.
 */
export const ComputedPageState = z
  .object({
    object: z.literal('computed-page'),
    id: z.string(),
    title: z.string(),
    type: z.string().meta({ description: 'The content source: `integration:<name>:<source>`.' }),
    processingState: z.enum(['pending', 'progress', 'complete']),
    lastVersion: z
      .string()
      .optional()
      .meta({ description: 'Of the pages that are shown in its place; left out where there are none.' }),
    lastProcessedAt: Timestamp.optional(),
    nextProcessAt: Timestamp,
    failures: z.number().int().meta({ description: 'How often it failed since it last went well.' }),
    lastProcessErrorMessage: z.string().optional().meta({
      description: 'Why there are no pages, or why those that are shown follow their source no longer.',
    }),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'ComputedPageState' });
export type ComputedPageState = z.infer<typeof ComputedPageState>;

export const computedPageEndpoints = contract({
  listComputedPages: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/content/computed',
    summary: 'List the computed pages that integrations make pages of, and why they are not made',
    access: { space: 'edit' },
    scope: 'space:read',
    // Script errors are for people: other scripts cannot read them.
    byInstallation: 'none',
    params: z.object({ spaceId: Id }),
    query: PageQuery,
    response: list(ComputedPageState),
    success: 200,
  },
});
