import {
  eachMember,
  findFirstItem,
  findListEnd,
  findValueEnd,
  isObjectAt,
  type JsonExtent,
  parseExtent,
} from './json-extents.ts';

interface Part extends JsonExtent {
  members?: Map<string, Part>;
}

/** The maximum number of indexed parts. Parts below the last indexed level are read with their parent. */
const maxParts = 60_000;

/** Under these keys, parts are one level deeper. */
const deep = new Set(['components']);

/**
 * A specification as bytes, with an index of its paths, webhooks and components. It takes no more memory than its text,
 * and one operation is read without parsing the rest.
 */
export class IndexedDocument {
  readonly #bytes: Uint8Array;
  readonly #root: Part = { start: 0, end: 0 };
  #parts = 0;
  /** The source of the document, as in the response. */
  readonly source: string | undefined;

  /** @param answer A response with the content of a version (`filesystem[0].specification`). */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    let urls: JsonExtent | undefined;
    eachMember(bytes, 0, (key, index) => {
      const end = key === 'filesystem' ? this.#readFiles(index) : findValueEnd(bytes, index);
      if (key === 'urls') urls = { start: index, end };
      return end;
    });
    const { source } = (urls === undefined ? {} : parseExtent(bytes, urls)) as { source?: unknown };
    this.source = typeof source === 'string' ? source : undefined;
  }

  #readFiles(list: number): number {
    const bytes = this.#bytes;
    const file = findFirstItem(bytes, list);
    if (!isObjectAt(bytes, file)) return findValueEnd(bytes, list);
    const end = eachMember(bytes, file, (key, index) =>
      key === 'specification' ? this.#readPart(this.#root, index, 2) : findValueEnd(bytes, index),
    );
    return findListEnd(bytes, end);
  }

  #readPart(part: Part, offset: number, levels: number): number {
    const bytes = this.#bytes;
    part.start = offset;
    if (levels === 0 || !isObjectAt(bytes, offset) || this.#parts > maxParts) part.end = findValueEnd(bytes, offset);
    else {
      const members = new Map<string, Part>();
      part.end = eachMember(bytes, offset, (key, value) => {
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

  /** The memory that caching it takes. */
  get bytes(): number {
    return this.#bytes.length + this.#parts * partBytes;
  }
}

/** The memory of a part's index entry. */
const partBytes = 150;
