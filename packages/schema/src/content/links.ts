import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { atEveryPoint } from '../points.ts';
import { ContentReference } from './references.ts';

export * from './references.ts';

/** `ok`: the target is there; `broken`: it is not in the revision; `in-app`: an address inside the application. */
export const LinkStatus = z.enum(['ok', 'broken', 'in-app']).meta({ id: 'LinkStatus' });
export type LinkStatus = z.infer<typeof LinkStatus>;

/** Why a link is broken: nothing is there, or a page that has no such anchor. */
export const BrokenLinkReason = z.enum(['no-target', 'no-anchor']).meta({ id: 'BrokenLinkReason' });
export type BrokenLinkReason = z.infer<typeof BrokenLinkReason>;

/** How many of the places that link to one target a listing names. */
export const maxNamedLocations = 5;

/**
 * One target and the places that link to it. What cannot be resolved, or is not the caller's to see, has no
 * `targetReference`. Our extensions: `target`, the text of the target at the first place; `reason`, why it is broken;
 * `locations`, how many places there are; `id`, by which all of them are listed.
 */
export const LinkItem = z
  .object({
    id: Id,
    status: LinkStatus,
    reason: BrokenLinkReason.optional(),
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

const read = { method: 'GET', scope: 'space:read', success: 200 } as const;

export const linkEndpoints = {
  ...contract({
    listSpaceLinks: {
      ...read,
      path: '/v1/spaces/:spaceId/links',
      summary: 'List the links in the live content of a space',
      access: { space: 'view' },
      params: z.object({ spaceId: Id }),
      query: LinksQuery,
      response: LinkList,
      hidesCost: 'from-all',
    },
  }),
  ...atEveryPoint({
    listPageLinks: {
      ...read,
      path: '/content/page/:pageId/links',
      params: z.object({ pageId: Id }),
      query: PageQuery,
      response: LinkList,
      hidesCost: 'from-all',
      at: {
        live: {
          id: 'listPageLinksInSpace',
          summary: 'List the links in a page of the live content',
          query: LinksQuery,
        },
        changeRequest: {
          id: 'listPageLinksInChangeRequest',
          summary: 'List the links in a page of a change request',
        },
      },
    },
  }),
  ...atEveryPoint({
    listLinkLocations: {
      ...read,
      path: '/links/:linkId/locations',
      params: z.object({ linkId: Id }),
      query: PageQuery,
      response: list(ContentReference),
      at: {
        live: {
          id: 'listSpaceLinkLocations',
          summary: 'List the places of the live content that link to one target',
        },
        changeRequest: {
          id: 'listChangeRequestLinkLocations',
          summary: 'List the places of a change request that link to one target',
        },
      },
    },
  }),
  ...atEveryPoint({
    listFileBacklinks: {
      ...read,
      path: '/content/files/:fileId/backlinks',
      params: z.object({ fileId: Id }),
      query: PageQuery,
      response: list(ContentReference),
      at: {
        live: { id: 'listSpaceFileBacklinks', summary: 'List the places of the live content that use a file' },
        changeRequest: {
          id: 'listChangeRequestFileBacklinks',
          summary: 'List the places of a change request that use a file',
        },
      },
    },
  }),
};
