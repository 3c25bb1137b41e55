import {
  formatPath,
  getObjectAt,
  getOwnProperty,
  getPointer,
  isObject,
  type JsonObject,
  methods,
  type OpenAPIDocument,
  resolveLocal,
  SpecificationFault,
} from './document.ts';
import type { IndexedDocument } from './indexed-document.ts';

export interface Operation {
  method: string;
  /** The path, or the name of the webhook. */
  path: string;
  tag: string | undefined;
  value: JsonObject;
}

export const isHidden = (value: unknown): boolean =>
  isObject(value) && (value['x-internal'] === true || value['x-gitbook-ignore'] === true);

/** Returns the visible operations of all paths or webhooks, in the document's order. */
export const listOperations = (document: OpenAPIDocument, key: string): Operation[] =>
  Object.entries(getObjectAt(document, key)).flatMap(([path, item]) => {
    if (key === 'paths' && path.startsWith('x-')) return [];
    const pathItem = resolveLocal(document, item) ?? {};
    if (!isObject(pathItem)) throw new SpecificationFault(`${formatPath([key, path])} must be an object.`);
    return isHidden(pathItem) ? [] : getOperations(pathItem, key, path);
  });

const getOperations = (item: JsonObject, key: string, path: string): Operation[] =>
  Object.keys(item)
    .filter((method) => methods.includes(method))
    .flatMap((method) => {
      const value = getOwnProperty(item, method);
      if (!isObject(value)) throw new SpecificationFault(`${formatPath([key, path, method])} must be an object.`);
      return isHidden(value) ? [] : [{ method, path, tag: getFirstTag(value), value }];
    });

/** Returns the first tag. An operation has one page, under that tag. */
function getFirstTag(operation: JsonObject): string | undefined {
  const tags = getOwnProperty(operation, 'tags');
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
/** The number of bytes of a part that are read in a microsecond. */
const bytesPerMicrosecond = 50;

/** Sets an own property, even if objects inherit its name. */
function setValueAt(object: JsonObject, keys: readonly string[], value: unknown): void {
  const [key = '', ...rest] = keys;
  if (rest.length === 0) {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  if (!isObject(getOwnProperty(object, key))) setValueAt(object, [key], {});
  const inner = getOwnProperty(object, key);
  if (isObject(inner)) setValueAt(inner, rest, value);
}

class Excerpt {
  readonly document: JsonObject = {};
  readonly #from: IndexedDocument;
  readonly #seenKeys = new Set<string>();
  readonly #pending: { keys: string[]; bytes: number }[] = [];
  readonly #isComplete: boolean;
  #remainingBytes = maxBytes;

  constructor(from: IndexedDocument, isComplete: boolean) {
    this.#from = from;
    this.#isComplete = isComplete;
  }

  /** Adds a part and everything it refers to, nearest first, up to the limits. */
  addPointer(pointer: readonly string[]): void {
    const part = this.#from.findPart(pointer);
    const name = JSON.stringify(part?.keys);
    if (part === undefined || this.#seenKeys.has(name) || this.#seenKeys.size >= maxExcerptParts) return;
    this.#seenKeys.add(name);
    if (part.bytes > this.#remainingBytes) return;
    this.#remainingBytes -= part.bytes;
    this.#pending.push(part);
  }

  /** Copies the queued parts to the excerpt. `choose` returns the content that is copied for a part. */
  *readQueued(choose: (value: unknown, keys: readonly string[]) => unknown): Generator<number, void> {
    for (let part = this.#pending.shift(); part !== undefined; part = this.#pending.shift()) {
      const { keys, bytes } = part;
      const value = choose(this.#from.read(keys), keys);
      setValueAt(this.document, keys, value);
      if (this.#isComplete) this.#follow(value);
      else if (isObject(value)) this.#follow({ $ref: getOwnProperty(value, '$ref') });
      yield Math.ceil(bytes / bytesPerMicrosecond);
    }
  }

  #follow(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#follow(item);
    if (!isObject(value)) return;
    for (const [key, item] of Object.entries(value)) {
      const pointer = key === '$ref' && typeof item === 'string' ? getPointer(item) : undefined;
      if (key === 'discriminator' && isObject(item)) this.#followMapping(getOwnProperty(item, 'mapping'));
      if (pointer === undefined) this.#follow(item);
      else this.addPointer(pointer);
    }
  }

  /** Adds the schemas that a discriminator names, by reference or by name. */
  #followMapping(mapping: unknown): void {
    for (const target of Object.values(isObject(mapping) ? mapping : {}).map(String))
      this.addPointer(getPointer(target) ?? ['components', 'schemas', target]);
  }
}

/** A generator that returns a document. Each step is short and yields its estimated duration in microseconds. */
type ExcerptSteps = Generator<number, JsonObject>;

/**
 * Extracts parts of a document and everything they refer to, up to the limits. References to parts beyond the limits
 * stay unresolved. The time depends on the size of the parts, not of the document.
 */
export function* getExcerpt(from: IndexedDocument, parts: WantedParts): ExcerptSteps {
  const excerpt = new Excerpt(from, true);
  for (const key of ['openapi', 'info', 'servers', 'security', 'x-hideTryItPanel']) excerpt.addPointer([key]);
  excerpt.addPointer(['components', 'securitySchemes']);
  return yield* selectParts(excerpt, parts);
}

/** Extracts only the names and descriptions of the parts, without the schemas that they refer to. */
export const getHeads = (from: IndexedDocument, parts: WantedParts): ExcerptSteps =>
  selectParts(new Excerpt(from, false), parts);

function* selectParts(excerpt: Excerpt, { operations, webhooks, schemas }: WantedParts): ExcerptSteps {
  const keysByParent = new Map<string, Set<string>>();
  const addMethod = (pointer: string[], method: string) => {
    const name = JSON.stringify(pointer);
    keysByParent.set(name, (keysByParent.get(name) ?? new Set()).add(method));
    excerpt.addPointer(pointer);
  };
  for (const { path, method } of operations) addMethod(['paths', path], method);
  for (const { name, method } of webhooks) for (const key of ['webhooks', 'x-webhooks']) addMethod([key, name], method);
  for (const name of schemas) excerpt.addPointer(['components', 'schemas', name]);
  yield* excerpt.readQueued((value, keys) => {
    const keptKeys = keysByParent.get(JSON.stringify(keys));
    if (keptKeys === undefined || !isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => !methods.includes(key) || keptKeys.has(key)));
  });
  return excerpt.document;
}

/** Returns an operation of a path or webhook, with references resolved, and its path item. */
export function findOperation(
  document: JsonObject,
  { key, name, method }: { key: string; name: string; method: string },
): { item: JsonObject; operation: JsonObject } | undefined {
  const all = getOwnProperty(document, key);
  const item = isObject(all) ? resolveLocal(document, getOwnProperty(all, name)) : undefined;
  const operation = isObject(item) && methods.includes(method) ? getOwnProperty(item, method) : undefined;
  return isObject(item) && isObject(operation) ? { item, operation } : undefined;
}
