import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { createHttpUrlSchema } from '../web-address.ts';

/** The rendering of a URL: as a link, or in a frame of a known provider. */
export const Embed = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('link'), title: z.string(), site: z.string(), icon: z.string().optional() }),
    z.object({
      type: z.literal('rich'),
      title: z.string(),
      site: z.string(),
      icon: z.string().optional(),
      html: z.string(),
    }),
  ])
  .meta({ id: 'Embed' });
export type Embed = z.infer<typeof Embed>;

const EmbedQuery = z.object({ url: createHttpUrlSchema() });

const readOptions = { method: 'GET', query: EmbedQuery, response: Embed, success: 200, rate: 'searches' } as const;

export const embedEndpoints = contract({
  getEmbedByUrl: {
    ...readOptions,
    path: '/v1/urls/embed',
    summary: 'Get the embed of a URL',
    access: 'user',
    scope: 'any',
  },
  getEmbedByUrlInSpace: {
    ...readOptions,
    path: '/v1/spaces/:spaceId/embed',
    summary: 'Get the embed of a URL in a space',
    access: { space: 'view' },
    visitors: 'allowed',
    scope: 'space:read',
    params: z.object({ spaceId: Id }),
  },
});
