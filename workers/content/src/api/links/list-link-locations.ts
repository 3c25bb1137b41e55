import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { linksReading } from '../../engine/links/links-reading.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { readLinkLocations } from './read-space-links.ts';

export const listLinkLocations: Handler<Served<typeof content, 'listLinkLocations'>, ContentEnvironment> = (
  { params, query },
  context,
) => readLinkLocations(params.linkId, linksReading(context), query);
