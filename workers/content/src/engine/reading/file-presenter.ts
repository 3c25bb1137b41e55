import type { SiteRecord } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { expiryFrom, hashOf, readSigned, signAddress, signingKey } from '@octavo/runtime';
import type { BranchId, File, RevisionId, SpaceId, Visitor } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import type { FileFields } from '../store/nodes.ts';
import { fileFields } from '../store/nodes.ts';

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

/** Where a file was read, on which its address depends. */
export interface FilePlace {
  space: SpaceId;
  /** The branch at whose head it was read; null at a revision, where it stays. */
  branch: BranchId | null;
  /** The site that showed it to a visitor. */
  visit?: FileVisit | undefined;
}

/** What an address that a visitor was given stands on. */
interface FileVisit {
  site: string;
  /** Where not everybody may see the file: what ends with the visitor's token. */
  bound?: { gate: string; link: string | null; expires: number };
}

/** What a signed address gives: an object of the bucket, under a name and with a type. */
interface SignedFile extends FilePlace {
  id: string;
  /** `<organization>/<SHA-256>`. */
  blob: string;
  name: string;
  contentType: string;
  /** Seconds since 1970; null for one that stays. */
  expires: number | null;
}

const gateLength = 22;

/** A part of the hash of a site's stamp: an address does not tell the stamp itself. */
export const gateOf = async ({ stamp }: Pick<SiteRecord, 'stamp'>): Promise<string> =>
  (await hashOf(`files\n${stamp}`)).slice(0, gateLength);

/**
 * What the addresses are bound to that a visitor is given. What anybody may see has one that stays, so that caches may
 * keep it; a preview's are a member's.
 */
async function visitOf(visitor: Visitor, isOpen: boolean): Promise<FileVisit | undefined> {
  if (visitor.isPreview) return undefined;
  const { site, expires, shareLink = null } = visitor;
  if (visitor.isPublic && isOpen) return { site };
  return { site, bound: { gate: await gateOf(visitor), link: shareLink, expires } };
}

/** The path and query of a signed address. */
const fileAddress = (key: CryptoKey, file: SignedFile): Promise<string> => {
  const { id, blob, name, contentType, space, branch, expires, visit } = file;
  const { bound } = visit ?? {};
  return signAddress(key, `/files/${blob}/${encodeURIComponent(name)}`, {
    type: contentType,
    file: id,
    space,
    ...(branch === null ? {} : { branch }),
    ...(visit === undefined ? {} : { site: visit.site }),
    ...(bound === undefined ? {} : { gate: bound.gate, ...(bound.link === null ? {} : { link: bound.link }) }),
    ...(expires === null ? {} : { expires: String(expires) }),
  });
};

const kind = { of: 'file', renew: 'read the file through the API' };

/** What the query of a signed address says. @throws ApiError not_found or forbidden */
export async function readFileAddress(request: Request, key: CryptoKey) {
  const query = await readSigned(request, key, kind);
  const said = (name: string): string => query.get(name) ?? '';
  return {
    id: said('file'),
    space: said('space'),
    branch: query.get('branch'),
    site: query.get('site'),
    gate: query.get('gate'),
    link: query.get('link'),
    contentType: said('type'),
    expires: query.has('expires') ? Number(said('expires')) : null,
  };
}
