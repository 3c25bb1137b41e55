import * as z from 'zod';
import { ChangeRequest } from '../collaboration/change-requests.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { createPointEndpoints } from '../points.ts';
import { Timestamp } from '../time.ts';
import { User } from '../user.ts';
import { File } from './files.ts';
import { ContentQuery, noTags, Page, PagesQuery, TextGitMetadata, Variables } from './pages.ts';

export const RevisionType = z.enum(['edits', 'merge', 'rollback', 'update', 'computed']).meta({ id: 'RevisionType' });
export type RevisionType = z.infer<typeof RevisionType>;

export const ReusableContent = z
  .object({
    object: z.literal('reusable-content'),
    id: z.string(),
    title: z.string(),
    markdown: z.string().optional(),
    document: z.string().optional(),
    git: TextGitMetadata.optional(),
    /** An extension of the GitBook API, the same as `importedFrom` of a page. */
    importedFrom: z.string().optional(),
    /** An extension of the GitBook API, only when a single reusable content is read: the same as `links` of a page. */
    links: z.record(z.string(), z.string()).optional(),
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

/** A revision in the history of a branch, without its content. It is an extension of the GitBook API. */
export const RevisionSummary = z
  .object({
    object: z.literal('revision-summary'),
    id: z.string(),
    parents: z.array(z.string()),
    type: RevisionType,
    summary: z.string(),
    author: User,
    createdAt: Timestamp,
    changeRequest: z.object({ id: z.string(), number: z.number().int(), subject: z.string() }).optional(),
    urls: z.object({ app: z.string() }),
  })
  .meta({ id: 'RevisionSummary' });
export type RevisionSummary = z.infer<typeof RevisionSummary>;

const readOptions = { method: 'GET', scope: 'space:read', success: 200, visitors: 'allowed' } as const;

export const revisionEndpoints = createPointEndpoints({
  getRevision: {
    ...readOptions,
    path: '/content',
    query: PagesQuery,
    response: Revision,
    at: {
      live: { id: 'getCurrentRevision', summary: 'Get the current revision of the live content' },
      changeRequest: {
        id: 'getRevisionOfChangeRequestById',
        summary: 'Get the current revision of a change request',
      },
      revision: { id: 'getRevisionById', summary: 'Get a revision' },
    },
  },
});

export const historyEndpoints = createPointEndpoints({
  listRevisions: {
    method: 'GET',
    path: '/revisions',
    access: { space: 'edit' },
    scope: 'space:read',
    query: PageQuery.extend({ targetPage: Id.optional() }),
    response: list(RevisionSummary),
    success: 200,
    at: {
      live: { id: 'listRevisionsInSpace', summary: 'List the revisions of the live content' },
      changeRequest: { id: 'listRevisionsInChangeRequest', summary: 'List the revisions of a change request' },
    },
  },
});

export const reusableContentEndpoints = createPointEndpoints({
  getReusableContentById: {
    ...readOptions,
    path: '/content/reusable-contents/:reusableContentId',
    params: z.object({ reusableContentId: Id }),
    query: ContentQuery,
    response: ReusableContent,
    cache: 'revision',
    at: {
      live: { id: 'getReusableContentById', summary: 'Get a reusable content of the live content' },
      changeRequest: {
        id: 'getReusableContentInChangeRequestById',
        summary: 'Get a reusable content of a change request',
      },
      revision: { id: 'getReusableContentInRevisionById', summary: 'Get a reusable content of a revision' },
    },
  },
});
