import type { SiteRecord } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { getExpiry, hashText, importSigningKey, readSignedUrl, signUrl } from '@octavo/runtime';
import type { BranchId, File, RevisionId, SpaceId, Visitor } from '@octavo/schema';
import type { ContentEnvironment } from '../../environment.ts';
import type { FileFields } from '../store/nodes.ts';
import { getFileFields } from '../store/nodes.ts';

/** Returns the location of the files that an operation reads. */
export const getFileLocation = (
  params: { spaceId: SpaceId; revisionId?: RevisionId },
  { space, changeRequest }: { space: { id: string }; changeRequest?: { id: string } },
): FileLocation => ({
  space: space.id,
  branch: params.revisionId === undefined ? (changeRequest?.id ?? space.id) : null,
});

/**
 * Returns the location from which a visitor reads files: live content, even if the visitor reads a former revision.
 * `isOpen` means that nothing in the space has conditions.
 */
export async function getVisitedLocation(
  location: FileLocation,
  visitor: Visitor,
  isOpen: boolean,
): Promise<FileLocation> {
  const visit = await getFileVisit(visitor, isOpen);
  return visit === undefined ? location : { space: location.space, branch: location.space, visit };
}

export interface FilePresentation {
  env: Pick<ContentEnvironment, 'OCTAVO_SECRET'>;
  urls: Urls;
  location: FileLocation;
  /** Whether to include git metadata. */
  metadata: boolean;
}

interface StoredFile {
  id: string;
  fields: Node['fields'] | FileFields;
}

/** Presents files, each with a signed download URL. */
export async function presentFiles(nodes: StoredFile[], to: FilePresentation): Promise<File[]> {
  if (nodes.length === 0) return [];
  const { env, urls, location: fileLocation, metadata } = to;
  const key = await importSigningKey(env);
  const { visit } = fileLocation;
  const expires = visit === undefined ? getExpiry(Date.now()) : (visit.bound?.expires ?? null);
  return Promise.all(
    nodes.map(async (node) => {
      const { name, contentType, size, blob, oid, width, height, gitPath, importedFrom } = getFileFields(node);
      const address = await signFileUrl(key, { id: node.id, blob, name, contentType, ...fileLocation, expires });
      return {
        object: 'file',
        id: node.id,
        name,
        contentType,
        downloadURL: urls.page(address),
        size,
        ...(width === undefined || height === undefined ? {} : { dimensions: { width, height } }),
        ...(metadata && gitPath !== undefined ? { git: { oid, path: gitPath } } : {}),
        ...(metadata && visit === undefined && importedFrom !== undefined ? { importedFrom } : {}),
      } satisfies File;
    }),
  );
}

export async function presentFile(node: StoredFile, to: FilePresentation): Promise<File> {
  const [file] = await presentFiles([node], to);
  if (file === undefined) throw new Error('The file could not be presented.');
  return file;
}

export const compareNewestFirst = (one: Node, other: Node): number =>
  compare(other.position, one.position) || compare(other.id, one.id);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The location from which a file was read. Its download URL depends on this location. */
export interface FileLocation {
  space: SpaceId;
  /** The branch at whose head the file was read; null for a revision, which never changes. */
  branch: BranchId | null;
  /** The site on which a visitor sees the file. */
  visit?: FileVisit | undefined;
}

/** The visitor's access on which a download URL depends. */
interface FileVisit {
  site: string;
  /** Present if the file is not public: the URL then stops working when the visitor loses access. */
  bound?: { gate: string; link: string | null; expires: number };
}

/** The signed content of a URL: an object of the bucket, with a name and a type. */
interface SignedFile extends FileLocation {
  id: string;
  /** The key of the object: `<organization>/<SHA-256>`. */
  blob: string;
  name: string;
  contentType: string;
  /** The expiry time, in seconds since 1970; null for a URL that does not expire. */
  expires: number | null;
}

const gateLength = 22;

/** Returns a part of the hash of a site's stamp, so that a URL does not reveal the stamp itself. */
export const getAccessStamp = async ({ stamp }: Pick<SiteRecord, 'stamp'>): Promise<string> =>
  (await hashText(`files\n${stamp}`)).slice(0, gateLength);

/**
 * Returns the access that a visitor's download URLs depend on. URLs of public files do not expire, so caches can store
 * them; URLs in a preview are bound to the member.
 */
async function getFileVisit(visitor: Visitor, isOpen: boolean): Promise<FileVisit | undefined> {
  if (visitor.isPreview) return undefined;
  const { site, expires, shareLink = null } = visitor;
  if (visitor.isPublic && isOpen) return { site };
  return { site, bound: { gate: await getAccessStamp(visitor), link: shareLink, expires } };
}

const signFileUrl = (key: CryptoKey, file: SignedFile): Promise<string> => {
  const { id, blob, name, contentType, space, branch, expires, visit } = file;
  const { bound } = visit ?? {};
  return signUrl(key, `/files/${blob}/${encodeURIComponent(name)}`, {
    type: contentType,
    file: id,
    space,
    ...(branch === null ? {} : { branch }),
    ...(visit === undefined ? {} : { site: visit.site }),
    ...(bound === undefined ? {} : { gate: bound.gate, ...(bound.link === null ? {} : { link: bound.link }) }),
    ...(expires === null ? {} : { expires: String(expires) }),
  });
};

const kind = { objectName: 'file', renew: 'read the file through the API' };

/** Reads the query of a signed URL. @throws ApiError not_found or forbidden */
export async function readFileUrl(request: Request, key: CryptoKey) {
  const query = await readSignedUrl(request, key, kind);
  const getParam = (name: string): string => query.get(name) ?? '';
  return {
    id: getParam('file'),
    space: getParam('space'),
    branch: query.get('branch'),
    site: query.get('site'),
    gate: query.get('gate'),
    link: query.get('link'),
    contentType: getParam('type'),
    expires: query.has('expires') ? Number(getParam('expires')) : null,
  };
}
