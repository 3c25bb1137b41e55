import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { findPageById, partsOf, pointReading, presentRead } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

export const getPageById: Handler<Served<typeof content, 'getPageById'>, ContentEnvironment> = async (
  { params, query },
  context,
) => {
  const reading = pointReading(context);
  return presentRead(await findPageById(params.pageId, partsOf(query), reading), query, reading);
};
