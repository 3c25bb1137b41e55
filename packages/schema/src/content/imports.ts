import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';

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

export const ImportResult = z
  .object({ revision: z.string(), importedResources: z.number().int(), totalResources: z.number().int() })
  .meta({ id: 'ImportResult' });
export type ImportResult = z.infer<typeof ImportResult>;

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
    success: 201,
    location: '/v1/spaces/:spaceId/revisions/:revision',
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
    success: 201,
    location: '/v1/spaces/:spaceId/revisions/:revision',
    errors: ['conflict'],
  },
});
