import { eachMember, endOfList, endOfValue, firstItem, isObjectAt, type JsonExtent, valueIn } from './json-extents.ts';

interface Part extends JsonExtent {
  members?: Map<string, Part>;
}

/** A document with more parts is not taken apart further: what is below one of them is read with it. */
const maxParts = 60_000;

/** Below these the parts are one level deeper. */
const deep = new Set(['components']);

/**
 * A specification as the bytes that the API gives, of which it is known where each path, webhook and component stands. A
 * document of megabytes takes no more memory than its text, and one operation is read without the others.
 */
export class IndexedDocument {
  readonly #bytes: Uint8Array;
  readonly #root: Part = { start: 0, end: 0 };
  #parts = 0;
  /** Where the document comes from, as the answer tells it. */
  readonly source: string | undefined;

  /** Of an answer with the content of a version (`filesystem[0].specification`). */
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

  /** The keys to the smallest part that holds what a pointer leads to, and how large that is; undefined where it is none. */
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

  /** What stands at keys that `partAt` gave. */
  read(keys: readonly string[]): unknown {
    const part = keys.reduce<Part | undefined>((from, key) => from?.members?.get(key), this.#root);
    return part === undefined ? undefined : valueIn(this.#bytes, part);
  }

  /** What it takes to keep it. */
  get bytes(): number {
    return this.#bytes.length + this.#parts * partBytes;
  }
}

/** What the place of a part takes, with its key. */
const partBytes = 150;
