import { readSigned, signAddress } from '@octavo/runtime';

/** What a signed address of a PDF gives, until a moment. */
export interface SignedPdf {
  id: string;
  /** What it is saved as. */
  name: string;
  /** Seconds since 1970. */
  expires: number;
}

/** The path and query of a signed address. */
export const addressOfPdf = (key: CryptoKey, { id, name, expires }: SignedPdf): Promise<string> =>
  signAddress(key, `/pdf/${id}/${encodeURIComponent(name)}`, { expires: String(expires) });

const kind = { of: 'PDF', renew: 'ask for the PDF through the API' };

/** What the query of a signed address says. @throws ApiError not_found or forbidden */
export async function readPdfAddress(request: Request, key: CryptoKey): Promise<Pick<SignedPdf, 'expires'>> {
  const query = await readSigned(request, key, kind);
  return { expires: Number(query.get('expires')) };
}
