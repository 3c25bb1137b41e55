import { kindOf, MAX_TAG_LENGTH, readTag } from './tags.ts';

/** Where a tag ends that opens at a line, and the lines of its parts, as `{% else %}`. */
export type Extent = { end: number; parts: number[] };

/** What follows the backticks of a fence holds none. */
const FENCE = /^(`{3,}(?![^`]*`)|~{3,})/;
const DETAILS = /^<details(?: [^<>]*)?>(?:<summary>.*<\/summary>)?$/;
export const detailsOpening = (line: string): boolean => line.length <= MAX_TAG_LENGTH && DETAILS.test(line);

/** Finds the tags of a text as it is given its lines, one after the other. */
export class ExtentReader {
  /** Of all tags that are closed, by the line of their opening. */
  readonly extents = new Map<number, Extent>();
  /** How often each tag stays open (`hint`), or is ended where none is open (`endhint`). */
  readonly faults = new Map<string, number>();
  readonly #open: { name: string; line: number; parts: number[] }[] = [];
  readonly #counts = new Map<string, number>();
  #line = 0;
  #fence = '';

  read(whole: string): void {
    const line = this.#line++;
    const text = bare(whole);
    const marker = FENCE.exec(text)?.[1] ?? '';
    if (this.#fence !== '') {
      if (marker.startsWith(this.#fence) && text === marker) this.#fence = '';
    } else if (marker !== '') this.#fence = marker;
    else if (detailsOpening(text)) this.#begin('<details', line);
    else if (text === '</details>') this.#close('<details', line);
    else this.#readTag(readTag(text)?.name, line);
  }

  /** What is still open after the last line stays so. */
  end(): void {
    for (const { name } of this.#open) this.#staysOpen(name);
  }

  #readTag(name: string | undefined, line: number): void {
    if (name === undefined) return;
    if (name.startsWith('end')) this.#close(name.slice(3), line);
    else if (name === 'else' || name === 'elseif') this.#part(line);
    else if (kindOf(name) !== undefined) this.#begin(name, line);
  }

  #begin(name: string, line: number): void {
    this.#open.push({ name, line, parts: [] });
    this.#count(name, 1);
  }

  #close(name: string, line: number): void {
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

  #part(line: number): void {
    while (kindOf(this.#open.at(-1)?.name ?? '')?.alone === true) this.#count(this.#open.pop()?.name ?? '', -1);
    const top = this.#open.at(-1);
    if (top?.name === 'if') top.parts.push(line);
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
export function readExtents(lines: string[]): Pick<ExtentReader, 'extents' | 'faults'> {
  const reader = new ExtentReader();
  for (const line of lines) reader.read(line);
  reader.end();
  return reader;
}

const PREFIX = /^[ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)?/;
/** A line without what holds it in quotes and lists. */
const bare = (line: string): string => {
  const first = line.trimStart().charAt(0);
  return /[{<`~>*+\-\d]/.test(first) ? line.slice(PREFIX.exec(line)?.[0].length ?? 0).trimEnd() : '';
};
