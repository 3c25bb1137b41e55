import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { expiryFrom, signingKey } from '@octavo/runtime';
import type { File, RevisionId, SpaceId, Visitor } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import type { FileFields } from '../nodes/stored-node.ts';
import { fileFields } from '../nodes/stored-node.ts';
import { type FilePlace, fileAddress, visitOf } from './file-address.ts';

export type { FilePlace } from './file-address.ts';

/** Where an operation at any point reads its files. A visitor of a former revision has them as the live content does. */
export const filePlace = (
  params: { spaceId: SpaceId; revisionId?: RevisionId },
  { space, changeRequest }: { space: { id: string }; changeRequest?: { id: string } },
): FilePlace => ({
  space: space.id,
  branch: params.revisionId === undefined ? (changeRequest?.id ?? space.id) : null,
});

/** Where a visitor reads them; `isOpen` says that nothing in the space is shown under conditions. */
export async function visitedPlace(place: FilePlace, visitor: Visitor, isOpen: boolean): Promise<FilePlace> {
  const visit = await visitOf(visitor, isOpen);
  return visit === undefined ? place : { space: place.space, branch: place.space, visit };
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
  const { visit } = place;
  const expires = visit === undefined ? expiryFrom(Date.now()) : (visit.bound?.expires ?? null);
  return Promise.all(
    nodes.map(async (node) => {
      const { name, contentType, size, blob, oid, width, height, gitPath } = fileFields(node);
      const address = await fileAddress(key, { id: node.id, blob, name, contentType, ...place, expires });
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
