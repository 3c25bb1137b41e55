import type { Signed } from '@octavo/runtime';
import { isSigned, signatureOf } from '@octavo/runtime';

/** What a signed address gives: an object of the bucket, under a name and with a type, until a moment. */
export interface SignedFile {
  /** `<organization>/<SHA-256>`. */
  blob: string;
  name: string;
  contentType: string;
  /** Seconds since 1970. */
  expires: number;
}

const signed = ({ blob, name, contentType, expires }: SignedFile): Signed => ['file', blob, name, contentType, expires];

/** The path and query of a signed address. */
export async function addressOf(key: CryptoKey, file: SignedFile): Promise<string> {
  const signature = await signatureOf(key, signed(file));
  const query = new URLSearchParams({ type: file.contentType, expires: String(file.expires), signature });
  return `/files/${file.blob}/${encodeURIComponent(file.name)}?${query}`;
}

export const isSignedFile = (key: CryptoKey, file: SignedFile, signature: string): Promise<boolean> =>
  isSigned(key, signed(file), signature);
