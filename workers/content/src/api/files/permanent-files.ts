import type { Database } from '@octavo/db';
import type { ServiceContext } from '@octavo/runtime';
import { decodeName, importSigningKey, signUrl } from '@octavo/runtime';
import type { FileUse, OrganizationId, PermanentFile } from '@octavo/schema';
import { ApiError, maxPermanentFileBytes } from '@octavo/schema';
import { readFileUrl } from '../../engine/reading/file-presenter.ts';
import { checkUploadUrl } from '../../engine/uploads/upload-record.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { findFileObject, findUploadObject } from './queries.ts';

type Context = Pick<ServiceContext<ContentEnvironment>, 'db' | 'env' | 'urls'>;

/**
 * Copies the files to which signed download and upload URLs refer. Settings can still show the copies after the URLs
 * have expired or the files were deleted. A file has one copy for each owner.
 */
export async function makeFilesPermanent({ owner, urls: signed }: FileUse, context: Context): Promise<PermanentFile[]> {
  const key = await importSigningKey(context.env);
  return Promise.all(signed.map((url) => makeFilePermanent(owner, url, { ...context, key })));
}

async function makeFilePermanent(
  owner: string,
  signed: string,
  { db, env, urls, key }: Context & { key: CryptoKey },
): Promise<PermanentFile> {
  const find = new URL(signed).pathname.startsWith('/uploads/') ? findUploadedFile : findFile;
  const file = await find(signed, { db, key });
  if ('fault' in file) return file;
  const { name, hash, contentType, object } = file;
  if (!/^(?:image|font)\//.test(contentType)) return { fault: `must be an image or a font, not ${contentType}` };
  const copy = toPermanentKey(`${owner}/${hash}`);
  const [stored, existing] = await Promise.all([env.FILES.head(object), env.FILES.head(copy)]);
  if (stored === null) return unknownFile;
  if (stored.size > maxPermanentFileBytes) return { fault: 'must be a file of at most 5 MiB' };
  if (existing === null) {
    const source = await env.FILES.get(object);
    if (source === null) return unknownFile;
    await env.FILES.put(copy, source.body);
  }
  const path = `/files/${owner}/${hash}/${encodeURIComponent(name)}`;
  return { url: urls.page(await signUrl(key, path, { type: contentType })) };
}

const unknownFile = { fault: 'must be the URL of an existing file' };

/** Returns the key of a permanent file in the bucket. `blob` is `<owner>/<hash>`. */
export const toPermanentKey = (blob: string): string => `permanent/${blob}`;

interface FoundFile {
  name: string;
  hash: string;
  contentType: string;
  /** The key of the bytes in the bucket. */
  object: string;
}

type FileSearch = (signed: string, access: { db: Database; key: CryptoKey }) => Promise<FoundFile | { fault: string }>;

const findFile: FileSearch = (signed, { db, key }) =>
  describeFault('has expired: read the file through the API for a new URL', async () => {
    const file = await readFileUrl(new Request(signed), key);
    const [, , organization = '', hash = '', encoded = ''] = new URL(signed).pathname.split('/');
    const name = decodeName(encoded);
    const blob = `${organization}/${hash}`;
    const found = name === undefined ? undefined : await findFileObject(db, file, blob);
    if (name === undefined || found === undefined) return unknownFile;
    return { name, hash, contentType: file.contentType, object: found.object ?? blob };
  });

/** Finds the bytes that were sent to the URL of an upload. */
const findUploadedFile: FileSearch = (signed, { db, key }) =>
  describeFault('has expired: upload the file again', async () => {
    await checkUploadUrl(new Request(signed), key);
    const [, , organization = '', id = ''] = new URL(signed).pathname.split('/');
    const upload = await findUploadObject(db, { id, organization: organization as OrganizationId });
    if (upload === undefined) return unknownFile;
    const { name, contentType, blob, object } = upload;
    if (blob === null) return { fault: 'must be the URL of a complete upload: send its bytes first' };
    return { name, hash: blob.slice(blob.indexOf('/') + 1), contentType, object: object ?? blob };
  });

/** Turns the errors of an invalid or expired signature into a fault. */
async function describeFault<Found>(expired: string, find: () => Promise<Found>): Promise<Found | { fault: string }> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ApiError && error.type === 'forbidden') return { fault: expired };
    if (error instanceof ApiError && error.type === 'not_found') return unknownFile;
    throw error;
  }
}
