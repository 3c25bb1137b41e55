import { kindOf, MAX_TAG_LENGTH, readTag } from './tags.ts';

/** Where a tag ends that opens at a line, and the lines of its parts, as `{% else %}`. */
export type Extent = { end: number; parts: number[] };

/** What follows the backticks of a fence holds none. */
const FENCE = /^(`{3,}(?![^`]*`)|~{3,})/;
const DETAILS = /^<details(?: [^<>]*)?>(?:<summary>.*<\/summary>)?$/;
export const detailsOpening = (line: string): boolean => line.length <= MAX_TAG_LENGTH && DETAILS.test(line);

/** The tags of a text, as far as it was read. */
class Tags {
  /** Of all tags that are closed, by the line of their opening. */
  readonly extents = new Map<number, Extent>();
  /** How often each tag stays open (`hint`), or is ended where none is open (`endhint`). */
  readonly faults = new Map<string, number>();
  readonly #open: { name: string; line: number; parts: number[] }[] = [];
  readonly #counts = new Map<string, number>();

  begin(name: string, line: number): void {
    this.#open.push({ name, line, parts: [] });
    this.#count(name, 1);
  }

  close(name: string, line: number): void {
    if ((this.#counts.get(name) ?? 0) === 0) {
      if (name === '<details' || kindOf(name) !== undefined) this.#fault(`end${name}`);
      return;
    }
    for (let top = this.#open.pop(); top !== undefined; top = this.#open.pop()) {
      this.#count(top.name, -1);
      if (top.name === name) {
        this.extents.set(top.line, { end: line, parts: top.parts });
        return;
      }
      this.#staysOpen(top.name);
    }
  }

  part(line: number): void {
    while (kindOf(this.#open.at(-1)?.name ?? '')?.alone === true) this.#count(this.#open.pop()?.name ?? '', -1);
    const top = this.#open.at(-1);
    if (top?.name === 'if') top.parts.push(line);
  }

  end(): this {
    for (const { name } of this.#open) this.#staysOpen(name);
    return this;
  }

  #count(name: string, by: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  #staysOpen(name: string): void {
    if (kindOf(name)?.alone !== true) this.#fault(name);
  }

  #fault(what: string): void {
    this.faults.set(what, (this.faults.get(what) ?? 0) + 1);
  }
}

/** Reads the tags of a text in one pass over its lines. */
export function readExtents(lines: string[]): Pick<Tags, 'extents' | 'faults'> {
  const tags = new Tags();
  let fence = '';
  lines.forEach((whole, line) => {
    const text = bare(whole);
    const marker = FENCE.exec(text)?.[1] ?? '';
    if (fence !== '') {
      if (marker.startsWith(fence) && text === marker) fence = '';
      return;
    }
    if (marker !== '') fence = marker;
    else if (detailsOpening(text)) tags.begin('<details', line);
    else if (text === '</details>') tags.close('<details', line);
    else {
      const name = readTag(text)?.name;
      if (name === undefined) return;
      if (name.startsWith('end')) tags.close(name.slice(3), line);
      else if (name === 'else' || name === 'elseif') tags.part(line);
      else if (kindOf(name) !== undefined) tags.begin(name, line);
    }
  });
  return tags.end();
}

const PREFIX = /^[ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)?/;
/** A line without what holds it in quotes and lists. */
const bare = (line: string): string => {
  const first = line.trimStart().charAt(0);
  return /[{<`~>*+\-\d]/.test(first) ? line.slice(PREFIX.exec(line)?.[0].length ?? 0).trimEnd() : '';
};
