import type { Block } from '@octavo/markdown';
import { createBlock, getTree, parseForeignBlocks, renderTree } from '@octavo/markdown';
import type {
  NamedPart,
  NavigationNode,
  PageView,
  ShownDocument,
  SpecificationReference,
  TitledLink,
} from '@octavo/reader';
import { findReferences, getSpecificationFile, readNamedParts } from '@octavo/reader';
import { type Background, runInSlices, toHex, toJsonBytes } from '@octavo/runtime';
import type { DocumentPage, File, OrganizationId, RevisionId, SiteId, Space, SpaceId } from '@octavo/schema';
import type { JsonObject, WantedParts } from '@octavo/specification';
import {
  getExcerpt,
  getHeads,
  getOwnProperty,
  getTextAt,
  IndexedDocument,
  isObject,
  maxFileBytes,
  SpecificationFault,
} from '@octavo/specification';
import type { PublishingEnvironment } from '../environment.ts';
import { readText } from '../specs/read-text.ts';
import type { PageTree } from './navigation.ts';
import { SiteCache } from './site-cache.ts';
import type { SiteApi, SiteVisit } from './site-visit.ts';

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
    const document = await runInSlices(IndexedDocument.read(new Uint8Array(await response.arrayBuffer())));
    const tag = response.headers.get('etag');
    if (tag !== null) this.#cache(path, { tag, document });
    return document;
  }

  #cache(path: string, document: CachedDocument): void {
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

/** Files of spaces as specifications, by the hash of their bytes. Each is at most a few megabytes large. */
const filesCache = new SiteCache<IndexedDocument>({
  maxBytes: maxCachedBytes / 2,
  maxBytesPerSite: maxCachedBytes / 4,
  getBytes: ({ bytes }) => bytes,
});

/** Converts a file to the stored format of specifications. A file that is not a specification becomes empty. */
async function parseFile(bytes: Uint8Array, env: PublishingEnvironment): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const splitDocument = (text: string) => encoder.encode(`{"filesystem":[{"specification":${text}}]}`);
  try {
    const { document } = await readText(bytes, env);
    return splitDocument(document === undefined ? decoder.decode(bytes) : await new Response(document.bytes).text());
  } catch (error) {
    if (error instanceof SpecificationFault) return splitDocument('{}');
    throw error;
  }
}

/** The files of a revision that the visitor can see. */
interface VisibleFiles {
  site: SiteId;
  space: SpaceId;
  revision: RevisionId;
  files: Pick<File, 'id' | 'size'>[];
  env: PublishingEnvironment;
  background: Background;
}

/**
 * Reads a file of the space as a specification; undefined if the visitor may not see it, or if it is too large. A file
 * that is not a specification has no parts. Concurrent visitors of a site share the result.
 */
async function readFile(id: string, { site, files, env, background, ...location }: VisibleFiles, api: SiteApi) {
  const file = files.find((each) => each.id === id);
  if (file === undefined || file.size > maxFileBytes) return undefined;
  const bytes = await api.file({ ...location, file: id });
  if (bytes === undefined) return undefined;
  const key = toHex(await crypto.subtle.digest('SHA-256', bytes));
  const load = async () => runInSlices(IndexedDocument.read(await parseFile(bytes, env)));
  return (await filesCache.get(site, key, { load, background })) ?? load();
}

/** Reads the specification with this slug, or in this file; undefined if the visitor may not read it. */
type ReadSpecification = (name: string) => Promise<IndexedDocument | undefined>;

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

/** Maximum number of specifications on one page. Each can be megabytes large. */
const maxSpecifications = 5;

/** Returns the parts of a specification that blocks refer to. */
function getRequestedParts(references: SpecificationReference[]): WantedParts {
  const parts: WantedParts = { operations: [], webhooks: [], schemas: [] };
  for (const { part } of references) {
    if (part.kind === 'operation') parts.operations.push(part);
    else if (part.kind === 'webhook') parts.webhooks.push(part);
    else parts.schemas.push(...part.schemas);
  }
  return parts;
}

/** Selects parts of a specification, with absolute server URLs. */
export const extractParts = async (document: IndexedDocument, parts: WantedParts): Promise<JsonObject> =>
  resolveServers(await runInSlices(getExcerpt(document, parts)), document.source);

/**
 * Loads the parts that a document refers to, by the specification's slug. Specifications that the visitor cannot read
 * are left out.
 */
export async function loadSpecifications(
  document: ShownDocument,
  readSpecification: ReadSpecification,
): Promise<PageView['specifications']> {
  const bySlug = Map.groupBy(findReferences(document.nodes), ({ spec }) => spec);
  const specifications: [string, JsonObject][] = [];
  for (const [slug, references] of [...bySlug].slice(0, maxSpecifications)) {
    const document = await readSpecification(slug);
    if (document !== undefined)
      specifications.push([slug, await extractParts(document, getRequestedParts(references))]);
  }
  return Object.fromEntries(specifications);
}

/** An uploaded text has no source server, only this API path. */
const ownAddress = /\/v1\/orgs\/[^/]+\/openapi\/[^/]+\/versions\/[^/]+\/content$/;

/** Resolves relative server URLs against the specification's source. */
function toAbsoluteUrls(servers: unknown[], source: string): unknown[] {
  return servers.map((server) => {
    const url = isObject(server) ? getTextAt(server, 'url') : undefined;
    if (!isObject(server) || url === undefined || /^(?:[a-z][a-z\d+.-]*:|\{)/i.test(url)) return server;
    if (!URL.canParse(url, source)) return server;
    return { ...server, url: new URL(url, source).href.replace(/%7B/gi, '{').replace(/%7D/gi, '}') };
  });
}

/** Makes server URLs absolute if the source is known. */
function resolveServers(document: JsonObject, source: string | undefined): JsonObject {
  const servers = getOwnProperty(document, 'servers') ?? [{ url: '/' }];
  if (!Array.isArray(servers) || source === undefined || ownAddress.test(source)) return document;
  return { ...document, servers: toAbsoluteUrls(servers, source) };
}

/** Maximum number of parts on one page. */
const maxInlineParts = 12;
/** Maximum size of the parts on one page, in bytes of JSON. The HTML is about three times as large. */
const maxInlineBytes = 45_000;

/** A generated page that only lists the parts of a specification. Each part has a separate page. */
interface ListedParts {
  spec: string;
  references: SpecificationReference[];
  /** The path segments of the parts. */
  slugs: string[];
  /** Returns the parts with their content. */
  parts: (references: SpecificationReference[]) => Promise<PageView['specifications']>;
  heads: (references: SpecificationReference[]) => Promise<PageView['specifications']>;
}

/** Whether the parts are too large for one page. A shared schema counts once for each part that uses it. */
async function exceedsPageLimits(references: SpecificationReference[], document: IndexedDocument): Promise<boolean> {
  if (references.length > maxInlineParts) return true;
  let bytes = 0;
  for (const reference of references) {
    const excerpt = await runInSlices(getExcerpt(document, getRequestedParts([reference])));
    bytes += (await toJsonBytes(excerpt)).length;
    if (bytes > maxInlineBytes) return true;
  }
  return false;
}

/** Creates the list of a generated page; undefined if the parts fit on the page. */
export async function createListing(
  document: ShownDocument,
  readSpecification: ReadSpecification,
): Promise<ListedParts | undefined> {
  const references = findReferences(document.nodes);
  const [first, ...others] = references;
  if (first === undefined || others.length === 0) return undefined;
  const { spec } = first;
  const specification = await readSpecification(spec);
  if (specification === undefined || !(await exceedsPageLimits(references, specification))) return undefined;
  return {
    ...{ spec, references, slugs: references.flatMap(({ slug }) => slug ?? []) },
    parts: async (references) => ({ [spec]: await extractParts(specification, getRequestedParts(references)) }),
    heads: async (references) => ({
      [spec]: await runInSlices(getHeads(specification, getRequestedParts(references))),
    }),
  };
}

interface ListedPage {
  /** The view of the page with all parts on the page itself. */
  view: PageView;
  tree: PageTree;
  page: DocumentPage;
  listing: ListedParts;
}

/** Maximum number of parts in the navigation. The parts nearest to the current one are shown. */
const maxNavigationParts = 100;

const getNeighbors = <Item>(items: Item[], offset: number): Item[] => {
  const start = Math.max(0, Math.min(offset - maxNavigationParts / 2, items.length - maxNavigationParts));
  return items.slice(start, start + maxNavigationParts);
};

const createPartLink = ({ tree, page }: ListedPage, { title, slug }: NamedPart): TitledLink => ({
  title,
  to: tree.getPartPath(page, slug),
});

const createEntries = (page: ListedPage, parts: NamedPart[], current?: NamedPart): NavigationNode[] =>
  parts.map((part) => ({
    ...{
      ...createPartLink(page, part),
      kind: 'page',
      method: part.method,
      isCurrent: part === current,
      children: [],
    },
  }));

/** Creates the page of a few parts, which shows them inline. The navigation links to their anchors. */
export function createInlineView({ view, tree, page }: Omit<ListedPage, 'listing'>): PageView {
  const parts = readNamedParts(view.page.document, view.specifications);
  if (parts.length < 2) return view;
  const entries = parts.map(({ id, title, method }): NavigationNode => {
    const to = `${tree.getPath(page)}#${encodeURIComponent(id)}`;
    return { kind: 'page', title, to, method, children: [] };
  });
  return { ...view, navigation: tree.getNavigation(page, entries.slice(0, maxNavigationParts)) };
}

/** Creates the page that lists the parts. Its next page is the first part. */
export async function createListView(listedPage: ListedPage): Promise<PageView> {
  const { view, tree, page, listing } = listedPage;
  const specifications = await listing.heads(listing.references);
  const parts = readNamedParts(view.page.document, specifications);
  const pathsByNode = new Map(parts.map(({ node, slug }) => [node, tree.getPartPath(page, slug)]));
  const [first] = parts;
  return {
    ...{ ...view, specifications },
    navigation: tree.getNavigation(page, createEntries(listedPage, getNeighbors(parts, 0))),
    ...(first && { next: createPartLink(listedPage, first) }),
    page: { ...view.page, addressesByNode: pathsByNode },
  };
}

/** Creates the page of a part; undefined if there is no such part. */
export async function createPartView(listedPage: ListedPage, slug: string): Promise<PageView | undefined> {
  const { view, tree, page, listing } = listedPage;
  const { references } = listing;
  const at = references.findIndex((reference) => reference.slug === slug);
  const nearbyReferences = getNeighbors(references, at);
  const parts = readNamedParts(toDocument(view, nearbyReferences), await listing.heads(nearbyReferences));
  const index = parts.findIndex((part) => part.slug === slug);
  const [namedPart, reference] = [parts[index], references[at]];
  if (namedPart === undefined || reference === undefined) return undefined;
  const { title, to } = createPartLink(listedPage, namedPart);
  const [previous, next] = [parts[index - 1], parts[index + 1]];
  return {
    ...{
      ...view,
      specifications: await listing.parts([reference]),
      address: to,
      canonicalUrl: `${view.site.url}${to}`,
    },
    ...{ alternates: [], breadcrumbs: [...view.breadcrumbs, tree.toLink(page)] },
    navigation: tree.getNavigation(page, createEntries(listedPage, parts, namedPart)),
    previous: previous === undefined ? tree.toLink(page) : createPartLink(listedPage, previous),
    next: next === undefined ? view.next : createPartLink(listedPage, next),
    page: { ...view.page, ...omittedFields, title, document: toDocument(view, [reference]) },
  };
}

const toDocument = ({ page: { document } }: PageView, references: SpecificationReference[]) => ({
  ...document,
  nodes: references.map(({ node }) => node),
});

/** Fields of the listing page that do not apply to its parts. */
const omittedFields = { description: undefined, emoji: undefined, icon: undefined, cover: undefined };

/** Maximum number of generated pages whose parts are listed. */
const maxListedPages = 100;
/** Number of pages read per call. */
const pagesAtOnce = 20;

/**
 * Maps the id of each generated page to the slugs of the specification parts that have a separate page. Reads the live
 * content.
 */
export async function readPartSlugs(
  { api, content }: Pick<SiteVisit, 'api' | 'content'>,
  space: SpaceId,
  pages: DocumentPage[],
): Promise<ReadonlyMap<string, string[]>> {
  const ids = pages.filter(({ computed }) => computed?.type === 'builtin:openapi').map(({ id }) => id);
  const spaceRecord = ids.length === 0 ? undefined : await api.get<Space>(`/v1/spaces/${space}`);
  if (spaceRecord === undefined) return new Map();
  const { revision } = spaceRecord;
  const chunks = Array.from({ length: Math.ceil(Math.min(ids.length, maxListedPages) / pagesAtOnce) }, (_, index) =>
    ids.slice(index * pagesAtOnce, (index + 1) * pagesAtOnce),
  );
  const documents = (await Promise.all(chunks.map((pages) => api.documents({ space, revision, pages })))).flat();
  const readSpecification = createSpecificationReader(content.organization, api);
  const slugsByPage = new Map<string, string[]>();
  for (const [index, document] of documents.entries()) {
    const listing = document && (await createListing(document, readSpecification));
    if (listing !== undefined) slugsByPage.set(ids[index] ?? '', listing.slugs);
  }
  return slugsByPage;
}

function findBlock({ spec, part }: SpecificationReference): Block {
  const ref = { kind: 'openapi', spec };
  if (part.kind === 'schemas') return createBlock('openapi-schemas', { ref, schemas: part.schemas, grouped: false });
  const { kind, ...partName } = part;
  return createBlock(`openapi-${kind}`, { ref, ...partName });
}

/** Returns the markdown of a page with one part of a specification. */
export function renderPartMarkdown({ page: { document }, specifications }: PageView): string {
  const [reference] = findReferences(document.nodes);
  const [part] = readNamedParts(document, specifications);
  if (reference === undefined || part === undefined) return '';
  return renderTree(getTree([...parseForeignBlocks(part.description), { ...findBlock(reference), isVoid: true }]));
}
