import type { PageContext, ServedPage } from '@octavo/runtime';
import { hasTag } from '@octavo/runtime';
import { notFound } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { findPublicVersion } from './find-version.ts';
import { openObject } from './stream-version.ts';

/** Gives the newest version of a public specification to anybody, in OpenAPI 3 as JSON. */
async function servePublicSpec(request: Request, context: PageContext<PublishingEnvironment>): Promise<Response> {
  const { db, env, params } = context;
  const found = await findPublicVersion(db, params.id ?? '');
  if (found === undefined) throw notFound('OpenAPI specification');
  const headers = { etag: `"${found.version.id}"`, 'cache-control': 'no-cache' };
  if (hasTag(request, headers.etag)) return new Response(null, { status: 304, headers });
  return new Response(await openObject(env, found.version.content), {
    headers: { ...headers, 'content-type': 'application/json' },
  });
}

export const specPages: ServedPage<PublishingEnvironment>[] = [
  { method: 'GET', path: '/openapi/:id/openapi.json', handler: servePublicSpec },
];
