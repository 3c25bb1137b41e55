import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { findPageByPath, partsOf, pointReading, presentRead } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

export const getPageByPath: Handler<Served<typeof content, 'getPageByPath'>, ContentEnvironment> = async (
  { params, query },
  context,
) => {
  const reading = pointReading(context);
  return presentRead(await findPageByPath(params.pagePath, partsOf(query), reading), query, reading);
};
