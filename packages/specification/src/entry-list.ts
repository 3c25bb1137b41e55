import { cleanTitle, slugAllocator, slugify } from '@octavo/markdown';
import type { JsonObject } from './document.ts';
import { isObject, textAt } from './document.ts';
import { SpecificationFault } from './fault.ts';
import type { Operation } from './operations-at.ts';

type EntryKind = 'tag' | 'operation' | 'webhook' | 'model';

/** What a page may be made of, in the order of the pages. */
export interface SpecificationEntry {
  kind: EntryKind;
  /** The place in the list of the tag that an operation belongs to, or that another tag is below. */
  parent: number | null;
  /** Of those with the same parent no two have the same; webhooks and models are counted apart. */
  slug: string;
  title: string;
  /** As it is written, cut short. */
  description: string;
  icon: string | null;
  /** As the document has it: of the tag, the operation's id, the webhook, the schema. */
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

export class EntryList {
  readonly entries: SpecificationEntry[] = [];
  readonly #slugs = new Map<string, (slug: string) => string>();

  /** Gives the place of the tag. */
  addTag({ name, value }: { name: string; value: JsonObject }, parent: number | null): number {
    return this.#add({ kind: 'tag', parent, name }, value, { title: name, slug: name });
  }

  addOperation({ method, at, value }: Operation, parent: number | null): void {
    const name = textAt(value, 'operationId') ?? null;
    const title = textAt(value, 'summary') ?? name ?? `${method.toUpperCase()} ${at}`;
    this.#add({ kind: 'operation', parent, name, method, path: at }, value, { title, slug: name ?? `${method} ${at}` });
  }

  addWebhook({ method, at, value }: Operation): void {
    const title = textAt(value, 'summary') ?? at;
    this.#add({ kind: 'webhook', parent: null, name: at, method }, value, { title, slug: at });
  }

  addModel(name: string, schema: unknown): void {
    const value = isObject(schema) ? schema : {};
    const title = textAt(value, 'title') ?? name;
    this.#add({ kind: 'model', parent: null, name }, value, { title, slug: name });
  }

  #add(entry: Described, value: JsonObject, usual: { title: string; slug: string }): number {
    if (this.entries.length >= maxEntries)
      throw new SpecificationFault(`It has more than ${maxEntries} tags, operations, webhooks and models.`);
    const title = cleanTitle(textAt(value, 'x-page-title') ?? textAt(value, 'x-displayName') ?? usual.title);
    const description = textAt(value, 'x-page-description') ?? textAt(value, 'description') ?? '';
    return (
      this.entries.push({
        method: null,
        path: null,
        ...entry,
        name: entry.name === null ? null : cut(entry.name, maxNameLength),
        slug: this.#freeSlug(entry, textAt(value, 'x-page-slug') ?? usual.slug),
        title: title === '' ? cut(usual.slug, maxNameLength) : title,
        description: cut(description, maxDescriptionLength),
        icon: textAt(value, 'x-page-icon')?.slice(0, 100) ?? null,
        isDeprecated: value.deprecated === true,
      }) - 1
    );
  }

  #freeSlug({ kind, parent }: Described, wanted: string): string {
    const group = kind === 'webhook' || kind === 'model' ? kind : String(parent);
    const allocate = this.#slugs.get(group) ?? slugAllocator();
    this.#slugs.set(group, allocate);
    return allocate(slugify(wanted));
  }
}

/** Without half a character at the end, and without what no text of the database may hold. */
const cut = (text: string, length: number): string => text.slice(0, length).toWellFormed().replaceAll('\0', '').trim();
