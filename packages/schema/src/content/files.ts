import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { list, PageQuery } from '../list.ts';
import { lineOfText } from '../text.ts';
import { ContentQuery, GitMetadata } from './pages.ts';

/** The name of a file: no path, nothing that hides how it ends. */
export const FileName = lineOfText(1, 256)
  .refine((name) => !/[/\\]/.test(name), 'must hold no slash or backslash')
  .refine((name) => name !== '.' && name !== '..', 'must not be a dot or two')
  .refine((name) => !/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(name), 'must hold no marks of direction');

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
  })
  .meta({ id: 'File' });
export type File = z.infer<typeof File>;

const FilesQuery = PageQuery.extend(ContentQuery.shape);

const spaceParams = z.object({ spaceId: Id });
const changeRequestParams = z.object({ spaceId: Id, changeRequestId: Id });
const revisionParams = z.object({ spaceId: Id, revisionId: Id });
const fileParam = { fileId: Id };

/** Who links to a file stands in links.ts. */
export const fileEndpoints = contract({
  listFiles: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/content/files',
    summary: 'List the files of the live content',
    access: { space: 'view' },
    scope: 'space:read',
    params: spaceParams,
    query: FilesQuery,
    response: list(File),
    success: 200,
  },
  getFileById: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/content/files/:fileId',
    summary: 'Get a file of the live content',
    access: { space: 'view' },
    scope: 'space:read',
    params: spaceParams.extend(fileParam),
    query: ContentQuery,
    response: File,
    success: 200,
  },
  listFilesInChangeRequestById: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/content/files',
    summary: 'List the files of a change request',
    access: { space: 'access' },
    scope: 'space:read',
    params: changeRequestParams,
    query: FilesQuery,
    response: list(File),
    success: 200,
  },
  getFileInChangeRequestById: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/change-requests/:changeRequestId/content/files/:fileId',
    summary: 'Get a file of a change request',
    access: { space: 'access' },
    scope: 'space:read',
    params: changeRequestParams.extend(fileParam),
    query: ContentQuery,
    response: File,
    success: 200,
  },
  listFilesInRevisionById: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/revisions/:revisionId/files',
    summary: 'List the files of a revision',
    access: { space: 'view' },
    scope: 'space:read',
    params: revisionParams,
    query: FilesQuery,
    response: list(File),
    success: 200,
  },
  getFileInRevisionById: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/revisions/:revisionId/files/:fileId',
    summary: 'Get a file of a revision',
    access: { space: 'view' },
    scope: 'space:read',
    params: revisionParams.extend(fileParam),
    query: ContentQuery,
    response: File,
    success: 200,
  },
});
