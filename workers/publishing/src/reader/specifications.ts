import type { Block } from '@octavo/markdown';
import { block, blocksOfOthers, getTree, renderTree } from '@octavo/markdown';
import type {
  NamedPart,
  NavigationNode,
  PageView,
  ShownDocument,
  SpecificationReference,
  TitledLink,
} from '@octavo/reader';
import { findReferences, readNamedParts } from '@octavo/reader';
import type { DocumentPage, OrganizationId, Space, SpaceId } from '@octavo/schema';
import type { JsonObject, WantedParts } from '@octavo/specification';
import { getExcerpt, getHeads, getOwn, IndexedDocument, isObject, textAt } from '@octavo/specification';
import type { PageTree } from './navigation.ts';
import type { SiteApi, SiteVisit } from './site-visit.ts';

/** Enough for the largest specification and a few small ones. */
const maxKeptBytes = 24 * 1024 * 1024;

interface CachedDocument {
  tag: string;
  document: IndexedDocument;
}

/**
 * An LRU cache of specifications by API path. Each read asks the API whether the visitor may read the specification and
 * whether the cached version is current.
 */
class SpecificationCache {
  readonly #kept = new Map<string, CachedDocument>();
  #bytes = 0;

  async read(path: string, api: SiteApi): Promise<IndexedDocument | undefined> {
    const held = this.#kept.get(path);
    const answer = await api.open(path, held?.tag);
    if (answer === undefined) return undefined;
    if (answer.status === 304 && held !== undefined) {
      this.#kept.delete(path);
      this.#kept.set(path, held);
      return held.document;
    }
    const document = new IndexedDocument(new Uint8Array(await answer.arrayBuffer()));
    const tag = answer.headers.get('etag');
    if (tag !== null) this.#keep(path, { tag, document });
    return document;
  }

  #keep(path: string, kept: CachedDocument): void {
    this.#drop(path);
    this.#kept.set(path, kept);
    this.#bytes += kept.document.bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= maxKeptBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(path: string): void {
    this.#bytes -= this.#kept.get(path)?.document.bytes ?? 0;
    this.#kept.delete(path);
  }
}

const kept = new SpecificationCache();

/** Reads a specification by its slug; undefined if the visitor may not read it. */
type ReadSpecification = (slug: string) => Promise<IndexedDocument | undefined>;

/** Reads the newest version of a specification; undefined if the visitor may not read it. */
export const readSpecification = (
  organization: OrganizationId,
  slug: string,
  api: SiteApi,
): Promise<IndexedDocument | undefined> =>
  kept.read(`/v1/orgs/${organization}/openapi/${encodeURIComponent(slug)}/versions/latest/content`, api);

/** Reads specifications for one response, each only once. */
export function createSpecificationReader(organization: OrganizationId, api: SiteApi): ReadSpecification {
  const asked = new Map<string, ReturnType<ReadSpecification>>();
  return (slug) => {
    const found = asked.get(slug) ?? readSpecification(organization, slug, api);
    asked.set(slug, found);
    return found;
  };
}

/** Maximum number of specifications on one page. Each can have megabytes. */
const maxSpecifications = 5;

/** The parts of a specification that blocks show. */
function getWantedParts(references: SpecificationReference[]): WantedParts {
  const wanted: WantedParts = { operations: [], webhooks: [], schemas: [] };
  for (const { part } of references) {
    if (part.kind === 'operation') wanted.operations.push(part);
    else if (part.kind === 'webhook') wanted.webhooks.push(part);
    else wanted.schemas.push(...part.schemas);
  }
  return wanted;
}

/** The parts of a specification, with absolute server addresses. */
export const extractParts = (document: IndexedDocument, wanted: WantedParts): JsonObject =>
  withAbsoluteServers(getExcerpt(document, wanted), document.source);

/** The parts that a document shows of specifications the visitor may read, by slug. */
export async function loadSpecifications(
  document: ShownDocument,
  read: ReadSpecification,
): Promise<PageView['specifications']> {
  const bySlug = Map.groupBy(findReferences(document.nodes), ({ spec }) => spec);
  const found: [string, JsonObject][] = [];
  for (const [slug, references] of [...bySlug].slice(0, maxSpecifications)) {
    const document = await read(slug);
    if (document !== undefined) found.push([slug, extractParts(document, getWantedParts(references))]);
  }
  return Object.fromEntries(found);
}

/** The API address of an uploaded text, which has no source server. */
const ownAddress = /\/v1\/orgs\/[^/]+\/openapi\/[^/]+\/versions\/[^/]+\/content$/;

/** Relative server addresses are relative to the specification's source. */
function withAbsolute(servers: unknown[], source: string): unknown[] {
  return servers.map((server) => {
    const url = isObject(server) ? textAt(server, 'url') : undefined;
    if (!isObject(server) || url === undefined || /^(?:[a-z][a-z\d+.-]*:|\{)/i.test(url)) return server;
    if (!URL.canParse(url, source)) return server;
    return { ...server, url: new URL(url, source).href.replace(/%7B/gi, '{').replace(/%7D/gi, '}') };
  });
}

/** Makes server addresses absolute if the source is known. */
function withAbsoluteServers(document: JsonObject, source: string | undefined): JsonObject {
  const servers = getOwn(document, 'servers') ?? [{ url: '/' }];
  if (!Array.isArray(servers) || source === undefined || ownAddress.test(source)) return document;
  return { ...document, servers: withAbsolute(servers, source) };
}

/** Maximum number of parts shown on one page, */
const maxWholeParts = 12;
/** and their maximum size in characters of JSON. The HTML is about three times as large. */
const maxWholeLength = 45_000;

/** A page that lists the parts of a specification. Each part has its own page. */
interface ListedParts {
  spec: string;
  references: SpecificationReference[];
  /** The path segments of the parts. */
  slugs: string[];
  /** The content of some parts, and only their titles. */
  parts: (references: SpecificationReference[]) => PageView['specifications'];
  heads: (references: SpecificationReference[]) => PageView['specifications'];
}

/** Whether the parts are too large for one page. Shared schemas count for each part that uses them. */
function exceedPageLimits(references: SpecificationReference[], read: IndexedDocument): boolean {
  if (references.length > maxWholeParts) return true;
  let length = 0;
  return references.some((reference) => {
    length += JSON.stringify(getExcerpt(read, getWantedParts([reference]))).length;
    return length > maxWholeLength;
  });
}

/** The listing of a generated page; undefined if the page shows its parts itself. */
export async function getListing(document: ShownDocument, read: ReadSpecification): Promise<ListedParts | undefined> {
  const references = findReferences(document.nodes);
  const [first, ...others] = references;
  if (first === undefined || others.length === 0) return undefined;
  const { spec } = first;
  const found = await read(spec);
  if (found === undefined || !exceedPageLimits(references, found)) return undefined;
  return {
    ...{ spec, references, slugs: references.flatMap(({ slug }) => slug ?? []) },
    parts: (some) => ({ [spec]: extractParts(found, getWantedParts(some)) }),
    heads: (some) => ({ [spec]: getHeads(found, getWantedParts(some)) }),
  };
}

interface ListedPage {
  /** The view as if the page showed its parts itself. */
  view: PageView;
  tree: PageTree;
  page: DocumentPage;
  listing: ListedParts;
}

/** Maximum number of parts in the navigation, around the current one. */
const maxBeside = 100;

const getNeighbors = <Item>(items: Item[], at: number): Item[] => {
  const start = Math.max(0, Math.min(at - maxBeside / 2, items.length - maxBeside));
  return items.slice(start, start + maxBeside);
};

const linkTo = ({ tree, page }: ListedPage, { title, slug }: NamedPart): TitledLink => ({
  title,
  to: tree.partPlaceOf(page, slug),
});

const createEntries = (listed: ListedPage, parts: NamedPart[], current?: NamedPart): NavigationNode[] =>
  parts.map((part) => ({
    ...{ ...linkTo(listed, part), kind: 'page', method: part.method, isCurrent: part === current, children: [] },
  }));

/** The page that lists the parts. The first part is the next page. */
export function createListView(listed: ListedPage): PageView {
  const { view, tree, page, listing } = listed;
  const specifications = listing.heads(listing.references);
  const parts = readNamedParts(view.page.document, specifications);
  const places = new Map(parts.map(({ node, slug }) => [node, tree.partPlaceOf(page, slug)]));
  const [first] = parts;
  return {
    ...{ ...view, specifications },
    navigation: tree.around(page, createEntries(listed, getNeighbors(parts, 0))),
    ...(first && { next: linkTo(listed, first) }),
    page: { ...view.page, places },
  };
}

/** The page of a part; undefined if there is no such part. */
export function createPartView(listed: ListedPage, slug: string): PageView | undefined {
  const { view, tree, page, listing } = listed;
  const { references } = listing;
  const at = references.findIndex((each) => each.slug === slug);
  const beside = getNeighbors(references, at);
  const parts = readNamedParts(documentOf(view, beside), listing.heads(beside));
  const index = parts.findIndex((each) => each.slug === slug);
  const [own, reference] = [parts[index], references[at]];
  if (own === undefined || reference === undefined) return undefined;
  const { title, to } = linkTo(listed, own);
  const [previous, next] = [parts[index - 1], parts[index + 1]];
  return {
    ...{ ...view, specifications: listing.parts([reference]), at: to, canonicalUrl: `${view.site.url}${to}` },
    ...{ alternates: [], breadcrumbs: [...view.breadcrumbs, tree.linked(page)] },
    navigation: tree.around(page, createEntries(listed, parts, own)),
    previous: previous === undefined ? tree.linked(page) : linkTo(listed, previous),
    next: next === undefined ? view.next : linkTo(listed, next),
    page: { ...view.page, ...unsaid, title, document: documentOf(view, [reference]) },
  };
}

const documentOf = ({ page: { document } }: PageView, references: SpecificationReference[]) => ({
  ...document,
  nodes: references.map(({ node }) => node),
});

/** These fields of the listing page do not apply to its parts. */
const unsaid = { description: undefined, emoji: undefined, icon: undefined, cover: undefined };

/** Maximum number of generated pages whose parts are listed, */
const maxListedPages = 100;
/** and how many are read at once. */
const pagesAtOnce = 20;

/** The slugs of the parts with their own pages, by the ids of the generated pages in the live content. */
export async function readPartSlugs(
  { api, content }: Pick<SiteVisit, 'api' | 'content'>,
  space: SpaceId,
  pages: DocumentPage[],
): Promise<ReadonlyMap<string, string[]>> {
  const ids = pages.filter(({ computed }) => computed?.type === 'builtin:openapi').map(({ id }) => id);
  const found = ids.length === 0 ? undefined : await api.get<Space>(`/v1/spaces/${space}`);
  if (found === undefined) return new Map();
  const { revision } = found;
  const chunks = Array.from({ length: Math.ceil(Math.min(ids.length, maxListedPages) / pagesAtOnce) }, (_, index) =>
    ids.slice(index * pagesAtOnce, (index + 1) * pagesAtOnce),
  );
  const documents = (await Promise.all(chunks.map((some) => api.documents({ space, revision, pages: some })))).flat();
  const read = createSpecificationReader(content.organization, api);
  const listed = new Map<string, string[]>();
  for (const [index, document] of documents.entries()) {
    const listing = document && (await getListing(document, read));
    if (listing !== undefined) listed.set(ids[index] ?? '', listing.slugs);
  }
  return listed;
}

function findBlock({ spec, part }: SpecificationReference): Block {
  const ref = { kind: 'openapi', spec };
  if (part.kind === 'schemas') return block('openapi-schemas', { ref, schemas: part.schemas, grouped: false });
  const { kind, ...named } = part;
  return block(`openapi-${kind}`, { ref, ...named });
}

/** The markdown of a page that shows one part of a specification. */
export function renderPartMarkdown({ page: { document }, specifications }: PageView): string {
  const [reference] = findReferences(document.nodes);
  const [part] = readNamedParts(document, specifications);
  if (reference === undefined || part === undefined) return '';
  return renderTree(getTree([...blocksOfOthers(part.description), { ...findBlock(reference), isVoid: true }]));
}
