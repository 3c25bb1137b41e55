import { slugify } from '@octavo/markdown/anchors';
import type { JsonObject } from '@octavo/specification';
import { findOperation, getOwnProperty, getTextAt, isObject } from '@octavo/specification';
import { getAnchor } from '../anchors.ts';
import type { PageNode, ShownDocument } from '../document.ts';
import { getData, getNodes, getText } from '../document.ts';
import type { PageView } from '../view.ts';
import { SchemaReader } from './schema.ts';

/** An operation of a path, or a webhook. */
export interface OperationPart {
  kind: 'operation' | 'webhook';
  method: string;
  /** The path, or the name of the webhook. */
  name: string;
  /** The path item: shared by all methods of the path. */
  item: JsonObject;
  operation: JsonObject;
}

export interface ModelsPart {
  kind: 'models';
  models: { name: string; schema: unknown }[];
}

/** A block of a page with the parts that it shows. */
export interface PageReference {
  id: string;
  title: string;
  spec: string;
  /** The excerpt of the specification against which references are resolved. */
  document: JsonObject;
  part: OperationPart | ModelsPart;
}

function readPart({ part }: SpecificationReference, document: JsonObject): OperationPart | ModelsPart | undefined {
  if (part.kind === 'schemas') {
    const components = getOwnProperty(document, 'components');
    const all = isObject(components) ? getOwnProperty(components, 'schemas') : undefined;
    if (!isObject(all)) return undefined;
    const names = part.schemas.filter((name) => Object.hasOwn(all, name));
    return { kind: 'models', models: names.map((name) => ({ name, schema: getOwnProperty(all, name) })) };
  }
  const { method, kind } = part;
  const [keys, name] = kind === 'operation' ? [['paths'], part.path] : [['webhooks', 'x-webhooks'], part.name];
  for (const key of keys) {
    const operation = findOperation(document, { key, name, method });
    if (operation !== undefined) return { kind, method, name, ...operation };
  }
  return undefined;
}

const maxTitleLength = 300;
const maxSummaryLength = 120;

/** Whether a summary is too long for a title. It is then shown as part of the description. */
export const isLongSummary = (summary: string): boolean => summary.length > maxSummaryLength;

function getPartTitle(part: OperationPart | ModelsPart, title: string | undefined): string {
  if (part.kind === 'models') {
    const [first, ...others] = part.models;
    return title ?? (others.length === 0 ? first?.name : undefined) ?? '';
  }
  const { operation, method, name, kind } = part;
  const candidates = ['x-page-title', 'x-displayName', 'summary', 'operationId'].map((key) =>
    getTextAt(operation, key),
  );
  const pageTitle = candidates.find((each) => each !== undefined && each.trim() !== '' && !isLongSummary(each));
  return (pageTitle ?? (kind === 'webhook' ? name : `${method.toUpperCase()} ${name}`)).slice(0, maxTitleLength);
}

/** Returns the source text of a part's description. */
export function getDescription(part: OperationPart | ModelsPart): string {
  const describedObject = part.kind === 'models' ? part.models[0]?.schema : part.operation;
  return (isObject(describedObject) ? getTextAt(describedObject, 'description') : undefined) ?? '';
}

const findHeadingIds = (nodes: PageNode[]): string[] =>
  nodes.flatMap((node) => {
    const id = node.type?.startsWith('heading-') ? getAnchor(node) : undefined;
    return [...(id === undefined ? [] : [id]), ...findHeadingIds(getNodes(node))];
  });

/** Returns the parts that the page's blocks show. Blocks whose part does not exist are left out. */
function readParts({ nodes }: ShownDocument, specifications: PageView['specifications']) {
  const takenIds = new Set(findHeadingIds(nodes));
  const references = new Map<PageNode, PageReference>();
  for (const reference of findReferences(nodes)) {
    const { node, spec, slug } = reference;
    const document = Object.hasOwn(specifications, spec) ? specifications[spec] : undefined;
    const part = document === undefined ? undefined : readPart(reference, document);
    if (document === undefined || part === undefined) continue;
    const title = getPartTitle(part, reference.part.kind === 'schemas' ? reference.part.title : undefined);
    const slugText = slug ?? (slugify(title) || 'reference');
    let id = slugText;
    for (let number = 2; takenIds.has(id); number += 1) id = `${slugText}-${number}`;
    takenIds.add(id);
    references.set(node, { id, title, spec, document, part });
  }
  return references;
}

/** A part of a specification that a block identifies by its own id. */
export interface NamedPart {
  node: PageNode;
  /** The id of the block. */
  slug: string;
  /** The part's anchor, if the part is shown on the page itself. */
  id: string;
  title: string;
  /** The source text of its description. */
  description: string;
  /** Set for operations and webhooks. */
  method: string | undefined;
}

/** Returns the specification parts that blocks with an id show. Parts that do not exist are left out. */
export const readNamedParts = (document: ShownDocument, specifications: PageView['specifications']): NamedPart[] =>
  [...readParts(document, specifications)].flatMap(([node, { id, title, part }]) => {
    const slug = getAnchor(node);
    const method = part.kind === 'models' ? undefined : part.method;
    return slug === undefined ? [] : [{ node, slug, id, title, description: getDescription(part), method }];
  });

/** The specification parts that a page's blocks show, with a schema reader for each. */
export interface PageReferences {
  blocks: ReadonlyMap<PageNode, PageReference>;
  schemas: (document: JsonObject) => SchemaReader;
}

/** Reads the specification parts that a page's blocks show. */
export function readPageReferences(view: Pick<PageView, 'page' | 'specifications'>): PageReferences {
  const readers = new Map<JsonObject, SchemaReader>();
  return {
    blocks: readParts(view.page.document, view.specifications),
    schemas: (document) => {
      const reader = readers.get(document) ?? new SchemaReader(document);
      readers.set(document, reader);
      return reader;
    },
  };
}

/** The kind of specification part that a block shows. */
type ReferencePart =
  | { kind: 'operation'; path: string; method: string }
  | { kind: 'webhook'; name: string; method: string }
  | { kind: 'schemas'; schemas: string[]; title: string | undefined };

/** A block that shows parts of a specification. `spec` is the specification's slug or the name of a file. */
export interface SpecificationReference {
  node: PageNode;
  /** The block's own id, used in URLs. */
  slug: string | undefined;
  spec: string;
  part: ReferencePart;
}

const maxSchemas = 200;

function toPart({ type, data = {} }: PageNode): ReferencePart | undefined {
  const [path, name, method] = [getText(data, 'path'), getText(data, 'name'), getText(data, 'method')?.toLowerCase()];
  if (type === 'openapi-schemas' && Array.isArray(data.schemas))
    return { kind: 'schemas', schemas: data.schemas.slice(0, maxSchemas).map(String), title: getText(data, 'title') };
  if (method === undefined) return undefined;
  if (/^(?:openapi-operation|swagger)$/.test(type ?? '') && path !== undefined)
    return { kind: 'operation', path, method };
  return type === 'openapi-webhook' && name !== undefined ? { kind: 'webhook', name, method } : undefined;
}

/** Returns the slug of a specification, or the name of a file of the space. Slugs contain no slash. */
function getSpecificationName(reference: Record<string, unknown>): string | undefined {
  const file = getText(reference, 'file');
  return getText(reference, 'spec') ?? (file === undefined ? undefined : `${filePrefix}${file}`);
}

const filePrefix = 'files/';

/** Returns the id in a name such as `files/file_x`, which identifies a file. Undefined for a slug. */
export const getSpecificationFile = (name: string): string | undefined =>
  name.startsWith(filePrefix) ? name.slice(filePrefix.length) : undefined;

function toReferences(node: PageNode): SpecificationReference[] {
  const { ref } = getData(node);
  const spec = typeof ref === 'object' && ref !== null ? getSpecificationName({ ...ref }) : undefined;
  const part = spec === undefined ? undefined : toPart(node);
  return spec === undefined || part === undefined ? [] : [{ node, slug: getAnchor(node), spec, part }];
}

const findAllReferences = (nodes: PageNode[]): SpecificationReference[] =>
  nodes.flatMap((node) =>
    /^(?:openapi-|swagger$)/.test(node.type ?? '')
      ? toReferences(node)
      : [
          ...findAllReferences(getNodes(node)),
          ...(node.fragments ?? []).flatMap((node) => findAllReferences(getNodes(node))),
        ],
  );

/** Maximum number of specification blocks drawn on a page. */
const maxReferences = 1000;

/** Returns the blocks of a document that show parts of specifications, in order. */
export const findReferences = (nodes: PageNode[]): SpecificationReference[] =>
  findAllReferences(nodes).slice(0, maxReferences);
