import {
  formatPath,
  getOwn,
  getPointer,
  isObject,
  type JsonObject,
  methods,
  type OpenAPIDocument,
  objectAt,
  resolveLocal,
  SpecificationFault,
} from './document.ts';
import type { IndexedDocument } from './indexed-document.ts';

export interface Operation {
  method: string;
  /** The path, or the name of the webhook. */
  at: string;
  tag: string | undefined;
  value: JsonObject;
}

export const isHidden = (value: unknown): boolean =>
  isObject(value) && (value['x-internal'] === true || value['x-gitbook-ignore'] === true);

/** Returns the visible operations of all paths or webhooks, in the document's order. */
export const operationsAt = (document: OpenAPIDocument, key: string): Operation[] =>
  Object.entries(objectAt(document, key)).flatMap(([at, item]) => {
    if (key === 'paths' && at.startsWith('x-')) return [];
    const resolved = resolveLocal(document, item) ?? {};
    if (!isObject(resolved)) throw new SpecificationFault(`${formatPath([key, at])} must be an object.`);
    return isHidden(resolved) ? [] : getOperations(resolved, key, at);
  });

const getOperations = (item: JsonObject, key: string, at: string): Operation[] =>
  Object.keys(item)
    .filter((method) => methods.includes(method))
    .flatMap((method) => {
      const value = getOwn(item, method);
      if (!isObject(value)) throw new SpecificationFault(`${formatPath([key, at, method])} must be an object.`);
      return isHidden(value) ? [] : [{ method, at, tag: getFirstTag(value), value }];
    });

/** Returns the first tag. An operation has one page, under that tag. */
function getFirstTag(operation: JsonObject): string | undefined {
  const tags = getOwn(operation, 'tags');
  const first: unknown = Array.isArray(tags) ? tags[0] : undefined;
  return typeof first === 'string' ? first : undefined;
}

/** The parts of a specification to extract. */
export interface WantedParts {
  operations: { path: string; method: string }[];
  webhooks: { name: string; method: string }[];
  /** The names of models. */
  schemas: string[];
}

/** Limits of the excerpt for one page: bytes of JSON, and parts. */
const maxBytes = 4 * 1024 * 1024;
const maxExcerptParts = 20_000;

/** Sets an own property, even if objects inherit its name. */
function setAt(object: JsonObject, keys: readonly string[], value: unknown): void {
  const [key = '', ...rest] = keys;
  if (rest.length === 0) {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  if (!isObject(getOwn(object, key))) setAt(object, [key], {});
  const inner = getOwn(object, key);
  if (isObject(inner)) setAt(inner, rest, value);
}

class Excerpt {
  readonly document: JsonObject = {};
  readonly #from: IndexedDocument;
  readonly #seen = new Set<string>();
  readonly #waiting: string[][] = [];
  readonly #isWhole: boolean;
  #left = maxBytes;

  constructor(from: IndexedDocument, isWhole: boolean) {
    this.#from = from;
    this.#isWhole = isWhole;
  }

  /** Adds a part and everything it refers to, nearest first, up to the limits. */
  want(pointer: readonly string[]): void {
    const part = this.#from.partAt(pointer);
    const name = JSON.stringify(part?.keys);
    if (part === undefined || this.#seen.has(name) || this.#seen.size >= maxExcerptParts) return;
    this.#seen.add(name);
    if (part.bytes > this.#left) return;
    this.#left -= part.bytes;
    this.#waiting.push(part.keys);
  }

  /** Reads the queued parts. `choose` selects the content of a value that is copied. */
  take(choose: (value: unknown, keys: readonly string[]) => unknown = (value) => value): void {
    for (let keys = this.#waiting.shift(); keys !== undefined; keys = this.#waiting.shift()) {
      const value = choose(this.#from.read(keys), keys);
      setAt(this.document, keys, value);
      if (this.#isWhole) this.#follow(value);
      else if (isObject(value)) this.#follow({ $ref: getOwn(value, '$ref') });
    }
  }

  #follow(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#follow(item);
    if (!isObject(value)) return;
    for (const [key, item] of Object.entries(value)) {
      const pointer = key === '$ref' && typeof item === 'string' ? getPointer(item) : undefined;
      if (key === 'discriminator' && isObject(item)) this.#followMapping(getOwn(item, 'mapping'));
      if (pointer === undefined) this.#follow(item);
      else this.want(pointer);
    }
  }

  /** Adds the schemas that a discriminator names, by reference or by name. */
  #followMapping(mapping: unknown): void {
    for (const target of Object.values(isObject(mapping) ? mapping : {}).map(String))
      this.want(getPointer(target) ?? ['components', 'schemas', target]);
  }
}

/**
 * Extracts parts of a document and everything they refer to, up to the limits. References beyond them stay unresolved.
 * The time depends on the size of the parts, not of the document.
 */
export function getExcerpt(from: IndexedDocument, parts: WantedParts): JsonObject {
  const excerpt = new Excerpt(from, true);
  for (const key of ['openapi', 'info', 'servers', 'security', 'x-hideTryItPanel']) excerpt.want([key]);
  excerpt.want(['components', 'securitySchemes']);
  return taken(excerpt, parts);
}

/** Extracts only the names and descriptions of the parts, not what they refer to. */
export const getHeads = (from: IndexedDocument, parts: WantedParts): JsonObject =>
  taken(new Excerpt(from, false), parts);

function taken(excerpt: Excerpt, { operations, webhooks, schemas }: WantedParts): JsonObject {
  const wanted = new Map<string, Set<string>>();
  const wantMethod = (pointer: string[], method: string) => {
    const name = JSON.stringify(pointer);
    wanted.set(name, (wanted.get(name) ?? new Set()).add(method));
    excerpt.want(pointer);
  };
  for (const { path, method } of operations) wantMethod(['paths', path], method);
  for (const { name, method } of webhooks)
    for (const key of ['webhooks', 'x-webhooks']) wantMethod([key, name], method);
  for (const name of schemas) excerpt.want(['components', 'schemas', name]);
  excerpt.take((value, keys) => {
    const kept = wanted.get(JSON.stringify(keys));
    if (kept === undefined || !isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => !methods.includes(key) || kept.has(key)));
  });
  return excerpt.document;
}

/** Returns an operation of a path or webhook, with references resolved, and its path item. */
export function operationAt(
  document: JsonObject,
  { key, name, method }: { key: string; name: string; method: string },
): { item: JsonObject; operation: JsonObject } | undefined {
  const all = getOwn(document, key);
  const item = isObject(all) ? resolveLocal(document, getOwn(all, name)) : undefined;
  const operation = isObject(item) && methods.includes(method) ? getOwn(item, method) : undefined;
  return isObject(item) && isObject(operation) ? { item, operation } : undefined;
}
