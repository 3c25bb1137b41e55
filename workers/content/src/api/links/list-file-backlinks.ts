import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { linksReading } from '../../engine/links/links-reading.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { readFileBacklinks } from './read-space-links.ts';

export const listFileBacklinks: Handler<Served<typeof content, 'listFileBacklinks'>, ContentEnvironment> = (
  { params, query },
  context,
) => readFileBacklinks(params.fileId, linksReading(context), query);
