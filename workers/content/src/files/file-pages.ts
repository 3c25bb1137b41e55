import type { Page, PageContext } from '@octavo/runtime';
import { decodeName, serveObject, signingKey } from '@octavo/runtime';
import { forbidden, notFound } from '@octavo/schema';
import type { ContentEnvironment } from '../environment.ts';
import type { SignedFile } from './file-address.ts';
import { isSignedFile } from './file-address.ts';

type Context = PageContext<ContentEnvironment>;

/** Gives the bytes of a file to whoever has a signed address; no database is asked. */
async function serveFile(request: Request, { env, params }: Context): Promise<Response> {
  const file = await requireSigned(request, { env, params });
  const answer = await serveObject(request, env.FILES, { ...file, key: file.blob, etag: `"${params.hash}"` });
  if (answer === undefined) throw notFound('file');
  return answer;
}

async function requireSigned(request: Request, { env, params }: Pick<Context, 'env' | 'params'>): Promise<SignedFile> {
  const { searchParams } = new URL(request.url);
  const name = decodeName(params.name ?? '');
  if (name === undefined) throw notFound('file');
  const file: SignedFile = {
    blob: `${params.organization}/${params.hash}`,
    name,
    contentType: searchParams.get('type') ?? '',
    expires: Number(searchParams.get('expires')),
  };
  if (!(await isSignedFile(await signingKey(env), file, searchParams.get('signature') ?? ''))) throw notFound('file');
  if (file.expires * 1000 <= Date.now())
    throw forbidden('This address of a file has expired: read the file through the API for a new one.');
  return file;
}

export const filePages: Page<ContentEnvironment>[] = [
  { method: 'GET', path: '/files/:organization/:hash/:name+', handler: serveFile },
];
