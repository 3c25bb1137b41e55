import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { ContentReference } from './references.ts';

export * from './references.ts';

/** `ok`: the target is there; `broken`: it is not in the revision; `in-app`: an address inside the application. */
export const LinkStatus = z.enum(['ok', 'broken', 'in-app']).meta({ id: 'LinkStatus' });
export type LinkStatus = z.infer<typeof LinkStatus>;

/** How many of the places that link to one target a listing names. */
export const maxNamedLocations = 5;

/**
 * One target and the places that link to it. What cannot be resolved, or is not the caller's to see, has no
 * `targetReference`. Our extensions: `target`, the text of the target at the first place; `locations`, how many places
 * there are; `id`, by which all of them are listed.
 */
export const LinkItem = z
  .object({
    id: Id,
    status: LinkStatus,
    relation: z.enum(['reference', 'dependsOn']),
    target: z.string(),
    targetReference: ContentReference.optional(),
    locations: z.number().int(),
    locationReferences: z
      .array(ContentReference)
      .max(maxNamedLocations)
      .meta({ description: `The first ${maxNamedLocations} places; \`.../links/{linkId}/locations\` lists all.` }),
  })
  .meta({ id: 'LinkItem' });
export type LinkItem = z.infer<typeof LinkItem>;

/** Counts over the whole listing; `broken.changeRequest` only where a change request is looked at. */
export const LinkStats = z
  .object({
    total: z.number().int(),
    broken: z.object({ total: z.number().int(), changeRequest: z.number().int().optional() }),
  })
  .meta({ id: 'LinkStats' });
export type LinkStats = z.infer<typeof LinkStats>;

const LinkList = list(LinkItem).extend({ stats: LinkStats });
const LinksQuery = PageQuery.extend({ status: LinkStatus.optional() });

const spaceParams = z.object({ spaceId: Id });
const changeRequestParams = z.object({ spaceId: Id, changeRequestId: Id });

export const linkEndpoints = contract({
  listSpaceLinks: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/links',
    summary: 'List the links in the live content of a space',
    access: { space: 'view' },
    scope: 'space:read',
    params: spaceParams,
    query: LinksQuery,
    response: LinkList,
    success: 200,
    hidesCost: 'from-all',
  },
  listPageLinksInSpace: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/content/page/:pageId/links',
    summary: 'List the links in a page of the live content',
    access: { space: 'view' },
    scope: 'space:read',
    params: spaceParams.extend({ pageId: Id }),
    query: LinksQuery,
    response: LinkList,
    success: 200,
    hidesCost: 'from-all',
  },
  listPageLinksInChangeRequest: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/content/page/:pageId/links',
    summary: 'List the links in a page of a change request',
    access: { space: 'access' },
    scope: 'space:read',
    params: changeRequestParams.extend({ pageId: Id }),
    query: PageQuery,
    response: LinkList,
    success: 200,
    hidesCost: 'from-all',
  },
  listSpaceLinkLocations: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/links/:linkId/locations',
    summary: 'List the places of the live content that link to one target',
    access: { space: 'view' },
    scope: 'space:read',
    params: spaceParams.extend({ linkId: Id }),
    query: PageQuery,
    response: list(ContentReference),
    success: 200,
  },
  listChangeRequestLinkLocations: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/links/:linkId/locations',
    summary: 'List the places of a change request that link to one target',
    access: { space: 'access' },
    scope: 'space:read',
    params: changeRequestParams.extend({ linkId: Id }),
    query: PageQuery,
    response: list(ContentReference),
    success: 200,
  },
  listSpaceFileBacklinks: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/content/files/:fileId/backlinks',
    summary: 'List the places of the live content that use a file',
    access: { space: 'view' },
    scope: 'space:read',
    params: spaceParams.extend({ fileId: Id }),
    query: PageQuery,
    response: list(ContentReference),
    success: 200,
  },
  listChangeRequestFileBacklinks: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/content/files/:fileId/backlinks',
    summary: 'List the places of a change request that use a file',
    access: { space: 'access' },
    scope: 'space:read',
    params: changeRequestParams.extend({ fileId: Id }),
    query: PageQuery,
    response: list(ContentReference),
    success: 200,
  },
});
