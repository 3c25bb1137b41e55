import * as z from 'zod';
import { ChangeRequest } from '../collaboration/change-requests.ts';
import { contract } from '../endpoint.ts';
import { createHttpUrlSchema } from '../web-address.ts';
import { Collection } from './collections.ts';
import { Page } from './pages.ts';
import { Space } from './spaces.ts';

/** The object that a URL of the platform names. */
export const ContentByUrl = z
  .union([
    z.object({ collection: Collection }),
    z.object({ space: Space, changeRequest: ChangeRequest.optional(), page: Page.optional() }),
  ])
  .meta({ id: 'ContentByUrl' });
export type ContentByUrl = z.infer<typeof ContentByUrl>;

export const urlEndpoints = contract({
  getContentByUrl: {
    method: 'GET',
    path: '/v1/urls/content',
    summary: 'Get the content of a URL',
    access: 'user',
    scope: 'space:read',
    query: z.object({ url: createHttpUrlSchema() }),
    response: ContentByUrl,
    success: 200,
  },
});
