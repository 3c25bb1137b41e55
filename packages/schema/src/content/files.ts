import * as z from 'zod';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { createPointEndpoints } from '../points.ts';
import { createLineSchema } from '../text.ts';
import { ContentQuery, GitMetadata } from './pages.ts';

/** A file name: not a path, and without direction marks, which can disguise the extension. */
export const FileName = createLineSchema(1, 256)
  .refine((name) => !/[/\\]/.test(name), 'must not contain slashes or backslashes')
  .refine((name) => name !== '.' && name !== '..', 'must not be . or ..')
  .refine((name) => !/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(name), 'must not contain text direction marks');

export const File = z
  .object({
    object: z.literal('file'),
    id: z.string(),
    name: z.string(),
    contentType: z.string(),
    downloadURL: z.string(),
    size: z.number().int(),
    dimensions: z.object({ width: z.number(), height: z.number() }).optional(),
    git: GitMetadata.optional(),
    /** An extension of the GitBook API, the same as `importedFrom` of a page. */
    importedFrom: z.string().optional(),
  })
  .meta({ id: 'File' });
export type File = z.infer<typeof File>;

const FilesQuery = PageQuery.extend(ContentQuery.shape);

const readOptions = { method: 'GET', scope: 'space:read', success: 200, visitors: 'allowed' } as const;

/** The backlinks of a file are in links.ts. */
export const fileEndpoints = createPointEndpoints({
  listFiles: {
    ...readOptions,
    path: '/content/files',
    query: FilesQuery,
    response: list(File),
    at: {
      live: { id: 'listFiles', summary: 'List the files of the live content' },
      changeRequest: { id: 'listFilesInChangeRequestById', summary: 'List the files of a change request' },
      revision: { id: 'listFilesInRevisionById', summary: 'List the files of a revision' },
    },
  },
  getFileById: {
    ...readOptions,
    path: '/content/files/:fileId',
    params: z.object({ fileId: Id }),
    query: ContentQuery,
    response: File,
    at: {
      live: { id: 'getFileById', summary: 'Get a file of the live content' },
      changeRequest: { id: 'getFileInChangeRequestById', summary: 'Get a file of a change request' },
      revision: { id: 'getFileInRevisionById', summary: 'Get a file of a revision' },
    },
  },
});
