import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { FilteredPageQuery, list, queryBoolean } from '../list.ts';
import { CollectionPermissions } from '../rights.ts';
import { DefaultLevel, DefaultLevelInput } from '../roles.ts';
import { createLineSchema } from '../text.ts';
import { MoveContent, moveTarget, parentTarget, Space, TransferContent, transferTarget } from './spaces.ts';

const Title = createLineSchema(0, 50);
const Description = createLineSchema(0, 100);

export const Collection = z
  .object({
    object: z.literal('collection'),
    id: z.string(),
    title: Title,
    description: Description.optional(),
    organization: z.string(),
    parent: z.string().optional(),
    defaultLevel: DefaultLevel,
    urls: z.object({ location: z.string(), app: z.string() }),
    permissions: CollectionPermissions,
  })
  .meta({ id: 'Collection' });
export type Collection = z.infer<typeof Collection>;

const params = z.object({ collectionId: Id });
const organizationParams = z.object({ organizationId: Id });

export const collectionEndpoints = contract({
  getCollectionById: {
    method: 'GET',
    path: '/v1/collections/:collectionId',
    summary: 'Get a collection',
    access: { collection: 'view' },
    scope: 'space:read',
    params,
    response: Collection,
    success: 200,
  },
  updateCollectionById: {
    method: 'PATCH',
    path: '/v1/collections/:collectionId',
    summary: 'Change the settings of a collection',
    access: { collection: 'admin' },
    scope: 'space:write',
    params,
    body: z
      .object({
        title: Title.optional(),
        description: Description.optional(),
        defaultLevel: DefaultLevelInput.optional(),
      })
      .prefault({}),
    response: Collection,
    success: 200,
  },
  deleteCollectionById: {
    method: 'DELETE',
    path: '/v1/collections/:collectionId',
    summary: 'Delete a collection',
    access: { collection: 'admin' },
    scope: 'space:write',
    params,
    success: 205,
    errors: ['precondition_failed'],
  },
  listSpacesInCollectionById: {
    method: 'GET',
    path: '/v1/collections/:collectionId/spaces',
    summary: 'List the spaces of a collection',
    access: { collection: 'view' },
    scope: 'space:read',
    params,
    query: FilteredPageQuery,
    response: list(Space),
    success: 200,
    hidesCost: 'from-members',
  },
  moveCollection: {
    method: 'POST',
    path: '/v1/collections/:collectionId/move',
    summary: 'Move a collection',
    access: { collection: 'admin' },
    scope: 'space:write',
    params,
    body: MoveContent,
    targets: moveTarget,
    response: Collection,
    success: 200,
    errors: ['conflict'],
  },
  transferCollection: {
    method: 'POST',
    path: '/v1/collections/:collectionId/transfer',
    summary: 'Transfer a collection to another organization',
    access: { collection: 'admin' },
    scope: 'space:write',
    params,
    body: TransferContent,
    targets: transferTarget,
    response: Collection,
    success: 200,
    errors: ['conflict', 'precondition_failed'],
  },
  listCollectionsInOrganizationById: {
    method: 'GET',
    path: '/v1/orgs/:organizationId/collections',
    summary: 'List the collections of an organization',
    access: { organization: 'view' },
    scope: 'space:read',
    params: organizationParams,
    query: FilteredPageQuery.extend({ nested: queryBoolean(true) }),
    response: list(Collection),
    success: 200,
    hidesCost: 'from-members',
  },
  createCollection: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/collections',
    summary: 'Create a collection',
    access: { organization: 'view' },
    scope: 'space:write',
    params: organizationParams,
    body: z.object({ title: Title.default(''), parent: Id.optional() }).prefault({}),
    ...parentTarget,
    response: Collection,
    success: 201,
    errors: ['conflict'],
  },
});
