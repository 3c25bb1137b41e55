import * as z from 'zod';
import { ChangeRequest } from '../collaboration/change-request.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { File } from './files.ts';
import { ContentQuery, GitMetadata, noTags, Page, PagesQuery, Variables } from './pages.ts';

export const RevisionType = z.enum(['edits', 'merge', 'rollback', 'update', 'computed']).meta({ id: 'RevisionType' });
export type RevisionType = z.infer<typeof RevisionType>;

export const ReusableContent = z
  .object({
    object: z.literal('reusable-content'),
    id: z.string(),
    title: z.string(),
    markdown: z.string().optional(),
    document: z.string().optional(),
    git: GitMetadata.optional(),
  })
  .meta({ id: 'ReusableContent' });
export type ReusableContent = z.infer<typeof ReusableContent>;

export const Revision = z
  .object({
    object: z.literal('revision'),
    id: z.string(),
    parents: z.array(z.string()),
    pages: z.array(Page),
    files: z.array(File),
    reusableContents: z.array(ReusableContent),
    tags: noTags,
    variables: Variables,
    createdAt: Timestamp,
    git: z
      .object({
        oid: z.string(),
        message: z.string(),
        createdByService: z.boolean(),
        url: z.string().optional(),
        ref: z.string().optional(),
      })
      .optional(),
    urls: z.object({ app: z.string(), published: z.string().optional(), public: z.string().optional() }),
    type: RevisionType,
    mergedFrom: ChangeRequest.optional(),
  })
  .meta({ id: 'Revision' });
export type Revision = z.infer<typeof Revision>;

const read = { scope: 'space:read', query: PagesQuery, response: Revision, success: 200 } as const;

export const revisionEndpoints = contract({
  getCurrentRevision: {
    ...read,
    method: 'GET',
    path: '/v1/spaces/:spaceId/content',
    summary: 'Get the current revision of the live content',
    access: { space: 'view' },
    params: z.object({ spaceId: Id }),
  },
  getRevisionOfChangeRequestById: {
    ...read,
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/content',
    summary: 'Get the current revision of a change request',
    access: { space: 'access' },
    params: z.object({ spaceId: Id, changeRequestId: Id }),
  },
  getRevisionById: {
    ...read,
    method: 'GET',
    path: '/v1/spaces/:spaceId/revisions/:revisionId',
    summary: 'Get a revision',
    access: { space: 'view' },
    params: z.object({ spaceId: Id, revisionId: Id }),
  },
});

const readContent = { scope: 'space:read', response: ReusableContent, success: 200, cache: 'revision' } as const;
const contentParam = { reusableContentId: Id };

export const reusableContentEndpoints = contract({
  getReusableContentById: {
    ...readContent,
    method: 'GET',
    path: '/v1/spaces/:spaceId/content/reusable-contents/:reusableContentId',
    summary: 'Get a reusable content of the live content',
    access: { space: 'view' },
    params: z.object({ spaceId: Id }).extend(contentParam),
    query: ContentQuery,
  },
  getReusableContentInChangeRequestById: {
    ...readContent,
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/content/reusable-contents/:reusableContentId',
    summary: 'Get a reusable content of a change request',
    access: { space: 'access' },
    params: z.object({ spaceId: Id, changeRequestId: Id }).extend(contentParam),
    query: ContentQuery,
  },
  getReusableContentInRevisionById: {
    ...readContent,
    method: 'GET',
    path: '/v1/spaces/:spaceId/revisions/:revisionId/reusable-contents/:reusableContentId',
    summary: 'Get a reusable content of a revision',
    access: { space: 'view' },
    params: z.object({ spaceId: Id, revisionId: Id }).extend(contentParam),
    query: ContentQuery,
  },
});
