import type { PageContext, ServedPage } from '@octavo/runtime';
import { signingKey } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { ApiError, invalid, preconditionFailed } from '@octavo/schema';
import { receiveBundle } from '../../engine/uploads/receive-bundle.ts';
import { receiveBytes } from '../../engine/uploads/receive-bytes.ts';
import { takeRoom } from '../../engine/uploads/room.ts';
import { checkUploadAddress } from '../../engine/uploads/upload-address.ts';
import { findUpload, takeUpload } from '../../engine/uploads/upload-record.ts';
import type { ContentEnvironment } from '../../environment.ts';

type Context = PageContext<ContentEnvironment>;

/** Of tus, the open protocol for resumable uploads: `HEAD` and `PATCH` are as its core has them. */
const tusVersion = '1.0.0';

const headersOf = (received: number, size: number) => ({
  'tus-resumable': tusVersion,
  'upload-offset': String(received),
  'upload-length': String(size),
  'cache-control': 'no-store',
});

const nameOf = ({ params }: Context) => ({
  id: params.upload ?? '',
  organization: (params.organization ?? '') as OrganizationId,
});

async function checkRequest(request: Request, { env }: Context): Promise<void> {
  await checkUploadAddress(request, await signingKey(env));
  const version = request.headers.get('tus-resumable');
  if (version !== null && version !== tusVersion)
    throw preconditionFailed(`Uploads go on by version ${tusVersion} of tus, not by ${version.slice(0, 20)}.`);
}

/** How much of an upload there is. */
async function tellProgress(request: Request, context: Context): Promise<Response> {
  await checkRequest(request, context);
  const { received, size } = await findUpload(context.db, nameOf(context));
  return new Response(null, { headers: headersOf(received, size) });
}

/** All bytes in one request, whatever came before. */
async function takeWhole(request: Request, context: Context): Promise<Response> {
  await checkRequest(request, context);
  const { received, size } = await takeFrom(0, request, context);
  if (received < size)
    throw invalid([{ path: 'body', message: `ends after ${received} of the ${size} bytes that were announced` }]);
  return new Response(null, { status: 204, headers: headersOf(received, size) });
}

/** The bytes from where the upload stands on, all of them or some. */
async function takeMore(request: Request, context: Context): Promise<Response> {
  await checkRequest(request, context);
  const { headers } = request;
  const type = 'application/offset+octet-stream';
  if (headers.get('content-type') !== type)
    throw new ApiError('unsupported_media_type', `The body must be sent as ${type}.`);
  const offset = headers.get('upload-offset') ?? '';
  if (!/^\d{1,15}$/.test(offset))
    throw invalid([{ path: 'headers.upload-offset', message: 'must be the number of bytes that there are' }]);
  const { received, size } = await takeFrom(Number(offset), request, context);
  return new Response(null, { status: 204, headers: headersOf(received, size) });
}

/** Goes on after a client that breaks off, until what it has sent is kept. */
async function takeFrom(offset: number, request: Request, context: Context) {
  const { db, background } = context;
  const length = lengthOf(request);
  const isWhole = request.method === 'PUT';
  const giveBack = takeRoom(isWhole ? length : undefined);
  const work = takeUpload(db, nameOf(context), { offset, isWhole, length })
    .then(async (upload) => ({ received: await receiveBytes(context, upload, request.body), size: upload.size }))
    .finally(giveBack);
  background.waitUntil(work.catch(() => undefined));
  return work;
}

/** Small files together. */
async function takeBundle(request: Request, context: Context): Promise<Response> {
  await checkRequest(request, context);
  const length = lengthOf(request);
  const giveBack = takeRoom(length);
  const work = receiveBundle(context, nameOf(context), { body: request.body, length }).finally(giveBack);
  context.background.waitUntil(work.catch(() => undefined));
  await work;
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
}

function lengthOf({ headers }: Request): number | undefined {
  const told = headers.get('content-length');
  return told === null ? undefined : Number(told);
}

const path = '/uploads/:organization/:upload';

/** Where clients without a token send the bytes of a file to: by an address that was signed for it. */
export const uploadPages: ServedPage<ContentEnvironment>[] = [
  { method: 'GET', path, handler: tellProgress, errors: 'json' },
  { method: 'PUT', path, handler: takeWhole, errors: 'json' },
  { method: 'PATCH', path, handler: takeMore, errors: 'json' },
  { method: 'PUT', path: `${path}/files`, handler: takeBundle, errors: 'json' },
];
