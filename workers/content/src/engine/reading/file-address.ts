import { readSigned, signAddress } from '@octavo/runtime';

/** Where a file was read, on which its address depends. */
export interface FilePlace {
  space: string;
  /** The branch at whose head it was read; null at a revision, where it stays. */
  branch: string | null;
}

/** Where an operation at any point reads its files. */
export const filePlace = (
  params: { spaceId: string; revisionId?: string },
  { space, changeRequest }: { space: { id: string }; changeRequest?: { id: string } },
): FilePlace => ({
  space: space.id,
  branch: params.revisionId === undefined ? (changeRequest?.id ?? space.id) : null,
});

/** What a signed address gives: an object of the bucket, under a name and with a type, until a moment. */
export interface SignedFile extends FilePlace {
  id: string;
  /** `<organization>/<SHA-256>`. */
  blob: string;
  name: string;
  contentType: string;
  /** Seconds since 1970. */
  expires: number;
}

/** The path and query of a signed address. */
export const addressOf = (
  key: CryptoKey,
  { id, blob, name, contentType, space, branch, expires }: SignedFile,
): Promise<string> =>
  signAddress(key, `/files/${blob}/${encodeURIComponent(name)}`, {
    type: contentType,
    file: id,
    space,
    ...(branch === null ? {} : { branch }),
    expires: String(expires),
  });

const kind = { of: 'file', renew: 'read the file through the API' };

/** What the query of a signed address says. @throws ApiError not_found or forbidden */
export async function readFileAddress(request: Request, key: CryptoKey) {
  const query = await readSigned(request, key, kind);
  const said = (name: string): string => query.get(name) ?? '';
  return {
    id: said('file'),
    space: said('space'),
    branch: query.get('branch'),
    contentType: said('type'),
    expires: Number(said('expires')),
  };
}
