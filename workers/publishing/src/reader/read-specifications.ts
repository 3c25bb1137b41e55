import { getSpecificationFile } from '@octavo/reader';
import { nextSlice, toHex } from '@octavo/runtime';
import type { File, OrganizationId, RevisionId, SpaceId } from '@octavo/schema';
import {
  IndexedDocument,
  maxFileBytes,
  readSpecification as parseSpecification,
  SpecificationFault,
} from '@octavo/specification';
import type { SiteApi } from './site-visit.ts';

/** Enough for the largest specification and a few small ones. */
const maxCachedBytes = 24 * 1024 * 1024;

interface CachedDocument {
  tag: string;
  document: IndexedDocument;
}

/**
 * An LRU cache of specifications by API path. Each read asks the API whether the visitor may read the specification,
 * and whether the cached version is current.
 */
class SpecificationCache {
  readonly #documentsByPath = new Map<string, CachedDocument>();
  #bytes = 0;

  async read(path: string, api: SiteApi): Promise<IndexedDocument | undefined> {
    const cached = this.#documentsByPath.get(path);
    const response = await api.open(path, cached?.tag);
    if (response === undefined) return undefined;
    if (response.status === 304 && cached !== undefined) {
      this.#documentsByPath.delete(path);
      this.#documentsByPath.set(path, cached);
      return cached.document;
    }
    const document = new IndexedDocument(new Uint8Array(await response.arrayBuffer()));
    const tag = response.headers.get('etag');
    if (tag !== null) this.#keep(path, { tag, document });
    return document;
  }

  /** Parses a file of a space. A file that is not a specification has no parts. The text is parsed once. */
  async readBytes(bytes: Uint8Array): Promise<IndexedDocument> {
    const key = `sha256 ${toHex(await crypto.subtle.digest('SHA-256', bytes))}`;
    const cached = this.#documentsByPath.get(key);
    const document = cached?.document ?? new IndexedDocument(await parseFile(bytes));
    this.#keep(key, { tag: '', document });
    return document;
  }

  #keep(path: string, document: CachedDocument): void {
    this.#drop(path);
    this.#documentsByPath.set(path, document);
    this.#bytes += document.document.bytes;
    for (const oldest of this.#documentsByPath.keys()) {
      if (this.#bytes <= maxCachedBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(path: string): void {
    this.#bytes -= this.#documentsByPath.get(path)?.document.bytes ?? 0;
    this.#documentsByPath.delete(path);
  }
}

const specificationCache = new SpecificationCache();

/** Returns a file as the content of a version of a specification, which `IndexedDocument` reads. */
async function parseFile(bytes: Uint8Array): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const parts = (text: string) => encoder.encode(`{"filesystem":[{"specification":${text}}]}`);
  try {
    const { document } = await parseSpecification(bytes, nextSlice);
    return parts(document === undefined ? new TextDecoder().decode(bytes) : JSON.stringify(document));
  } catch (error) {
    if (error instanceof SpecificationFault) return parts('{}');
    throw error;
  }
}

/** The files of a revision that the visitor can see. */
interface VisibleFiles {
  space: SpaceId;
  revision: RevisionId;
  files: Pick<File, 'id' | 'size'>[];
}

/** Reads a file of the space as a specification; undefined if the visitor may not see it, or if it is too large. */
async function readFile(id: string, { files, ...location }: VisibleFiles, api: SiteApi) {
  const file = files.find((each) => each.id === id);
  if (file === undefined || file.size > maxFileBytes) return undefined;
  const bytes = await api.file({ ...location, file: id });
  return bytes && specificationCache.readBytes(bytes);
}

/** Reads a specification by its slug, or that of a file; undefined if the visitor may not read it. */
export type ReadSpecification = (name: string) => Promise<IndexedDocument | undefined>;

/** Reads the newest version of a specification; undefined if the visitor may not read it. */
const readSpecification = (
  organization: OrganizationId,
  slug: string,
  api: SiteApi,
): Promise<IndexedDocument | undefined> =>
  specificationCache.read(`/v1/orgs/${organization}/openapi/${encodeURIComponent(slug)}/versions/latest/content`, api);

/** Creates a function that reads each specification once per response. Without `files`, it reads no files. */
export function createSpecificationReader(
  organization: OrganizationId,
  api: SiteApi,
  files?: VisibleFiles,
): ReadSpecification {
  const reads = new Map<string, ReturnType<ReadSpecification>>();
  const read: ReadSpecification = async (name) => {
    const file = getSpecificationFile(name);
    if (file === undefined) return readSpecification(organization, name, api);
    return files && readFile(file, files, api);
  };
  return (name) => {
    const specification = reads.get(name) ?? read(name);
    reads.set(name, specification);
    return specification;
  };
}
