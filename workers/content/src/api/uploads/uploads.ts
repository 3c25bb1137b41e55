import type { Check, Database, Statement, uploads } from '@octavo/db';
import { commitChecked } from '@octavo/db';
import type { PageContext, ServedPage } from '@octavo/runtime';
import { importSigningKey, requireUncompressed } from '@octavo/runtime';
import type { OrganizationId, UserId } from '@octavo/schema';
import {
  ApiError,
  conflict,
  createId,
  invalid,
  maxWaitingUploadBytes,
  maxWaitingUploads,
  preconditionFailed,
  uploadSeconds,
} from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { receiveBundle, receiveBytes } from '../../engine/uploads/receive.ts';
import {
  checkUploadUrl,
  claimUpload,
  findUpload,
  reserveMemory,
  signUploadUrl,
} from '../../engine/uploads/upload-record.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { handler } from '../../handler.ts';

/** Every member of the organization may upload; access is checked where the upload is used. */
export const generateStorageUploadURL = handler(
  'generateStorageUploadURL',
  async ({ body: { file, files, kind } }, { env, db, urls, organization, actor, commit }) => {
    const createdAt = Date.now();
    const expiresAt = createdAt + uploadSeconds * 1000;
    const bundle = files === undefined ? null : createId('upload');
    const common = { organization: organization.id, createdBy: actor.id, kind, createdAt, expiresAt, bundle };
    const newUploads = (files ?? [file]).flatMap((each, ordinal) =>
      each === undefined
        ? []
        : [{ ...common, id: createId('upload'), name: each.name, contentType: each.type, size: each.size, ordinal }],
    );
    await commitChecked(db, createUploadLimitChecks(organization.id, actor.id, newUploads), (guards) =>
      commit([...guards, insertUploads(db, newUploads)], []),
    );
    const keys = newUploads.map(({ id }) => id);
    const key = keys[0] ?? '';
    const address = { id: bundle ?? key, isBundle: bundle !== null, organization: organization.id, expiresAt };
    const url = urls.page(await signUploadUrl(await importSigningKey(env), address));
    return {
      object: 'storage-signed-url',
      url,
      key,
      ...(bundle === null ? {} : { keys }),
      urls: { location: url },
    };
  },
);

type NewUpload = Pick<
  typeof uploads.$inferInsert,
  'id' | 'organization' | 'createdBy' | 'kind' | 'createdAt' | 'expiresAt' | 'bundle' | 'name' | 'contentType' | 'size'
> & { ordinal: number };

const insertUploads = (db: Database, uploads: NewUpload[]): Statement =>
  db.run(sql`INSERT INTO uploads (id, organization, created_by, kind, created_at, expires_at, bundle, ordinal, name, content_type, size)
    SELECT value->>'id', value->>'organization', value->>'createdBy', value->>'kind', value->>'createdAt',
      value->>'expiresAt', value->>'bundle', value->>'ordinal', value->>'name', value->>'contentType', value->>'size'
    FROM json_each(${JSON.stringify(uploads)})`);

/**
 * Checks the limits on unused uploads of a user and of the whole organization. Even if other users have reached the
 * organization's limit, each user can still use a fixed share.
 */
function createUploadLimitChecks(organization: OrganizationId, user: UserId, uploads: NewUpload[]): Check[] {
  const size = uploads.reduce((sum, each) => sum + each.size, 0);
  const isWithinLimit = (whose: keyof typeof maxWaitingUploads, those: SQL) =>
    sql`(SELECT COUNT(*) + ${uploads.length} <= ${maxWaitingUploads[whose]} AND COALESCE(SUM(size), 0) + ${size} <= ${maxWaitingUploadBytes[whose]}
      FROM uploads WHERE organization = ${organization} AND expires_at > ${Date.now()} AND settled = 0${those})`;
  const theirs = sql` AND created_by = ${user}`;
  return [
    {
      condition: isWithinLimit('person', theirs),
      createError: () => createUploadLimitError('You already have', 'person'),
    },
    {
      condition: sql`(${isWithinLimit('organization', sql``)} OR ${isWithinLimit('share', theirs)})`,
      createError: () => createUploadLimitError('The organization already has', 'organization'),
    },
  ];
}

const createUploadLimitError = (owner: string, whose: 'person' | 'organization') =>
  conflict(
    `${owner} too many unused uploads. The limit is ${maxWaitingUploads[whose]} uploads with ` +
      `${maxWaitingUploadBytes[whose]} bytes in total. An unused upload expires after a day.`,
  );

type Context = PageContext<ContentEnvironment>;

/** tus is the open protocol for resumable uploads. `HEAD` and `PATCH` follow its core. */
const tusVersion = '1.0.0';

const toHeaders = (received: number, size: number) => ({
  'tus-resumable': tusVersion,
  'upload-offset': String(received),
  'upload-length': String(size),
  'cache-control': 'no-store',
});

const getUploadName = ({ params }: Context) => ({
  id: params.upload ?? '',
  organization: (params.organization ?? '') as OrganizationId,
});

async function checkRequest(request: Request, { env }: Context): Promise<void> {
  await checkUploadUrl(request, await importSigningKey(env));
  requireUncompressed(request);
  const version = request.headers.get('tus-resumable');
  if (version !== null && version !== tusVersion)
    throw preconditionFailed(`Uploads require version ${tusVersion} of tus, not ${version.slice(0, 20)}.`);
}

/** Returns the progress of an upload. */
async function getProgress(request: Request, context: Context): Promise<Response> {
  await checkRequest(request, context);
  const { received, size } = await findUpload(context.db, getUploadName(context));
  return new Response(null, { headers: toHeaders(received, size) });
}

/** Receives all bytes in one request, from the start, even if an earlier request has sent some of them. */
async function receiveFile(request: Request, context: Context): Promise<Response> {
  await checkRequest(request, context);
  const { received, size } = await receiveFromOffset(0, request, context);
  if (received < size) throw invalid([{ path: 'body', message: `has ${received} of the ${size} announced bytes` }]);
  return new Response(null, { status: 204, headers: toHeaders(received, size) });
}

/** Receives all or some of the remaining bytes, starting at the current offset. */
async function receiveNextPart(request: Request, context: Context): Promise<Response> {
  await checkRequest(request, context);
  const { headers } = request;
  const type = 'application/offset+octet-stream';
  if (headers.get('content-type') !== type)
    throw new ApiError('unsupported_media_type', `The body must be sent as ${type}.`);
  const offset = headers.get('upload-offset') ?? '';
  if (!/^\d{1,15}$/.test(offset))
    throw invalid([{ path: 'headers.upload-offset', message: 'must be the number of bytes received so far' }]);
  const { received, size } = await receiveFromOffset(Number(offset), request, context);
  return new Response(null, { status: 204, headers: toHeaders(received, size) });
}

/** Continues after the client disconnects, until the received bytes are stored. */
async function receiveFromOffset(offset: number, request: Request, context: Context) {
  const { db, background } = context;
  const length = getLength(request);
  const isWholeUpload = request.method === 'PUT';
  const giveBack = reserveMemory(isWholeUpload ? length : undefined);
  const work = claimUpload(db, getUploadName(context), { offset, isWhole: isWholeUpload, length })
    .then(async (upload) => ({ received: await receiveBytes(context, upload, request.body), size: upload.size }))
    .finally(giveBack);
  background.waitUntil(work.catch(() => undefined));
  return work;
}

/** Receives several small files in one body. */
async function receiveFiles(request: Request, context: Context): Promise<Response> {
  await checkRequest(request, context);
  const length = getLength(request);
  const giveBack = reserveMemory(length);
  const work = receiveBundle(context, getUploadName(context), { body: request.body, length }).finally(giveBack);
  context.background.waitUntil(work.catch(() => undefined));
  await work;
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
}

function getLength({ headers }: Request): number | undefined {
  const contentLength = headers.get('content-length');
  return contentLength === null ? undefined : Number(contentLength);
}

const path = '/uploads/:organization/:upload';

/** The signed URLs to which clients without a token send the bytes of files. */
export const uploadPages: ServedPage<ContentEnvironment>[] = [
  { method: 'GET', path, handler: getProgress, errors: 'json' },
  { method: 'PUT', path, handler: receiveFile, errors: 'json' },
  { method: 'PATCH', path, handler: receiveNextPart, errors: 'json' },
  { method: 'PUT', path: `${path}/files`, handler: receiveFiles, errors: 'json' },
];
