import type { PageView, RenderedDocument, ResolveReference } from '@octavo/reader';
import type { Background } from '@octavo/runtime';
import { log } from '@octavo/runtime';
import type { SpaceId, VersionedRevision } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import type { KeyParts } from './site-cache.ts';
import {
  findSharedText,
  getVisitorParts,
  hasSharedCache,
  SiteCache,
  storeSharedText,
  toCacheKey,
} from './site-cache.ts';

type Bucket = Pick<R2Bucket, 'get' | 'put' | 'delete' | 'list'>;

const folder = 'documents/';
/** The shortest text that is stored, in bytes. Rendering a shorter one takes less time than storing and reading it. */
const minStoredBytes = 32_000;
/** The maximum size of all texts. One call of `list` returns all of them, at most 1,000. */
const maxBytes = 1000 * minStoredBytes;

/**
 * Texts in a bucket, limited in size: the oldest are deleted first. The names are also in memory, so that no call is
 * made for a text that is not stored. Only one isolate may use the bucket.
 */
export class TextStore {
  readonly #maxBytes: number;
  /** The sizes of the texts by key, the oldest first. */
  #sizes: Promise<Map<string, number>> | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  #loadSizes(bucket: Bucket): Promise<Map<string, number>> {
    this.#sizes ??= listSizes(bucket).catch((error: unknown) => {
      this.#sizes = undefined;
      throw error;
    });
    return this.#sizes;
  }

  async find(bucket: Bucket, name: string): Promise<string | undefined> {
    const key = `${folder}${name}`;
    if (!(await this.#loadSizes(bucket)).has(key)) return undefined;
    return (await bucket.get(key))?.text();
  }

  async store(bucket: Bucket, name: string, text: string): Promise<void> {
    const key = `${folder}${name}`;
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > this.#maxBytes) return;
    const sizes = await this.#loadSizes(bucket);
    await bucket.put(key, bytes);
    sizes.delete(key);
    sizes.set(key, bytes.length);
    let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const dropped: string[] = [];
    for (const [oldest, size] of sizes) {
      if (total <= this.#maxBytes) break;
      dropped.push(oldest);
      total -= size;
    }
    await deleteKeys(bucket, sizes, dropped);
  }

  /** Deletes the texts that were stored before a time. */
  async sweep(bucket: Bucket, before: number): Promise<void> {
    const sizes = await this.#loadSizes(bucket);
    const old = (await listObjects(bucket)).filter(({ uploaded }) => uploaded.getTime() < before);
    await deleteKeys(
      bucket,
      sizes,
      old.map(({ key }) => key),
    );
  }
}

const listObjects = async (bucket: Bucket): Promise<R2Object[]> => (await bucket.list({ prefix: folder })).objects;

async function listSizes(bucket: Bucket): Promise<Map<string, number>> {
  const objects = await listObjects(bucket);
  return new Map(
    objects
      .toSorted((one, other) => one.uploaded.getTime() - other.uploaded.getTime())
      .map(({ key, size }) => [key, size]),
  );
}

async function deleteKeys(bucket: Bucket, sizes: Map<string, number>, keys: string[]): Promise<void> {
  for (const key of keys) sizes.delete(key);
  if (keys.length > 0) await bucket.delete(keys);
}

type Environment = Pick<PublishingEnvironment, 'RENDERED' | 'OCTAVO_ONE_ISOLATE'>;

const texts = new TextStore(maxBytes);

const logFailure = (error: unknown): undefined => {
  log('warn', 'the bucket with rendered documents failed', { error: String(error) });
};

/** On one machine, returns a text from the bucket. If the bucket fails, the document is rendered again. */
const findStoredText = async (env: Environment, name: string): Promise<string | undefined> =>
  env.OCTAVO_ONE_ISOLATE === '1' ? texts.find(env.RENDERED, name).catch(logFailure) : undefined;

/** Delay in milliseconds, so that a text is stored after the response was sent. */
const responseMilliseconds = 100;

/**
 * On one machine, stores a text in the bucket after the response, if reading it takes much less time than rendering it.
 */
export async function storeText(env: Environment, name: string, text: string): Promise<void> {
  if (env.OCTAVO_ONE_ISOLATE !== '1' || text.length < minStoredBytes) return;
  await new Promise((resolve) => setTimeout(resolve, responseMilliseconds));
  await texts.store(env.RENDERED, name, text).catch(logFailure);
}

const maxAgeMilliseconds = 7 * 24 * 3_600_000;

/** Deletes documents after a week, so that none outlives the purge of its deleted space. */
export async function sweepStoredTexts(env: Environment): Promise<void> {
  if (env.OCTAVO_ONE_ISOLATE === '1') await texts.sweep(env.RENDERED, Date.now() - maxAgeMilliseconds);
}

/** A rendered document with all that it depends on. It is stored as JSON. */
interface StoredDocument {
  /** The page, the visitor, the depth of the address, and the builds that rendered the document. */
  key: string;
  rendered: RenderedDocument;
  /** The parts of the site that all documents depend on. */
  settings: string;
  /** The versions of the texts of the page, and of the pages to whose headings it links. */
  versions: [page: string, version: string | null][];
  /** The references in the document, and what they resolved to. */
  references: [reference: string, to: string][];
}

const mebibyte = 1024 * 1024;

/** Returns the bytes of a text in memory: V8 stores two for each character unless all are Latin-1. */
const countBytes = (text: string): number => (/[^\0-\xff]/.test(text) ? 2 : 1) * text.length;

interface CachedDocument {
  document: StoredDocument;
  bytes: number;
}

const documents = new SiteCache<CachedDocument>({
  ...{ maxBytes: 16 * mebibyte, maxBytesPerSite: 8 * mebibyte, getBytes: ({ bytes }) => bytes },
});

/** The rendered documents that a visitor may get at paths of the same depth. */
export interface DocumentCache {
  /** Whether the document of a page was rendered before, also in other isolates of the data center or before a restart. It can be outdated. */
  load(page: string): Promise<boolean>;
  /** Returns the rendered document of a page, unless something that it depends on has changed. */
  find(page: string, state: DocumentState): RenderedDocument | undefined;
  /** Stores a rendered document with the references that were resolved for it. */
  store(page: string, rendered: RenderedDocument, state: RecordedState): void;
}

/** The current state of what rendered documents depend on. */
interface DocumentState {
  view: Pick<PageView, 'site' | 'assets' | 'base' | 'relativeRoot' | 'resolve'>;
  textVersions: VersionedRevision['textVersions'];
}

interface RecordedState extends DocumentState {
  references: ReadonlyMap<string, string>;
}

const toText = (value: unknown): string => JSON.stringify(value) ?? '';

/** Returns the parts of a site on which the rendering of blocks depends. */
const toSettings = ({ site, assets, base, relativeRoot }: DocumentState['view']): string => {
  const { styling, externalLinks, internationalization } = site.customization;
  return JSON.stringify([
    site.url,
    site.language,
    assets.style,
    base,
    relativeRoot,
    styling,
    externalLinks,
    internationalization,
  ]);
};

/** Returns a function that resolves references in the same way, and records what they resolve to. */
export function recordReferences(resolve: ResolveReference) {
  const references = new Map<string, string>();
  const resolveRecorded: ResolveReference = (reference) => {
    const resolved = resolve(reference);
    if (reference !== undefined) references.set(toText(reference), toText(resolved));
    return resolved;
  };
  return { resolve: resolveRecorded, references };
}

/** Returns the pages to whose headings the references link. */
const findLinkedPages = (references: ReadonlyMap<string, string>): string[] =>
  [...references.keys()].flatMap((text) => {
    const { kind, page } = (JSON.parse(text) ?? {}) as { kind?: unknown; page?: unknown };
    return kind === 'anchor' && typeof page === 'string' ? [page] : [];
  });

/** Returns undefined if the stored text is damaged. */
function parseDocument(text: string): StoredDocument | undefined {
  try {
    return JSON.parse(text) as StoredDocument;
  } catch (error) {
    log('warn', 'a stored document is damaged', { error: String(error) });
    return undefined;
  }
}

const isCurrentDocument = (
  { settings, versions, references }: StoredDocument,
  { view, textVersions }: DocumentState,
): boolean =>
  textVersions !== undefined &&
  settings === toSettings(view) &&
  versions.every(([page, version]) => (textVersions[page] ?? null) === version) &&
  references.every(([reference, to]) => toText(view.resolve(JSON.parse(reference))) === to);

interface DocumentContext {
  /** Everything that responses to the visitor depend on; undefined if nothing may be cached. */
  parts?: KeyParts | undefined;
  url: URL;
  space: SpaceId;
  env: PublishingEnvironment;
  background: Background;
}

/** Creates the cache for the documents of a space. */
export function createDocumentCache({
  parts,
  url,
  space,
  env,
  background,
}: DocumentContext): DocumentCache | undefined {
  if (parts === undefined) return undefined;
  const { site } = parts;
  const visit = `rendered document ${toCacheKey(getVisitorParts(parts))} ${url.pathname.split('/').length}`;
  const toKey = (page: string): string => `${visit} ${space} ${page}`;
  const toName = (page: string): string => `${space}/${page}`;
  const findText = (page: string) =>
    hasSharedCache(env) ? findSharedText(env, toKey(page)) : findStoredText(env, toName(page));
  return {
    load: async (page) => {
      const key = toKey(page);
      if (documents.find(site, key) !== undefined) return true;
      const text = await findText(page);
      const document = text === undefined ? undefined : parseDocument(text);
      if (text === undefined || document?.key !== key) return false;
      documents.store(site, key, { document, bytes: countBytes(text) });
      return true;
    },
    find: (page, state) => {
      const { document } = documents.find(site, toKey(page)) ?? {};
      return document && isCurrentDocument(document, state) ? document.rendered : undefined;
    },
    store: (page, rendered, { view, textVersions, references }) => {
      if (textVersions === undefined) return;
      const toVersion = (id: string): StoredDocument['versions'][number] => [id, textVersions[id] ?? null];
      const versions = [page, ...findLinkedPages(references)].map(toVersion);
      const key = toKey(page);
      const document: StoredDocument = {
        ...{ key, rendered, settings: toSettings(view), versions, references: [...references] },
      };
      const text = JSON.stringify(document);
      documents.store(site, key, { document, bytes: countBytes(text) });
      background.waitUntil(hasSharedCache(env) ? storeSharedText(env, key, text) : storeText(env, toName(page), text));
    },
  };
}
