import * as z from 'zod';
import { Id } from '../ids.ts';
import { createPointEndpoints } from '../points.ts';
import { Timestamp } from '../time.ts';
import { createHttpUrlSchema } from '../web-address.ts';

/**
 * Every import source that GitBook-compatible clients know. For a source that is not supported, the response is a 400
 * that lists the supported ones.
 */
export const ImportSource = z
  .enum([
    'website',
    'docx',
    'markdown',
    'html',
    'zip',
    'confluence',
    'github-wiki',
    'dropbox-paper',
    'notion',
    'quip',
    'google-docs',
  ])
  .meta({ id: 'ImportSource' });
export type ImportSource = z.infer<typeof ImportSource>;

/** `id` is an extension of the GitBook API: the URL in the `Location` header contains it and returns the progress. */
export const ImportResult = z
  .object({
    id: z.string(),
    revision: z.string(),
    importedResources: z.number().int(),
    totalResources: z.number().int(),
  })
  .meta({ id: 'ImportResult' });
export type ImportResult = z.infer<typeof ImportResult>;

export const ImportStatus = z.enum(['running', 'completed', 'failed', 'cancelled']).meta({ id: 'ImportStatus' });
export type ImportStatus = z.infer<typeof ImportStatus>;

/**
 * An import and its progress. The content does not change until the import is completed; `revision` contains what it
 * has collected so far.
 */
export const Import = z
  .object({
    object: z.literal('import'),
    id: z.string(),
    source: ImportSource,
    url: z.string(),
    status: ImportStatus,
    /** The reason why the import failed. */
    error: z.string().optional(),
    revision: z.string(),
    importedResources: z.number().int(),
    totalResources: z.number().int(),
    skippedResources: z.number().int(),
    failedResources: z.number().int(),
    /** The first 100 URLs that failed. */
    failures: z.array(z.object({ url: z.string(), error: z.string() })),
    /** The first 500 files of an archive that were skipped on purpose or changed on import. */
    problems: z.array(z.object({ kind: z.enum(['skipped', 'warning']), url: z.string(), message: z.string() })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    finishedAt: Timestamp.optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'Import' });
export type Import = z.infer<typeof Import>;

/** The prefix of a URL that names an upload, before the key. */
export const uploadScheme = 'upload:';

const StartImport = z
  .object({
    /**
     * An extension of the GitBook API: `upload:` and the key of a complete upload of the caller that contains an
     * archive.
     */
    url: createHttpUrlSchema({ protocol: /^(?:https?|upload)$/ }),
    source: ImportSource,
  })
  .refine(({ url, source }) => !url.startsWith(uploadScheme) || source === 'zip', {
    path: ['url'],
    message: 'can only be an upload if source is zip',
  });

const edit = { access: { space: 'edit' } } as const;

export const importEndpoints = {
  ...createPointEndpoints({
    importContent: {
      ...edit,
      method: 'POST',
      path: '/content/import',
      scope: 'space:write',
      body: StartImport,
      response: ImportResult,
      rate: 'jobs',
      success: 201,
      at: {
        live: {
          id: 'importContent',
          summary: 'Start an import into the live content',
          errors: ['conflict', 'precondition_failed'],
        },
        changeRequest: {
          id: 'importContentInChangeRequest',
          summary: 'Start an import into a change request',
          errors: ['conflict'],
        },
      },
    },
  }),
  ...createPointEndpoints({
    getImport: {
      ...edit,
      method: 'GET',
      path: '/content/import/:importId',
      scope: 'space:read',
      params: z.object({ importId: Id }),
      response: Import,
      success: 200,
      at: {
        live: { id: 'getImport', summary: 'Get an import' },
        changeRequest: {
          id: 'getImportInChangeRequest',
          summary: 'Get an import into a change request',
        },
      },
    },
    cancelImport: {
      ...edit,
      method: 'DELETE',
      path: '/content/import/:importId',
      scope: 'space:write',
      params: z.object({ importId: Id }),
      success: 205,
      errors: ['conflict'],
      at: {
        live: { id: 'cancelImport', summary: 'Cancel an import' },
        changeRequest: {
          id: 'cancelImportInChangeRequest',
          summary: 'Cancel an import into a change request',
        },
      },
    },
  }),
};
