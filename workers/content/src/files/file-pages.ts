import type { Page, PageContext } from '@octavo/runtime';
import { forbidden, notFound } from '@octavo/schema';
import type { ContentEnvironment } from '../environment.ts';
import { readRange } from './byte-range.ts';
import type { SignedFile } from './file-address.ts';
import { isSigned, signingKey } from './file-address.ts';
import { fileHeaders } from './file-headers.ts';

type Context = PageContext<ContentEnvironment>;

/** Gives the bytes of a file to whoever has a signed address; no database is asked. */
async function serveFile(request: Request, { env, params }: Context): Promise<Response> {
  const file = await requireSigned(request, { env, params });
  const etag = `"${params.hash}"`;
  const headers = fileHeaders(file, etag);
  if (isFresh(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  const wanted = request.headers.get('range');
  const condition = request.headers.get('if-range');
  if (wanted !== null && (condition === null || condition === etag)) {
    const part = await servePart(env, file, { wanted, headers });
    if (part !== undefined) return part;
  }
  const object = await env.FILES.get(file.blob);
  if (object === null) throw notFound('file');
  headers.set('content-length', String(object.size));
  return new Response(object.body, { headers });
}

async function requireSigned(request: Request, { env, params }: Pick<Context, 'env' | 'params'>): Promise<SignedFile> {
  const { searchParams } = new URL(request.url);
  const file: SignedFile = {
    blob: `${params.organization}/${params.hash}`,
    name: decoded(params.name ?? ''),
    contentType: searchParams.get('type') ?? '',
    expires: Number(searchParams.get('expires')),
  };
  if (!(await isSigned(await signingKey(env), file, searchParams.get('signature') ?? ''))) throw notFound('file');
  if (file.expires * 1000 <= Date.now())
    throw forbidden('This address of a file has expired: read the file through the API for a new one.');
  return file;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw notFound('file');
  }
}

/** `If-None-Match` compares weakly: a list of tags, or a star. */
const isFresh = (header: string | null, etag: string): boolean =>
  (header ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));

interface Part {
  wanted: string;
  headers: Headers;
}

/** The answer to a `Range` header; undefined where it asks for no range that is served. */
async function servePart(env: ContentEnvironment, file: SignedFile, { wanted, headers }: Part) {
  const head = await env.FILES.head(file.blob);
  if (head === null) throw notFound('file');
  const range = readRange(wanted, head.size);
  if (range === undefined) return undefined;
  if (range === null) {
    headers.set('content-range', `bytes */${head.size}`);
    headers.set('cache-control', 'no-store');
    return new Response(null, { status: 416, headers });
  }
  const object = await env.FILES.get(file.blob, { range });
  if (object === null) throw notFound('file');
  headers.set('content-range', `bytes ${range.offset}-${range.offset + range.length - 1}/${head.size}`);
  headers.set('content-length', String(range.length));
  return new Response(object.body, { status: 206, headers });
}

export const filePages: Page<ContentEnvironment>[] = [
  { method: 'GET', path: '/files/:organization/:hash/:name+', handler: serveFile },
];
