import { presentChangeRequest, presentCollection, presentSpace } from '@octavo/runtime';
import type { Endpoint } from '@octavo/schema';
import { collaboration, content, isApiError, notFound, PageContentQuery } from '@octavo/schema';
import { findPage, toFindOptions, toIdKey, toPathKey } from '../../engine/reading/find-content.ts';
import { presentFoundPage } from '../../engine/reading/page-presenter.ts';
import { toPointReading } from '../../engine/reading/page-text.ts';
import { handler } from '../../handler.ts';

const createContentNotFound = () => notFound('content');

/** Unknown, missing and forbidden content returns the same error. */
export const getContentByUrl = handler('getContentByUrl', async ({ query: { url } }, context) => {
  const { env, urls, authorizeOther } = context;
  const call = findEndpointOfUrl(url, env.OCTAVO_PUBLIC_URL);
  if (call === undefined) throw createContentNotFound();
  const { params, ...authorized } = await authorizeOther(call.endpoint, call.params).catch(throwNotFoundIfHidden);
  const { collection, space, role = null, changeRequest, point } = authorized;
  if (collection !== undefined) return { collection: presentCollection(collection, urls) };
  if (space === undefined || point === undefined) throw createContentNotFound();
  const reading = toPointReading({ ...context, point, space, visitor: undefined });
  const { pageId, pagePath = '' } = params;
  const query = PageContentQuery.parse({});
  const findNamedPage = async () =>
    findPage(pageId === undefined ? toPathKey(pagePath) : toIdKey(pageId), toFindOptions(query), reading);
  const isPage = pageId !== undefined || pagePath !== '';
  const page = isPage
    ? await presentFoundPage(await findNamedPage().catch(throwNotFoundIfHidden), query, reading)
    : undefined;
  return {
    space: presentSpace(space, role, urls),
    ...(changeRequest === undefined ? {} : { changeRequest: presentChangeRequest(changeRequest, urls) }),
    ...(page === undefined ? {} : { page }),
  };
});

/** Replaces missing and forbidden errors with the same error, so that the caller cannot tell them apart. */
function throwNotFoundIfHidden(error: unknown): never {
  throw isApiError(error) && (error.type === 'not_found' || error.type === 'forbidden')
    ? createContentNotFound()
    : error;
}

/** The read operations whose URLs name content, as in `urls.location` and `urls.app`. */
const reads: Endpoint[] = [
  content.getCollectionById,
  content.getSpaceById,
  content.getCurrentRevision,
  content.getPageById,
  content.getPageByPath,
  collaboration.getChangeRequestById,
  content.getRevisionOfChangeRequestById,
  content.getPageInChangeRequestById,
  content.getPageInChangeRequestByPath,
  content.getRevisionById,
  content.getPageInRevisionById,
  content.getPageInRevisionByPath,
];

/** `:name` matches one segment, and a trailing `:name+` matches one or more segments. */
const calls = reads.map((endpoint) => {
  const groups = endpoint.path
    .replace(/^\/v1/, '')
    .replace(/:(\w+)\+/g, '(?<$1>.+)')
    .replace(/:(\w+)/g, '(?<$1>[^/]+)');
  return { endpoint, pattern: new RegExp(`^${groups}/?$`) };
});

interface EndpointCall {
  endpoint: Endpoint;
  params: Record<string, string>;
}

/** Returns the operation and parameters for a URL of the platform at `base`; query and fragment are ignored. */
function findEndpointOfUrl(address: string, base: string): EndpointCall | undefined {
  const [{ origin, pathname }, home] = [new URL(address), new URL(base)];
  const root = home.pathname.replace(/\/$/, '');
  if (origin !== home.origin || !pathname.startsWith(`${root}/`)) return undefined;
  const path = /^\/(?:v1|app)(\/.*)$/.exec(pathname.slice(root.length))?.[1];
  if (path === undefined) return undefined;
  for (const { endpoint, pattern } of calls) {
    const groups = pattern.exec(path)?.groups;
    if (groups !== undefined) return { endpoint, params: { ...groups } };
  }
  return undefined;
}
