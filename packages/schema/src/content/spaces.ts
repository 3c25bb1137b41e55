import * as z from 'zod';
import { SpaceMergeRules } from '../collaboration/merge-rules.ts';
import { Emoji } from '../emoji.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list } from '../list.ts';
import { SpacePermissions } from '../rights.ts';
import { DefaultLevel, DefaultLevelInput } from '../roles.ts';
import { createLineSchema } from '../text.ts';
import { Timestamp } from '../time.ts';
import { GitRepository } from './git-repository.ts';

export const Visibility = z
  .enum(['public', 'unlisted', 'share-link', 'visitor-auth', 'in-collection', 'private'])
  .meta({ id: 'Visibility' });

export const EditMode = z.enum(['live', 'locked']).meta({ id: 'EditMode' });

const Title = createLineSchema(0, 50);

export const Space = z
  .object({
    object: z.literal('space'),
    id: z.string(),
    /** Required by older GitBook-compatible clients. There is only one kind of space. */
    type: z.literal('document'),
    title: Title,
    emoji: z.string().max(50),
    visibility: Visibility,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    deletedAt: Timestamp.optional(),
    editMode: EditMode.optional(),
    organization: z.string(),
    parent: z.string().optional(),
    revision: z.string(),
    defaultLevel: DefaultLevel,
    mergeRules: SpaceMergeRules,
    comments: z.number().int(),
    changeRequests: z.number().int(),
    changeRequestsOpen: z.number().int(),
    changeRequestsDraft: z.number().int(),
    urls: z.object({
      location: z.string(),
      app: z.string(),
      published: z.string().optional(),
      public: z.string().optional(),
      icon: z.string().optional(),
    }),
    gitSync: z
      .object({
        repoName: z.string().optional(),
        installationProvider: z.enum(['github', 'gitlab', 'github-legacy']).optional(),
        integration: z.string().optional(),
        url: z.string().optional(),
        updatedAt: Timestamp.optional(),
        /** Extensions of the GitBook API. */
        repository: z.string(),
        branch: z.string(),
        root: z.string(),
      })
      .optional(),
    visitorAuth: z
      .union([
        z.object({ backend: z.literal('custom') }),
        z.object({ backend: z.literal('integration'), integration: z.string() }),
      ])
      .optional(),
    permissions: SpacePermissions,
  })
  .meta({ id: 'Space' });
export type Space = z.infer<typeof Space>;

const spaceParams = z.object({ spaceId: Id });

const SpacePointer = z.object({ type: z.literal('space'), space: Id });
const CollectionPointer = z.object({ type: z.literal('collection'), collection: Id });
const Pointer = z.discriminatedUnion('type', [SpacePointer, CollectionPointer]);

/** The position of a moved space or collection among its new siblings. Defaults to the end. */
export const ContentPosition = z.object({ before: Pointer.optional(), after: Pointer.optional() });

export const MoveContent = z
  .object({ parent: Id.nullable().optional(), position: ContentPosition.optional() })
  .default({});

export const TransferContent = z.object({ organization: Id });

/** New content requires `create` on its parent collection, or `createContent` on the organization. */
export const parentTarget = {
  targets: { parent: { collection: 'create' } },
  otherwise: 'createContent',
} as const;
export const moveTarget = { parent: { collection: 'create', top: 'createContent' } } as const;
export const transferTarget = { organization: { organization: 'createContent' } } as const;

export const spaceEndpoints = contract({
  createSpace: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/spaces',
    summary: 'Create a space',
    access: { organization: 'view' },
    scope: 'space:write',
    params: z.object({ organizationId: Id }),
    body: z
      .object({
        title: Title.default(''),
        emoji: Emoji.default(''),
        parent: Id.optional(),
        editMode: EditMode.default('live'),
      })
      .prefault({}),
    ...parentTarget,
    response: Space,
    success: 201,
  },
  listSpacesInOrganizationById: {
    byInstallation: ['space:metadata:read', 'space:metadata:write', 'space:content:read', 'space:content:write'],
    method: 'GET',
    path: '/v1/orgs/:organizationId/spaces',
    summary: 'List the spaces of an organization',
    access: { organization: 'view' },
    scope: 'space:read',
    params: z.object({ organizationId: Id }),
    query: FilteredPageQuery,
    response: list(Space),
    success: 200,
    hidesCost: 'from-members',
  },
  getSpaceById: {
    byInstallation: ['space:metadata:read', 'space:metadata:write', 'space:content:read', 'space:content:write'],
    method: 'GET',
    path: '/v1/spaces/:spaceId',
    summary: 'Get a space',
    access: { space: 'view', deleted: 'allowed' },
    visitors: 'allowed',
    scope: 'space:read',
    params: spaceParams,
    query: z.object({ shareKey: z.string().max(256).optional() }),
    response: Space,
    success: 200,
  },
  updateSpaceById: {
    method: 'PATCH',
    path: '/v1/spaces/:spaceId',
    summary: 'Change the settings of a space',
    access: { space: 'admin' },
    scope: 'space:write',
    params: spaceParams,
    body: z
      .object({
        editMode: EditMode.optional(),
        title: Title.optional(),
        defaultLevel: DefaultLevelInput.optional(),
        emoji: Emoji.nullable().optional(),
        mergeRules: SpaceMergeRules.optional(),
        /** An extension of the GitBook API. */
        gitSync: GitRepository.nullable().optional(),
      })
      .prefault({}),
    response: Space,
    success: 200,
    errors: ['precondition_failed'],
  },
  deleteSpaceById: {
    method: 'DELETE',
    path: '/v1/spaces/:spaceId',
    summary: 'Delete a space',
    access: { space: 'admin' },
    scope: 'space:write',
    params: spaceParams,
    success: 205,
  },
  duplicateSpace: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/duplicate',
    summary: 'Duplicate a space',
    access: { space: 'admin' },
    scope: 'space:write',
    params: spaceParams,
    response: Space,
    rate: 'jobs',
    success: 201,
  },
  restoreSpace: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/restore',
    summary: 'Restore a deleted space',
    access: { space: 'admin', deleted: 'allowed' },
    scope: 'space:write',
    params: spaceParams,
    response: Space,
    success: 200,
    errors: ['conflict'],
  },
  moveSpace: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/move',
    summary: 'Move a space',
    access: { space: 'admin' },
    scope: 'space:write',
    params: spaceParams,
    body: MoveContent,
    targets: moveTarget,
    response: Space,
    success: 200,
    errors: ['conflict'],
  },
  transferSpace: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/transfer',
    summary: 'Transfer a space to another organization',
    access: { space: 'admin' },
    scope: 'space:write',
    params: spaceParams,
    body: TransferContent,
    targets: transferTarget,
    response: Space,
    success: 200,
    errors: ['conflict', 'precondition_failed'],
  },
});
