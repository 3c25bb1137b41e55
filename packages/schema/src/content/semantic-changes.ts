import * as z from 'zod';
import { ChangeRequest } from '../collaboration/change-requests.ts';
import { MergeConflict } from '../collaboration/merge-conflict.ts';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { PageQuery, queryBoolean } from '../list.ts';
import { createPointEndpoints } from '../points.ts';
import { File } from './files.ts';
import { PageType, Variables } from './pages.ts';

const ChangedPage = z
  .object({ id: z.string(), type: PageType, title: z.string(), path: z.string().optional() })
  .meta({ id: 'ChangedPage' });

const change = <Value extends z.ZodType>(value: Value) =>
  z.object({ before: value.optional(), after: value.optional() }).optional();

const DocumentChange = z
  .object({
    before: z.string().optional(),
    after: z.string().optional(),
    added: z.number().int().optional(),
    removed: z.number().int().optional(),
    diff: z.string().optional(),
    truncated: z.literal(true).optional(),
  })
  .meta({ id: 'ChangedDocument' });
export type DocumentChange = z.infer<typeof DocumentChange>;

const Text = { attributes: z.object({ document: DocumentChange }).optional() };

const PageAttributes = z
  .object({
    title: change(z.string()),
    description: change(z.string()),
    slug: change(z.string()),
    emoji: change(z.string()),
    icon: change(z.string()),
    hidden: change(z.boolean()),
    noIndex: change(z.boolean()),
    noRobotsIndex: change(z.boolean()),
    condition: change(z.string()),
    cover: change(z.unknown()),
    layout: change(z.unknown()),
    variables: change(Variables),
    target: change(z.unknown()),
    document: DocumentChange.optional(),
  })
  .meta({ id: 'ChangedPageAttributes' });
export type PageAttributes = z.infer<typeof PageAttributes>;

const ChangedReusableContent = z.object({ id: z.string(), title: z.string(), document: z.string().optional() });

const FileAttributes = z
  .object({
    name: change(z.string()),
    contentType: change(z.string()),
    size: change(z.number()),
    dimensions: change(z.object({ width: z.number(), height: z.number() })),
    downloadURL: change(z.string()),
  })
  .meta({ id: 'ChangedFileAttributes' });
export type FileAttributes = z.infer<typeof FileAttributes>;

/** An entry of a semantic diff. */
export const SemanticChange = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('page_created'), page: ChangedPage, ...Text }),
    z.object({ type: z.literal('page_edited'), page: ChangedPage, attributes: PageAttributes }),
    z.object({ type: z.literal('page_deleted'), page: ChangedPage, ...Text }),
    z.object({
      type: z.literal('page_moved'),
      page: ChangedPage,
      parent: z.object({ before: ChangedPage.optional(), after: ChangedPage.optional() }),
    }),
    z.object({ type: z.literal('file_created'), file: File }),
    z.object({ type: z.literal('file_edited'), file: File, attributes: FileAttributes }),
    z.object({ type: z.literal('file_deleted'), file: File }),
    z.object({ type: z.literal('variables_edited'), variables: z.object({ before: Variables, after: Variables }) }),
    z.object({ type: z.literal('reusable_content_created'), reusableContent: ChangedReusableContent, ...Text }),
    z.object({
      type: z.literal('reusable_content_edited'),
      reusableContent: ChangedReusableContent,
      attributes: z.object({ title: change(z.string()), document: DocumentChange.optional() }),
    }),
    z.object({ type: z.literal('reusable_content_deleted'), reusableContent: ChangedReusableContent, ...Text }),
  ])
  .meta({ id: 'SemanticChange' });
export type SemanticChange = z.infer<typeof SemanticChange>;

/**
 * A semantic diff. `more` is the number of changes beyond the limit. An extension of the GitBook API: `conflicts` are
 * the unresolved conflicts that an update has left, up to the limit; `moreConflicts` is the number of further
 * conflicts.
 */
export const SemanticChanges = z
  .object({
    changes: z.array(SemanticChange),
    more: z.number().int().optional(),
    mergedFrom: ChangeRequest.optional(),
    conflicts: z.array(MergeConflict).optional(),
    moreConflicts: z.number().int().optional(),
  })
  .meta({ id: 'SemanticChanges' });
export type SemanticChanges = z.infer<typeof SemanticChanges>;

/** A top-level block that differs between two versions of a page. Extends the GitBook API, like all schemas below. */
const BlockChange = z
  .object({
    change: z.enum(['added', 'removed', 'changed', 'moved']),
    type: z.string(),
    before: z.string().optional(),
    after: z.string().optional(),
    preview: z.string().optional(),
    words: z.array(z.object({ text: z.string(), change: z.enum(['added', 'removed']).optional() })).optional(),
  })
  .meta({ id: 'BlockChange' });
export type BlockChange = z.infer<typeof BlockChange>;

/** Maximum number of blocks in one difference. */
export const maxBlockChanges = 5000;

/** The differences between the texts of two versions of a page, by blocks. */
export const BlockChanges = z
  .object({
    page: z.string(),
    before: z.string().optional(),
    after: z.string().optional(),
    blocks: z.array(BlockChange).max(maxBlockChanges),
    truncated: z.literal(true).optional(),
  })
  .meta({ id: 'BlockChanges' });
export type BlockChanges = z.infer<typeof BlockChanges>;

export const blockChangeEndpoints = createPointEndpoints({
  getBlockChanges: {
    method: 'GET',
    path: '/changes/page/:pageId',
    access: { space: 'access' },
    scope: 'space:read',
    params: z.object({ pageId: Id }),
    response: BlockChanges,
    success: 200,
    at: {
      changeRequest: {
        id: 'getBlockChangesInChangeRequest',
        summary: 'List the changed blocks of a page of a change request',
      },
      revision: { id: 'getBlockChangesInRevision', summary: 'List the changed blocks of a page of a revision' },
    },
    query: z.object({ base: Id.optional() }),
  },
});

/** An extension of the GitBook API: `diffs` and `targetPage`. */
const ChangesQuery = PageQuery.pick({ limit: true }).extend({ diffs: queryBoolean(true), targetPage: Id.optional() });

export const semanticChangeEndpoints = contract({
  getChangeRequestChanges: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/changes',
    summary: 'List the changes of a change request',
    access: { space: 'access' },
    visitors: 'previews',
    scope: 'space:read',
    params: z.object({ spaceId: Id, changeRequestId: Id }),
    query: ChangesQuery,
    response: SemanticChanges,
    success: 200,
  },
  getRevisionSemanticChanges: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/revisions/:revisionId/changes',
    summary: 'List the changes of a revision',
    access: { space: 'view' },
    visitors: 'previews',
    scope: 'space:read',
    params: z.object({ spaceId: Id, revisionId: Id }),
    query: ChangesQuery,
    response: SemanticChanges,
    success: 200,
  },
});
