import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { expiryFrom, readSigned, signAddress, signingKey } from '@octavo/runtime';
import type { BranchId, File, RevisionId, SpaceId } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import type { FileFields } from '../nodes/stored-node.ts';
import { fileFields } from '../nodes/stored-node.ts';

/** Where a file was read, on which its address depends. */
export interface FilePlace {
  space: SpaceId;
  /** The branch at whose head it was read; null at a revision, where it stays. */
  branch: BranchId | null;
}

/** Where an operation at any point reads its files. */
export const filePlace = (
  params: { spaceId: SpaceId; revisionId?: RevisionId },
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
const addressOf = (
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

export interface FilePresentation {
  env: Pick<ContentEnvironment, 'OCTAVO_SECRET'>;
  urls: Urls;
  place: FilePlace;
  /** False leaves out the git objects. */
  metadata: boolean;
}

/** A file node, or what is needed of it. */
interface StoredFile {
  id: string;
  fields: Node['fields'] | FileFields;
}

/** Files as the API gives them, each with a signed address for its bytes. */
export async function presentFiles(nodes: StoredFile[], to: FilePresentation): Promise<File[]> {
  if (nodes.length === 0) return [];
  const { env, urls, place, metadata } = to;
  const key = await signingKey(env);
  const expires = expiryFrom(Date.now());
  return Promise.all(
    nodes.map(async (node) => {
      const { name, contentType, size, blob, oid, width, height, gitPath } = fileFields(node);
      const address = await addressOf(key, { id: node.id, blob, name, contentType, ...place, expires });
      return {
        object: 'file',
        id: node.id,
        name,
        contentType,
        downloadURL: urls.page(address),
        size,
        ...(width === undefined || height === undefined ? {} : { dimensions: { width, height } }),
        ...(metadata && gitPath !== undefined ? { git: { oid, path: gitPath } } : {}),
      } satisfies File;
    }),
  );
}

/** One file as the API gives it. */
export async function presentFile(node: StoredFile, to: FilePresentation): Promise<File> {
  const [file] = await presentFiles([node], to);
  if (file === undefined) throw new Error('A file was not presented.');
  return file;
}

/** The order of lists of files. */
export const newestFirst = (one: Node, other: Node): number =>
  compare(other.position, one.position) || compare(other.id, one.id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
