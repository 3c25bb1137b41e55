import { eachMember, endOfList, endOfValue, firstItem, isObjectAt, type JsonExtent, valueIn } from './json-extents.ts';

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
  constructor(answer: Uint8Array) {
    this.#bytes = answer;
    let urls: JsonExtent | undefined;
    eachMember(answer, 0, (key, at) => {
      const end = key === 'filesystem' ? this.#readFiles(at) : endOfValue(answer, at);
      if (key === 'urls') urls = { start: at, end };
      return end;
    });
    const { source } = (urls === undefined ? {} : valueIn(answer, urls)) as { source?: unknown };
    this.source = typeof source === 'string' ? source : undefined;
  }

  #readFiles(list: number): number {
    const bytes = this.#bytes;
    const file = firstItem(bytes, list);
    if (!isObjectAt(bytes, file)) return endOfValue(bytes, list);
    const end = eachMember(bytes, file, (key, at) =>
      key === 'specification' ? this.#readPart(this.#root, at, 2) : endOfValue(bytes, at),
    );
    return endOfList(bytes, end);
  }

  #readPart(part: Part, at: number, levels: number): number {
    const bytes = this.#bytes;
    part.start = at;
    if (levels === 0 || !isObjectAt(bytes, at) || this.#parts > maxParts) part.end = endOfValue(bytes, at);
    else {
      const members = new Map<string, Part>();
      part.end = eachMember(bytes, at, (key, value) => {
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
  partAt(pointer: readonly string[]): { keys: string[]; bytes: number } | undefined {
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

  /** Returns the value at keys that `partAt` returned. */
  read(keys: readonly string[]): unknown {
    const part = keys.reduce<Part | undefined>((from, key) => from?.members?.get(key), this.#root);
    return part === undefined ? undefined : valueIn(this.#bytes, part);
  }

  /** The memory that caching it takes. */
  get bytes(): number {
    return this.#bytes.length + this.#parts * partBytes;
  }
}

/** The memory of a part's index entry. */
const partBytes = 150;
