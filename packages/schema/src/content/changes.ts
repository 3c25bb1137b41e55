import * as z from 'zod';
import { ChangeRequest } from '../collaboration/change-requests.ts';
import { Emoji } from '../emoji.ts';
import { contract } from '../endpoint.ts';
import { uploadHint } from '../errors.ts';
import { Id } from '../ids.ts';
import { queryBoolean } from '../list.ts';
import { createLineSchema, describeMarkdownObject } from '../text.ts';
import { createHttpUrlSchema, MediaType } from '../web-address.ts';
import { File, FileName } from './files.ts';
import {
  ComputedSourceInput,
  LinkTarget,
  PageCoverInput,
  PageLayout,
  PageTitle,
  VariableName,
  VariableValue,
} from './pages.ts';
import { Resolve } from './resolve.ts';
import { Warnings } from './warnings.ts';

/** Maximum size of an inline file of a batch, and of a file that a batch fetches from a URL, in bytes. */
export const maxInlineFileBytes = 1024 * 1024;
export const maxFetchedFileBytes = 10 * 1024 * 1024;
/** Limits of one batch: the number of its files, and their total size in bytes. */
export const maxBatchFiles = 100;
export const maxBatchFileBytes = 32 * 1024 * 1024;

/** A name for a new object, valid within its batch. */
export const Reference = z.string().min(1).max(256);

/**
 * An extension of the GitBook API: the source file of a page, a file or a reusable content, so that an export writes
 * it to the same path.
 */
export const GitPath = z.object({ path: z.string().min(1).max(1024) });

/**
 * An extension of the GitBook API: the name of the folder or archive that an import read the object from. A later
 * import of the same source removes the object if the source no longer contains it.
 */
export const ImportOrigin = z.string().min(1).max(256);

/** Maximum number of links in `GitSource`, and their maximum total length in characters, including their targets. */
export const maxSourceLinks = 1000;
export const maxSourceLinksLength = 100_000;

const sumLengths = (links: Record<string, string>): number =>
  Object.entries(links).reduce((sum, [address, path]) => sum + address.length + path.length, 0);

/**
 * The source of a text. `links` maps links to source files if the path alone does not identify the file. The keys of
 * `links` are links as they are written, without anchors. If `links` is omitted, the stored links are removed.
 */
export const GitSource = GitPath.extend({
  links: z
    .record(z.string().min(1).max(2048), GitPath.shape.path)
    .refine((links) => Object.keys(links).length <= maxSourceLinks, `must have at most ${maxSourceLinks} entries`)
    .refine(
      (links) => sumLengths(links) <= maxSourceLinksLength,
      `must have at most ${maxSourceLinksLength} characters in total`,
    )
    .optional(),
});
export type GitSource = z.infer<typeof GitSource>;

const bytes = {
  url: createHttpUrlSchema().optional(),
  /** The bytes of the file in base64, at most 1 MiB when decoded. */
  base64: z.string().max(1_400_000, `must be at most 1 MiB when decoded. ${uploadHint}`).optional(),
  /** The type of the file, required with `base64`. A type that is detected from the bytes takes precedence. */
  contentType: MediaType.optional(),
  /** An extension of the GitBook API: the key of a complete upload of the caller. */
  upload: Id.optional(),
};

const hasType = ({ base64, contentType }: { base64?: string | undefined; contentType?: string | undefined }) =>
  base64 === undefined || contentType !== undefined;
const typeIsNeeded = { path: ['contentType'], message: 'is required with base64' };

const countSources = ({ url, base64, upload }: { url?: unknown; base64?: unknown; upload?: unknown }): number =>
  [url, base64, upload].filter((source) => source !== undefined).length;

const NewFile = z
  .object({
    ...bytes,
    name: FileName,
    ref: Reference.optional(),
    git: GitPath.optional(),
    importedFrom: ImportOrigin.optional(),
  })
  .refine((file) => countSources(file) === 1, 'must have one of url, base64 or upload')
  .refine(hasType, typeIsNeeded);

/** A file id, or the name that the batch gives to a new file. */
const file = z.string().min(1).max(256);

/** The changes to files in a batch. */
export const fileChanges = [
  z.object({ operation: z.literal('insert_files'), files: z.array(NewFile).min(1).max(20) }),
  /**
   * An extension of the GitBook API: replaces the bytes, the name or the source of a file. References to the file stay
   * valid.
   */
  z
    .object({ operation: z.literal('update_file'), file, name: FileName.optional(), git: GitPath.optional(), ...bytes })
    .refine((file) => countSources(file) <= 1, 'must have only one of url, base64 or upload')
    .refine(hasType, typeIsNeeded),
  /** An extension of the GitBook API. */
  z.object({ operation: z.literal('delete_file'), file }),
  /** An extension of the GitBook API. */
  z.object({ operation: z.literal('revert_file'), file, revision: Id.optional() }),
] as const;

export const maxChanges = 50;
/** Maximum number of variables in one change or in the frontmatter of one page. */
export const maxVariables = 100;
/** Maximum size of a document, in bytes of UTF-8, and of the body of a content request. */
export const maxDocumentBytes = 1024 * 1024;
export const maxContentBodyBytes = 16 * 1024 * 1024;

const Markdown = z
  .string()
  .refine((text) => text.isWellFormed(), 'must be valid Unicode')
  .refine((text) => new TextEncoder().encode(text).length <= maxDocumentBytes, 'must be at most 1 MiB');

/** A document in requests. */
export const DocumentInput = z
  .union([z.object({ markdown: Markdown }), z.strictObject({})], { error: describeMarkdownObject })
  .meta({ id: 'DocumentInput' });
export type DocumentInput = z.infer<typeof DocumentInput>;

const PageReference = z.string().min(1).max(256);

const Slug = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[^\s/?#\p{Cc}]+$/u, 'must not contain slashes, spaces, question marks or hash signs')
  .refine((slug) => slug !== '.' && slug !== '..', 'must not be . or ..')
  .refine((slug) => slug.isWellFormed(), 'must be valid Unicode');

const ReusableContentTitle = createLineSchema(1, 256);

/** Metadata of a page. An empty string removes the emoji, icon, description or condition. */
const metadata = {
  title: PageTitle.optional(),
  slug: Slug.optional(),
  emoji: Emoji.optional(),
  icon: z.string().max(50).optional(),
  description: z.string().max(2048).optional(),
  hidden: z.boolean().optional(),
  noIndex: z.boolean().optional(),
  noRobotsIndex: z.boolean().optional(),
  condition: z.string().max(1024).optional(),
  git: GitSource.optional(),
  importedFrom: ImportOrigin.optional(),
};

/** Variables by name. Null removes a variable. */
const SetVariables = z
  .record(VariableName, VariableValue.nullable())
  .refine((variables) => Object.keys(variables).length <= maxVariables, `must have at most ${maxVariables} variables`);

/** Properties that only pages of type `document` have. */
const appearance = {
  cover: PageCoverInput.nullable().optional(),
  /** Omitted fields are unchanged. */
  layout: PageLayout.partial().optional(),
  variables: SetVariables.optional(),
};

const position = {
  into: PageReference.nullable().optional(),
  at: z.number().int().min(0).max(1_000_000).optional(),
};

export const ContentChange = z
  .discriminatedUnion('operation', [
    z.object({
      operation: z.literal('update_page'),
      page: PageReference,
      document: DocumentInput.optional(),
      ...position,
      ...metadata,
      ...appearance,
    }),
    z.object({
      operation: z.literal('insert_page'),
      document: DocumentInput,
      ref: Reference.optional(),
      ...position,
      ...metadata,
      ...appearance,
    }),
    z.object({
      operation: z.literal('insert_group'),
      ref: Reference.optional(),
      /** Groups are only allowed at the top level. */
      into: z.null().optional(),
      at: position.at,
      title: PageTitle,
      slug: Slug.optional(),
      emoji: metadata.emoji,
      icon: metadata.icon,
      importedFrom: metadata.importedFrom,
    }),
    z.object({
      operation: z.literal('insert_link'),
      ref: Reference.optional(),
      ...position,
      title: PageTitle,
      emoji: metadata.emoji,
      icon: metadata.icon,
      importedFrom: metadata.importedFrom,
      target: LinkTarget,
    }),
    z.object({
      operation: z.literal('insert_computed'),
      ref: Reference.optional(),
      ...position,
      title: PageTitle,
      emoji: metadata.emoji,
      icon: metadata.icon,
      computed: ComputedSourceInput,
    }),
    z.object({ operation: z.literal('delete_page'), page: PageReference }),
    z.object({
      operation: z.literal('revert_page'),
      page: PageReference,
      revision: Id.optional(),
      block: z.array(z.string().max(64)).max(1000).optional(),
    }),
    Resolve,
    ...fileChanges,
    z.object({
      operation: z.literal('set_variables'),
      variables: SetVariables,
    }),
    z.object({
      operation: z.literal('insert_reusable_content'),
      title: ReusableContentTitle,
      document: DocumentInput,
      ref: Reference.optional(),
      git: GitSource.optional(),
      importedFrom: ImportOrigin.optional(),
    }),
    z.object({
      operation: z.literal('update_reusable_content'),
      reusableContent: Id,
      title: ReusableContentTitle.optional(),
      document: DocumentInput.optional(),
      git: GitSource.optional(),
    }),
    z.object({ operation: z.literal('delete_reusable_content'), reusableContent: Id }),
  ])
  .meta({ id: 'ContentChange' });
export type ContentChange = z.infer<typeof ContentChange>;
export type PageMetadata = Pick<
  Extract<ContentChange, { operation: 'insert_page' }>,
  Exclude<keyof typeof metadata, 'git' | 'importedFrom'> | keyof typeof appearance
>;

const Touched = z.object({
  object: z.literal('page'),
  id: z.string(),
  urls: z.object({ location: z.string() }),
});

/** A result of a batch. There is one entry for each page, in the order in which the batch first touched them. */
export const AppliedChange = z
  .discriminatedUnion('object', [
    z.object({ object: z.literal('created_page'), page: Touched, ref: z.string().optional() }),
    z.object({ object: z.literal('updated_page'), page: Touched }),
    z.object({ object: z.literal('deleted_page'), page: z.string() }),
    z.object({
      object: z.literal('created_reusable_content'),
      reusableContent: z.string(),
      ref: z.string().optional(),
    }),
    z.object({ object: z.literal('updated_reusable_content'), reusableContent: z.string() }),
    z.object({ object: z.literal('deleted_reusable_content'), reusableContent: z.string() }),
    z.object({ object: z.literal('created_file'), file: z.string(), ref: z.string().optional() }),
    z.object({ object: z.literal('updated_file'), file: z.string() }),
    z.object({ object: z.literal('deleted_file'), file: z.string() }),
    z.object({ object: z.literal('updated_variables') }),
  ])
  .meta({ id: 'AppliedChange' });
export type AppliedChange = z.infer<typeof AppliedChange>;

const ContentChanges = z.object({
  changes: z.array(ContentChange).min(1).max(maxChanges),
  /**
   * An extension of the GitBook API: the revision that the changes are based on. If the content has changed since
   * then, the response is a 409.
   */
  revision: Id.optional(),
});

export const changeEndpoints = contract({
  updateChangeRequestContent: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/content',
    summary: 'Change the content of a change request',
    access: { space: 'edit' },
    scope: 'space:write',
    params: z.object({ spaceId: Id, changeRequestId: Id }),
    query: z.object({ compat: queryBoolean(true) }),
    body: ContentChanges,
    response: z.union([
      ChangeRequest,
      z.object({
        changeRequest: ChangeRequest,
        changes: z.array(AppliedChange),
        insertedFiles: z.array(File).optional(),
        warnings: Warnings.optional(),
      }),
    ]),
    success: 200,
    errors: ['conflict', 'precondition_failed'],
    precondition: 'revision',
    maxBodyBytes: maxContentBodyBytes,
  },
  updateSpaceContent: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/content',
    summary: 'Change the live content of a space',
    access: { space: 'edit' },
    scope: 'space:write',
    params: z.object({ spaceId: Id }),
    query: z.object({ compat: queryBoolean(true) }),
    body: ContentChanges,
    response: z.object({
      revision: z.string(),
      changes: z.array(AppliedChange),
      insertedFiles: z.array(File).optional(),
      warnings: Warnings.optional(),
    }),
    success: 200,
    errors: ['conflict', 'precondition_failed'],
    precondition: 'revision',
    maxBodyBytes: maxContentBodyBytes,
  },
});
