import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { createPointEndpoints } from '../points.ts';
import { ContentReference } from './references.ts';

export * from './references.ts';

/**
 * The state of a link. `ok`: the target exists; `broken`: it does not exist in the revision; `in-app`: a URL of the
 * application.
 */
export const LinkStatus = z.enum(['ok', 'broken', 'in-app']).meta({ id: 'LinkStatus' });
export type LinkStatus = z.infer<typeof LinkStatus>;

/** The reason why a link is broken: the target does not exist, or the page does not have the anchor. */
export const BrokenLinkReason = z.enum(['no-target', 'no-anchor']).meta({ id: 'BrokenLinkReason' });
export type BrokenLinkReason = z.infer<typeof BrokenLinkReason>;

/** Maximum number of locations that a listing includes for one target. */
export const maxNamedLocations = 5;

/**
 * A link target and the locations that link to it. `targetReference` is absent if the target cannot be resolved or
 * the caller may not see it. Extensions of the GitBook API: `target`, the target as it is written at the first
 * location; `reason`, why the link is broken; `locations`, the number of locations; `id`, with which all locations can
 * be listed.
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
    locationReferences: z.array(ContentReference).max(maxNamedLocations),
  })
  .meta({ id: 'LinkItem' });
export type LinkItem = z.infer<typeof LinkItem>;

/** Counts over the whole listing. `broken.changeRequest` is set only for the links of a change request. */
export const LinkStats = z
  .object({
    total: z.number().int(),
    broken: z.object({ total: z.number().int(), changeRequest: z.number().int().optional() }),
  })
  .meta({ id: 'LinkStats' });
export type LinkStats = z.infer<typeof LinkStats>;

const LinkList = list(LinkItem).extend({ stats: LinkStats });
const LinksQuery = PageQuery.extend({ status: LinkStatus.optional() });

const readOptions = { method: 'GET', scope: 'space:read', success: 200 } as const;

export const linkEndpoints = {
  ...contract({
    listSpaceLinks: {
      ...readOptions,
      path: '/v1/spaces/:spaceId/links',
      summary: 'List the links in the live content of a space',
      access: { space: 'view' },
      params: z.object({ spaceId: Id }),
      query: LinksQuery,
      response: LinkList,
      hidesCost: 'from-all',
    },
  }),
  ...createPointEndpoints({
    listPageLinks: {
      ...readOptions,
      path: '/content/page/:pageId/links',
      params: z.object({ pageId: Id }),
      query: PageQuery,
      response: LinkList,
      hidesCost: 'from-all',
      at: {
        live: {
          id: 'listPageLinksInSpace',
          summary: 'List the links on a page of the live content',
          query: LinksQuery,
        },
        changeRequest: {
          id: 'listPageLinksInChangeRequest',
          summary: 'List the links on a page of a change request',
        },
      },
    },
  }),
  ...createPointEndpoints({
    listLinkLocations: {
      ...readOptions,
      path: '/links/:linkId/locations',
      params: z.object({ linkId: Id }),
      query: PageQuery,
      response: list(ContentReference),
      at: {
        live: {
          id: 'listSpaceLinkLocations',
          summary: 'List the locations of a link in the live content',
        },
        changeRequest: {
          id: 'listChangeRequestLinkLocations',
          summary: 'List the locations of a link in a change request',
        },
      },
    },
  }),
  ...createPointEndpoints({
    listFileBacklinks: {
      ...readOptions,
      path: '/content/files/:fileId/backlinks',
      params: z.object({ fileId: Id }),
      query: PageQuery,
      response: list(ContentReference),
      at: {
        live: { id: 'listSpaceFileBacklinks', summary: 'List the backlinks of a file in the live content' },
        changeRequest: {
          id: 'listChangeRequestFileBacklinks',
          summary: 'List the backlinks of a file in a change request',
        },
      },
    },
  }),
};
