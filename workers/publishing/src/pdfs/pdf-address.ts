import type { Signed } from '@octavo/runtime';
import { isSigned, signatureOf } from '@octavo/runtime';

/** What a signed address of a PDF gives, until a moment. */
export interface SignedPdf {
  id: string;
  /** What it is saved as. */
  name: string;
  /** Seconds since 1970. */
  expires: number;
}

const signed = ({ id, name, expires }: SignedPdf): Signed => ['pdf', id, name, expires];

/** The path and query of a signed address. */
export async function addressOfPdf(key: CryptoKey, pdf: SignedPdf): Promise<string> {
  const query = new URLSearchParams({
    expires: String(pdf.expires),
    signature: await signatureOf(key, signed(pdf)),
  });
  return `/pdf/${pdf.id}/${encodeURIComponent(pdf.name)}?${query}`;
}

export const isSignedPdf = (key: CryptoKey, pdf: SignedPdf, signature: string): Promise<boolean> =>
  isSigned(key, signed(pdf), signature);
