import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Id } from '../ids.ts';
import { describeBytes } from '../text.ts';
import { MediaType } from '../web-address.ts';
import { FileName } from './files.ts';

/** The maximum size of a file in a separate upload, in bytes. Cloudflare limits request bodies to this size. */
export const maxUploadBytes = 100_000_000;
/**
 * Limits of a request with several files, which are held in memory: the total size in bytes, and the number of files.
 */
export const maxBundleBytes = 5 * 1024 * 1024;
export const maxBundleFiles = 100;
/** The time within which an upload must be filled and used, in seconds. */
export const uploadSeconds = 86_400;
/**
 * Maximum number of unused uploads of one user and in one organization. Each user may have `share` uploads even if the
 * organization has reached its limit, so that no user can keep others from uploading.
 */
export const maxWaitingUploads = { person: 2000, organization: 5000, share: 200 } as const;
export const maxWaitingUploadBytes = {
  person: 2_000_000_000,
  organization: 10_000_000_000,
  share: 250_000_000,
} as const;

export const StorageUploadKind = z
  .enum(['customization_font', 'import_file', 'organization_file'])
  .meta({ id: 'StorageUploadKind' });
export type StorageUploadKind = z.infer<typeof StorageUploadKind>;

const StorageFileMetadata = z
  .object({
    name: FileName,
    /** A type that is detected from the bytes takes precedence. */
    type: MediaType,
    /** The size in bytes. */
    size: z.number().int().min(0).max(maxUploadBytes),
  })
  .meta({ id: 'StorageFileMetadata' });

const sumBytes = (files: { size: number }[]): number => files.reduce((sum, { size }) => sum + size, 0);

/**
 * `urls` and `keys` are extensions of the GitBook API: the URL in the `Location` header, and the keys of `files` in
 * their order.
 */
export const StorageUploadURL = z
  .object({
    object: z.literal('storage-signed-url'),
    url: z.string(),
    key: z.string(),
    keys: z.array(z.string()).optional(),
    urls: z.object({ location: z.string() }),
  })
  .meta({ id: 'StorageUploadURL' });
export type StorageUploadURL = z.infer<typeof StorageUploadURL>;

export const uploadEndpoints = contract({
  generateStorageUploadURL: {
    method: 'POST',
    path: '/v1/orgs/:organizationId/storage/upload',
    summary: 'Create an upload',
    access: { organization: 'view' },
    scope: 'space:write',
    params: z.object({ organizationId: Id }),
    body: z
      .object({
        file: StorageFileMetadata.optional(),
        /** An extension of the GitBook API: small files whose bytes are concatenated in one request. */
        files: z
          .array(StorageFileMetadata)
          .min(1)
          .max(maxBundleFiles)
          .refine(
            (files) => sumBytes(files) <= maxBundleBytes,
            `must have at most ${describeBytes(maxBundleBytes)} in total`,
          )
          .optional(),
        kind: StorageUploadKind,
      })
      .refine(({ file, files }) => (file === undefined) !== (files === undefined), 'must have either file or files'),
    response: StorageUploadURL,
    success: 201,
    errors: ['conflict'],
  },
});
