import type { Handler } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import { readEmbed } from './read-embed.ts';

export const getEmbedByUrlInSpace: Handler<typeof content.getEmbedByUrlInSpace, ContentEnvironment> = (
  { query },
  context,
) => readEmbed(query.url, context);
