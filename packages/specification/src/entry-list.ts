import { cleanTitle, createSlugAllocator, slugify } from '@octavo/markdown';
import {
  formatPath,
  getObjectAt,
  getOwnProperty,
  getTextAt,
  isObject,
  type JsonObject,
  type OpenAPIDocument,
  SpecificationFault,
} from './document.ts';
import { isHidden, listOperations, type Operation } from './excerpt.ts';

const maxTagLevels = 5;

interface Tag {
  name: string;
  value: JsonObject;
  /** The name of the parent tag. */
  parent: string | undefined;
}

/**
 * Returns the tags, each followed by its operations, then operations without a tag, webhooks and models. @throws
 * SpecificationFault
 */
export function getEntries(document: OpenAPIDocument): SpecificationEntry[] {
  const list = new EntryList();
  const operations = listOperations(document, 'paths');
  addTaggedOperations(list, getTags(document, operations), operations);
  for (const operation of operations) if (operation.tag === undefined) list.addOperation(operation, null);
  for (const key of ['webhooks', 'x-webhooks']) {
    for (const webhook of listOperations(document, key)) list.addWebhook(webhook);
  }
  const schemas = getObjectAt(getObjectAt(document, 'components'), 'schemas', ['components']);
  for (const [name, schema] of Object.entries(schemas)) if (!isHidden(schema)) list.addModel(name, schema);
  return list.entries;
}

/** Returns the declared tags in order, then the tags that only operations name. */
function getTags(document: OpenAPIDocument, operations: Operation[]): Map<string, Tag> {
  const declared = getOwnProperty(document, 'tags') ?? [];
  if (!Array.isArray(declared)) throw new SpecificationFault('tags must be a list.');
  const tags = new Map<string, Tag>();
  for (const [index, value] of declared.entries()) {
    const name = isObject(value) ? getTextAt(value, 'name') : undefined;
    if (!isObject(value) || name === undefined)
      throw new SpecificationFault(`${formatPath(['tags', index])} must be an object with a name.`);
    tags.set(name, { name, value, parent: getTextAt(value, 'parent') ?? getTextAt(value, 'x-parent') });
  }
  for (const { tag } of operations) {
    if (tag !== undefined && !tags.has(tag)) tags.set(tag, { name: tag, value: {}, parent: undefined });
  }
  return tags;
}

function addTaggedOperations(list: EntryList, tags: Map<string, Tag>, operations: Operation[]): void {
  const ofTag = Map.groupBy(operations, ({ tag }) => tag);
  const tagsByParent = Map.groupBy(tags.values(), ({ parent }) => parent);
  const knownTags = new Set<string>();
  const isShown = (tag: Tag): boolean =>
    !isHidden(tag.value) &&
    (ofTag.has(tag.name) || tagsByParent.has(tag.name) || getTextAt(tag.value, 'description') !== undefined);

  function addTagTree(tag: Tag, parent: number | null, level: number): void {
    if (knownTags.has(tag.name) || !isShown(tag)) return;
    knownTags.add(tag.name);
    const tagEntry = list.addTag(tag, parent);
    for (const operation of ofTag.get(tag.name) ?? []) list.addOperation(operation, tagEntry);
    if (level === maxTagLevels) return;
    for (const child of tagsByParent.get(tag.name) ?? []) addTagTree(child, tagEntry, level + 1);
  }

  for (const tag of tags.values()) if (tag.parent === undefined || !tags.has(tag.parent)) addTagTree(tag, null, 1);
  // Adds the remaining tags: those in a cycle, and those nested too deep.
  for (const tag of tags.values()) addTagTree(tag, null, 1);
}

type EntryKind = 'tag' | 'operation' | 'webhook' | 'model';

/** An entry that a page can be generated from, in the order of the pages. */
export interface SpecificationEntry {
  kind: EntryKind;
  /** The index of the parent tag in the list. */
  parent: number | null;
  /** The slug, unique among entries with the same parent. Webhooks and models are counted separately. */
  slug: string;
  title: string;
  /** The description in the document, truncated. */
  description: string;
  icon: string | null;
  /** The name of the tag, webhook or schema, or the ID of the operation, as written in the document. */
  name: string | null;
  method: string | null;
  path: string | null;
  isDeprecated: boolean;
}

const maxEntries = 10_000;
const maxDescriptionLength = 500;
const maxNameLength = 500;

type Described = Pick<SpecificationEntry, 'kind' | 'parent' | 'name'> &
  Partial<Pick<SpecificationEntry, 'method' | 'path'>>;

class EntryList {
  readonly entries: SpecificationEntry[] = [];
  readonly #slugs = new Map<string, (slug: string) => string>();

  /** Adds a tag and returns its index. */
  addTag({ name, value }: { name: string; value: JsonObject }, parent: number | null): number {
    return this.#add({ kind: 'tag', parent, name }, value, { title: name, slug: name });
  }

  addOperation({ method, path, value }: Operation, parent: number | null): void {
    const name = getTextAt(value, 'operationId') ?? null;
    const title = getTextAt(value, 'summary') ?? name ?? `${method.toUpperCase()} ${path}`;
    this.#add({ kind: 'operation', parent, name, method, path }, value, {
      title,
      slug: name ?? `${method} ${path}`,
    });
  }

  addWebhook({ method, path, value }: Operation): void {
    const title = getTextAt(value, 'summary') ?? path;
    this.#add({ kind: 'webhook', parent: null, name: path, method }, value, { title, slug: path });
  }

  addModel(name: string, schema: unknown): void {
    const value = isObject(schema) ? schema : {};
    const title = getTextAt(value, 'title') ?? name;
    this.#add({ kind: 'model', parent: null, name }, value, { title, slug: name });
  }

  #add(entry: Described, value: JsonObject, usual: { title: string; slug: string }): number {
    if (this.entries.length >= maxEntries)
      throw new SpecificationFault(
        `The specification has more than ${maxEntries} tags, operations, webhooks and models.`,
      );
    const title = cleanTitle(getTextAt(value, 'x-page-title') ?? getTextAt(value, 'x-displayName') ?? usual.title);
    const description = getTextAt(value, 'x-page-description') ?? getTextAt(value, 'description') ?? '';
    return (
      this.entries.push({
        method: null,
        path: null,
        ...entry,
        name: entry.name === null ? null : truncate(entry.name, maxNameLength),
        slug: this.#allocateSlug(entry, getTextAt(value, 'x-page-slug') ?? usual.slug),
        title: title === '' ? truncate(usual.slug, maxNameLength) : title,
        description: truncate(description, maxDescriptionLength),
        icon: getTextAt(value, 'x-page-icon')?.slice(0, 100) ?? null,
        isDeprecated: value.deprecated === true,
      }) - 1
    );
  }

  #allocateSlug({ kind, parent }: Described, slug: string): string {
    const group = kind === 'webhook' || kind === 'model' ? kind : String(parent);
    const allocate = this.#slugs.get(group) ?? createSlugAllocator();
    this.#slugs.set(group, allocate);
    return allocate(slugify(slug));
  }
}

/** Truncates without splitting a surrogate pair, and removes characters that the database cannot store. */
const truncate = (text: string, length: number): string =>
  text.slice(0, length).toWellFormed().replaceAll('\0', '').trim();
