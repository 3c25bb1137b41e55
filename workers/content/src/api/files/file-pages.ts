import type { PageContext, ServedPage } from '@octavo/runtime';
import { decodeName, importSigningKey, serveObject } from '@octavo/runtime';
import { notFound } from '@octavo/schema';
import { readFileUrl } from '../../engine/reading/file-presenter.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { toPermanentKey } from './permanent-files.ts';
import { findFileObject } from './queries.ts';

/** Duration for which caches store public files, in seconds. */
const publicCacheSeconds = 3600;

/** Serves the bytes of a file for a signed URL, if the file is still in the location for which the URL was signed. */
async function serveFile(request: Request, context: PageContext<ContentEnvironment>): Promise<Response> {
  const { env, params, db } = context;
  const file = await readFileUrl(request, await importSigningKey(env));
  const name = decodeName(params.name ?? '');
  const blob = `${params.organization}/${params.hash}`;
  if (name !== undefined && file.id === '') return servePermanentFile(request, { ...file, name, blob, env });
  const fileObject = name === undefined ? undefined : await findFileObject(db, file, blob);
  if (name === undefined || fileObject === undefined) throw notFound('file');
  const isOpen = file.expires === null;
  const expires = file.expires ?? Math.ceil(Date.now() / 1000) + publicCacheSeconds;
  const response = await serveObject(request, env.FILES, {
    ...file,
    name,
    key: fileObject.object ?? blob,
    etag: `"${params.hash}"`,
    expires,
    isOpen,
  });
  if (response === undefined) throw notFound('file');
  return response;
}

const permanentCacheSeconds = 365 * 24 * 3600;

/** Serves the copy of a file that a setting uses. Its bytes never change, because its path contains their hash. */
async function servePermanentFile(
  request: Request,
  { name, contentType, blob, env }: { name: string; contentType: string; blob: string; env: ContentEnvironment },
): Promise<Response> {
  const response = await serveObject(request, env.FILES, {
    name,
    contentType,
    key: toPermanentKey(blob),
    etag: `"${blob.slice(blob.indexOf('/') + 1)}"`,
    expires: Math.ceil(Date.now() / 1000) + permanentCacheSeconds,
    isOpen: true,
  });
  if (response === undefined) throw notFound('file');
  return response;
}

export const filePages: ServedPage<ContentEnvironment>[] = [
  { method: 'GET', path: '/files/:organization/:hash/:name+', handler: serveFile },
];
