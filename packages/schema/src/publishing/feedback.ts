import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { Timestamp } from '../time.ts';

export const PageRating = z.enum(['bad', 'ok', 'good']).meta({ id: 'PageRating' });
export type PageRating = z.infer<typeof PageRating>;

export const PageFeedback = z
  .object({
    object: z.literal('page-feedback'),
    space: z.string(),
    page: z.string(),
    rating: PageRating,
    ratedAt: Timestamp,
  })
  .meta({ id: 'PageFeedback' });

export const PageFeedbackCounts = z
  .object({
    object: z.literal('page-feedback-counts'),
    space: z.string(),
    page: z.string(),
    good: z.number().int(),
    ok: z.number().int(),
    bad: z.number().int(),
    ratedAt: Timestamp,
  })
  .meta({ id: 'PageFeedbackCounts' });

const common = {
  method: 'GET',
  access: { site: 'manage' },
  scope: 'site:read',
  params: z.object({ organizationId: Id, siteId: Id }),
  query: PageQuery,
  success: 200,
} as const;

/** Extensions of the GitBook API. */
export const feedbackEndpoints = contract({
  listSiteFeedback: {
    ...common,
    path: '/v1/orgs/:organizationId/sites/:siteId/feedback',
    summary: 'List the ratings of pages of a site',
    response: list(PageFeedback),
  },
  listSiteFeedbackByPage: {
    ...common,
    path: '/v1/orgs/:organizationId/sites/:siteId/feedback/pages',
    summary: 'List the numbers of ratings of each page of a site',
    response: list(PageFeedbackCounts),
  },
});
