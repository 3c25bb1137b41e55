import {
  findFirstItem,
  findListEnd,
  findValueEnd,
  isObjectAt,
  type JsonExtent,
  parseExtent,
  type Search,
  visitMembers,
} from './json-extents.ts';

interface Part extends JsonExtent {
  members?: Map<string, Part>;
}

/** The maximum number of indexed parts. Parts below the last indexed level are read with their parent. */
const maxParts = 60_000;

/** The indexed parts below these keys are one level deeper than the other indexed parts. */
const deep = new Set(['components']);

/**
 * A specification as bytes, with an index of its paths, webhooks and components. It takes little more memory than its
 * text, and one operation is read without parsing the rest.
 */
export class IndexedDocument {
  readonly #bytes: Uint8Array;
  readonly #root: Part = { start: 0, end: 0 };
  #parts = 0;
  #urls: JsonExtent | undefined;

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /**
   * Indexes the content of a version (`filesystem[0].specification`), as the API returns it, in short steps. Each
   * yields its estimated duration in microseconds.
   */
  static *read(bytes: Uint8Array): Generator<number, IndexedDocument> {
    const document = new IndexedDocument(bytes);
    yield* visitMembers(bytes, 0, (key, index) => document.#readField(key, index));
    return document;
  }

  /** The source of the document, as in the response. */
  get source(): string | undefined {
    const { source } = (this.#urls === undefined ? {} : parseExtent(this.#bytes, this.#urls)) as { source?: unknown };
    return typeof source === 'string' ? source : undefined;
  }

  *#readField(key: string, index: number): Search {
    const end = yield* key === 'filesystem' ? this.#readFiles(index) : findValueEnd(this.#bytes, index);
    if (key === 'urls') this.#urls = { start: index, end };
    return end;
  }

  *#readFiles(list: number): Search {
    const bytes = this.#bytes;
    const file = findFirstItem(bytes, list);
    if (!isObjectAt(bytes, file)) return yield* findValueEnd(bytes, list);
    const end = yield* visitMembers(bytes, file, (key, index) =>
      key === 'specification' ? this.#readPart(this.#root, index, 2) : findValueEnd(bytes, index),
    );
    return yield* findListEnd(bytes, end);
  }

  *#readPart(part: Part, offset: number, levels: number): Search {
    const bytes = this.#bytes;
    part.start = offset;
    if (levels === 0 || !isObjectAt(bytes, offset) || this.#parts > maxParts)
      part.end = yield* findValueEnd(bytes, offset);
    else {
      const members = new Map<string, Part>();
      part.end = yield* visitMembers(bytes, offset, (key, value) => {
        const member: Part = { start: value, end: value };
        this.#parts += 1;
        members.set(key, member);
        return this.#readPart(member, value, levels - 1 + (levels === 2 && deep.has(key) ? 1 : 0));
      });
      if (this.#parts <= maxParts) part.members = members;
    }
    return part.end;
  }

  /** Returns the keys and size of the smallest part that contains a pointer's target, or undefined if there is none. */
  findPart(pointer: readonly string[]): { keys: string[]; bytes: number } | undefined {
    let part = this.#root;
    const keys: string[] = [];
    for (const key of pointer) {
      if (part.members === undefined) break;
      const next = part.members.get(key);
      if (next === undefined) return undefined;
      part = next;
      keys.push(key);
    }
    return keys.length === 0 ? undefined : { keys, bytes: part.end - part.start };
  }

  /** Returns the value at keys that `findPart` returned. */
  read(keys: readonly string[]): unknown {
    const part = keys.reduce<Part | undefined>((from, key) => from?.members?.get(key), this.#root);
    return part === undefined ? undefined : parseExtent(this.#bytes, part);
  }

  /** The memory that the document takes in a cache, in bytes. */
  get bytes(): number {
    return this.#bytes.length + this.#parts * partBytes;
  }
}

/** The memory of one index entry, in bytes. */
const partBytes = 150;
