import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
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
    createdAt: Timestamp,
    updatedAt: Timestamp,
    finishedAt: Timestamp.optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'Import' });
export type Import = z.infer<typeof Import>;

const StartImport = z.object({ url: z.url({ protocol: /^https?$/ }).max(2048), source: ImportSource });

export const importEndpoints = contract({
  importContent: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/content/import',
    summary: 'Import content from an address into the live content of a space',
    access: { space: 'edit' },
    scope: 'space:write',
    params: z.object({ spaceId: Id }),
    body: StartImport,
    response: ImportResult,
    rate: 'jobs',
    success: 201,
    errors: ['conflict', 'precondition_failed'],
  },
  importContentInChangeRequest: {
    method: 'POST',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/content/import',
    summary: 'Import content from an address into a change request',
    access: { space: 'edit' },
    scope: 'space:write',
    params: z.object({ spaceId: Id, changeRequestId: Id }),
    body: StartImport,
    response: ImportResult,
    rate: 'jobs',
    success: 201,
    errors: ['conflict'],
  },
  getImport: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/content/import/:importId',
    summary: 'Get the progress of an import',
    access: { space: 'edit' },
    scope: 'space:read',
    params: z.object({ spaceId: Id, importId: Id }),
    response: Import,
    success: 200,
  },
  cancelImport: {
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/content/import/:importId',
    summary: 'Cancel a running import: the content stays as it is',
    access: { space: 'edit' },
    scope: 'space:write',
    params: z.object({ spaceId: Id, importId: Id }),
    success: 205,
    errors: ['conflict'],
  },
  getImportInChangeRequest: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/content/import/:importId',
    summary: 'Get the progress of an import into a change request',
    access: { space: 'edit' },
    scope: 'space:read',
    params: z.object({ spaceId: Id, changeRequestId: Id, importId: Id }),
    response: Import,
    success: 200,
  },
  cancelImportInChangeRequest: {
    method: 'DELETE',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/content/import/:importId',
    summary: 'Cancel a running import into a change request: the content stays as it is',
    access: { space: 'edit' },
    scope: 'space:write',
    params: z.object({ spaceId: Id, changeRequestId: Id, importId: Id }),
    success: 205,
    errors: ['conflict'],
  },
});
