import * as z from 'zod';
import { Id } from '../ids.ts';
import { atEveryPoint } from '../points.ts';
import { Timestamp } from '../time.ts';

/** Every source name that clients know; which of them are built stands in the answer of the others, a 400. */
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

/** `id` is our extension: progress is read below it, as the `Location` header says. */
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

/** An import as it goes on. Until it is completed the content is as it was; `revision` shows what it has gathered. */
export const Import = z
  .object({
    object: z.literal('import'),
    id: z.string(),
    source: ImportSource,
    url: z.string(),
    status: ImportStatus,
    /** Why it failed. */
    error: z.string().optional(),
    revision: z.string(),
    importedResources: z.number().int(),
    totalResources: z.number().int(),
    skippedResources: z.number().int(),
    failedResources: z.number().int(),
    /** The addresses that failed, the first 100. */
    failures: z.array(z.object({ url: z.string(), error: z.string() })),
    /** What of an archive was left out on purpose, or not taken as it is written, the first 500. */
    problems: z.array(z.object({ kind: z.enum(['skipped', 'warning']), url: z.string(), message: z.string() })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    finishedAt: Timestamp.optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'Import' });
export type Import = z.infer<typeof Import>;

/** What an address begins with that names an upload, before its key. */
export const uploadScheme = 'upload:';

const StartImport = z
  .object({
    /** Our extension: `upload:` and the key of an upload of the caller's own, of an archive that has all its bytes. */
    url: z.url({ protocol: /^(?:https?|upload)$/ }).max(2048),
    source: ImportSource,
  })
  .refine(({ url, source }) => !url.startsWith(uploadScheme) || source === 'zip', {
    path: ['url'],
    message: 'names an upload, which goes with the source zip',
  });

const edit = { access: { space: 'edit' } } as const;

export const importEndpoints = {
  ...atEveryPoint({
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
          summary: 'Import content from an address into the live content of a space',
          errors: ['conflict', 'precondition_failed'],
        },
        changeRequest: {
          id: 'importContentInChangeRequest',
          summary: 'Import content from an address into a change request',
          errors: ['conflict'],
        },
      },
    },
  }),
  ...atEveryPoint({
    getImport: {
      ...edit,
      method: 'GET',
      path: '/content/import/:importId',
      scope: 'space:read',
      params: z.object({ importId: Id }),
      response: Import,
      success: 200,
      at: {
        live: { id: 'getImport', summary: 'Get the progress of an import' },
        changeRequest: {
          id: 'getImportInChangeRequest',
          summary: 'Get the progress of an import into a change request',
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
        live: { id: 'cancelImport', summary: 'Cancel a running import: the content stays as it is' },
        changeRequest: {
          id: 'cancelImportInChangeRequest',
          summary: 'Cancel a running import into a change request: the content stays as it is',
        },
      },
    },
  }),
};
