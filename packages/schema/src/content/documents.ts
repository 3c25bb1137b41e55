import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';

/** A page's content as a tree of blocks (beyond.md, 2.2). What a block holds in `data` follows from its type. */
export const JSONDocument = z
  .object({
    object: z.literal('document'),
    data: z.record(z.string(), z.unknown()),
    nodes: z.array(z.unknown()),
  })
  .meta({ id: 'JSONDocument' });
export type JSONDocument = z.infer<typeof JSONDocument>;

export const documentEndpoints = contract({
  getDocumentById: {
    method: 'GET',
    path: '/v1/spaces/:spaceId/documents/:documentId',
    summary: 'Get a document of the live content by its id',
    access: { space: 'view' },
    scope: 'space:read',
    params: z.object({ spaceId: Id, documentId: Id }),
    response: JSONDocument,
    success: 200,
    cache: 'revision',
  },
});
