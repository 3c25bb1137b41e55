import * as z from 'zod';
import { Warnings } from '../content/warnings.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list } from '../list.ts';
import { Timestamp } from '../time.ts';
import { User } from '../user.ts';
import { MergeConflict } from './merge-conflict.ts';

export const ChangeRequestStatus = z.enum(['draft', 'open', 'archived', 'merged']).meta({ id: 'ChangeRequestStatus' });
export type ChangeRequestStatus = z.infer<typeof ChangeRequestStatus>;

export const Subject = z.string().max(100);
/** The reason for the change, in Markdown. */
export const Description = z
  .string()
  .max(10_000)
  .refine((text) => text.isWellFormed(), 'must be valid Unicode');

export const ChangeRequest = z
  .object({
    object: z.literal('change-request'),
    id: z.string(),
    space: z.string(),
    number: z.number().int(),
    status: ChangeRequestStatus,
    subject: Subject,
    description: Description.optional(),
    createdBy: User,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    revision: z.string(),
    revisionInitial: z.string(),
    revisionMergedAncestor: z.string().optional(),
    revisionMerged: z.string().optional(),
    mergedBy: User.optional(),
    mergedAt: Timestamp.optional(),
    comments: z.number().int(),
    outdated: z.boolean(),
    urls: z.object({ app: z.string(), location: z.string() }),
    /** Warnings about the written content. Set only in the response to a request that changed the content. */
    warnings: Warnings.optional(),
  })
  .meta({ id: 'ChangeRequest' });
export type ChangeRequest = z.infer<typeof ChangeRequest>;

export const MergeResult = z
  .object({
    revision: z.string(),
    result: z.enum(['merge', 'conflicts']),
    conflicts: z.array(MergeConflict).optional(),
  })
  .meta({ id: 'MergeResult' });
export type MergeResult = z.infer<typeof MergeResult>;

export const UpdateResult = z
  .object({
    revision: z.string(),
    result: z.enum(['update', 'conflicts']),
    conflicts: z.array(MergeConflict).optional(),
  })
  .meta({ id: 'UpdateResult' });
export type UpdateResult = z.infer<typeof UpdateResult>;

const params = z.object({ spaceId: Id, changeRequestId: Id });

/**
 * A filter of the GitBook-compatible API that is not supported yet. It is rejected, because a list without the filter
 * would contain change requests of other sites.
 */
const unsupportedSiteFilter = z
  .string()
  .refine(() => false, 'is not supported yet')
  .optional();

/** Statuses in a query string, as a single or repeated parameter. */
const queryStatuses = z
  .union([ChangeRequestStatus.transform((status) => [status]), z.array(ChangeRequestStatus).max(4)])
  .default(['open'])
  .meta({ override: { type: 'array', items: { enum: ChangeRequestStatus.options }, default: ['open'] } });

/**
 * Filters by user: the creator, a contributor (editor or commenter), or a requested reviewer, directly or through a
 * team.
 */
const filters = {
  creator: Id.optional(),
  contributor: Id.optional(),
  requestedReviewer: Id.optional(),
  orderBy: z.enum(['createdAt', 'updatedAt']).default('createdAt'),
};
/** The filters and the order of both lists of change requests. */
export type ChangeRequestFilters = z.infer<z.ZodObject<typeof filters>>;

export const changeRequestEndpoints = contract({
  listChangeRequestsForSpace: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests',
    summary: 'List the change requests of a space',
    access: { space: 'access' },
    scope: 'space:read',
    params: z.object({ spaceId: Id }),
    query: FilteredPageQuery.extend({ status: ChangeRequestStatus.default('open'), ...filters }),
    response: list(ChangeRequest),
    success: 200,
  },
  listChangeRequestsForOrganization: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/change-requests',
    summary: 'List the change requests of an organization',
    access: { organization: 'view' },
    scope: 'space:read',
    params: z.object({ organizationId: Id }),
    query: FilteredPageQuery.extend({
      status: queryStatuses,
      space: Id.optional(),
      site: unsupportedSiteFilter,
      ...filters,
    }),
    response: list(ChangeRequest),
    success: 200,
    hidesCost: 'from-members',
  },
  createChangeRequest: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/change-requests',
    summary: 'Create a change request',
    access: { space: 'edit' },
    scope: 'space:write',
    params: z.object({ spaceId: Id }),
    body: z
      .object({
        subject: Subject.default(''),
        description: Description.optional(),
        agentTaskId: z.string().max(100).optional(),
        /**
         * An extension of the GitBook API: the revision of the space to start from, which can belong to a change
         * request. Defaults to the live content.
         */
        revision: Id.optional(),
      })
      .prefault({}),
    response: ChangeRequest,
    success: 201,
  },
  getChangeRequestById: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId',
    summary: 'Get a change request',
    access: { space: 'access' },
    visitors: 'allowed',
    scope: 'space:read',
    params,
    response: ChangeRequest,
    success: 200,
  },
  updateChangeRequestById: {
    method: 'PATCH',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId',
    summary: 'Change the settings of a change request',
    access: { space: 'edit' },
    scope: 'space:write',
    params,
    body: z
      .object({
        subject: Subject.optional(),
        description: Description.optional(),
        status: z.enum(['draft', 'open', 'archived']).optional(),
      })
      .prefault({}),
    response: ChangeRequest,
    success: 200,
    errors: ['conflict'],
  },
  mergeChangeRequest: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/merge',
    summary: 'Merge a change request into the live content',
    access: { space: 'merge' },
    scope: 'change-request:merge',
    params,
    response: MergeResult,
    success: 200,
    errors: ['conflict', 'precondition_failed'],
    precondition: 'revision',
  },
  updateChangeRequest: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/update',
    summary: 'Update a change request with the live content',
    access: { space: 'edit' },
    scope: 'space:write',
    params,
    response: UpdateResult,
    success: 200,
    errors: ['conflict', 'precondition_failed'],
    precondition: 'revision',
  },
});
