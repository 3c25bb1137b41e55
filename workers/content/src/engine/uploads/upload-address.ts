import { readSigned, signAddress } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';

/** Where the bytes of an upload come to in the bucket, and what of them is no whole part yet. */
export const objectOf = (id: string): string => `uploads/${id}`;
export const tailOf = (id: string): string => `uploads/${id}/tail`;

interface Addressed {
  /** Of an upload, or of files that come together. */
  id: string;
  isBundle: boolean;
  organization: OrganizationId;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** The path and query of the address that takes the bytes of an upload. */
export const uploadAddress = (key: CryptoKey, { id, isBundle, organization, expiresAt }: Addressed): Promise<string> =>
  signAddress(key, `/uploads/${organization}/${id}${isBundle ? '/files' : ''}`, {
    expires: String(Math.floor(expiresAt / 1000)),
  });

const kind = { of: 'file upload', renew: 'ask the API' };

/** Checks that the address is ours and not over its time. @throws ApiError not_found or forbidden */
export const checkUploadAddress = async (request: Request, key: CryptoKey): Promise<void> => {
  await readSigned(request, key, kind);
};
