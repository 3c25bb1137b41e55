import type { Handler } from '@octavo/runtime';
import { presentChangeRequest, presentCollection, presentSpace } from '@octavo/runtime';
import type { content } from '@octavo/schema';
import { isApiError, notFound, PageContentQuery } from '@octavo/schema';
import { findPageById, findPageByPath, partsOf, pointReading, presentRead } from '../../engine/reading/read-page.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { findPlace } from './find-place.ts';

const nothing = () => notFound('content');

/** What is not ours, not there or not seen by the caller is answered alike. */
export const getContentByUrl: Handler<typeof content.getContentByUrl, ContentEnvironment> = async (
  { query: { url } },
  context,
) => {
  const { env, urls, authorizeFor } = context;
  const place = findPlace(url, env.OCTAVO_PUBLIC_URL);
  if (place === undefined) throw nothing();
  const { params, ...found } = await authorizeFor(place.endpoint, place.params).catch(hide);
  const { collection, space, role = null, changeRequest, point } = found;
  if (collection !== undefined) return { collection: presentCollection(collection, urls) };
  if (space === undefined || point === undefined) throw nothing();
  const reading = pointReading({ ...context, point, space, visitor: undefined });
  const { pageId, pagePath = '' } = params;
  const query = PageContentQuery.parse({});
  const isPage = pageId !== undefined || pagePath !== '';
  const find = pageId === undefined ? findPageByPath : findPageById;
  const page = isPage
    ? await presentRead(await find(pageId ?? pagePath, partsOf(query), reading).catch(hide), query, reading)
    : undefined;
  return {
    space: presentSpace(space, role, urls),
    ...(changeRequest === undefined ? {} : { changeRequest: presentChangeRequest(changeRequest, urls) }),
    ...(page === undefined ? {} : { page }),
  };
};

/** Nobody is told whether it is missing or hidden. */
function hide(error: unknown): never {
  throw isApiError(error) && (error.type === 'not_found' || error.type === 'forbidden') ? nothing() : error;
}
