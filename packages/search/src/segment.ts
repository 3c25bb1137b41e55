import { ByteReader, ByteWriter, decodeBase64, encodeBase64 } from './bytes.ts';

/**
 * A segment is an immutable part of an index. It has blocks of three kinds: sorted `words`, their `postings` (the
 * sections that contain them), and `pages`. A section is identified by its number in the segment; the sections of a
 * page are consecutive, and pages are sorted by space and id.
 */
export type BlockKind = 'words' | 'postings' | 'pages';

export interface SegmentBlock {
  kind: BlockKind;
  number: number;
  data: string;
}

/** The part of a segment that every search reads. */
export interface SegmentHeader {
  sections: number;
  pages: number;
  /** The spaces with the number of their first page, in order. */
  spaces: [space: string, firstPage: number][];
  /** The number of sections of each page, in base64. */
  counts: string;
  /** Distinct conditions. */
  conditions: string[];
  /** Distinct sets of conditions. Each set has the numbers of its conditions. The first set is empty. */
  sets: number[][];
  /** The first section of each run of sections with the same conditions, and the number of their set. */
  runs: [section: number, set: number][];
  /** The first word of each block of words. */
  words: string[];
  /** For each block of pages, the number of its space and the id of its first page. */
  pageBlocks: [space: number, page: string][];
  postingsLength: number;
}

export interface Segment {
  header: SegmentHeader;
  blocks: SegmentBlock[];
}

/** A page of a segment. */
export interface IndexedPage {
  space: string;
  page: string;
  /** The key of the page's texts. */
  key: string;
  title: string;
  /** The conditions of the page and its ancestors. */
  conditions: string[];
}

const encoder = new TextEncoder();

const wordBlockSize = 12_000;
const postingBlockSize = 36_000;
const pagesPerBlock = 256;

type StoredPage = [space: number, page: string, key: string, title: string, set: number];

/** Writes a segment: first its pages in order, then its words in order. */
export class SegmentWriter {
  readonly #pages: StoredPage[] = [];
  readonly #spaces: [string, number][] = [];
  readonly #counts = new ByteWriter();
  readonly #conditions = new Map<string, number>();
  readonly #listedSets: number[][] = [[]];
  readonly #sets = new Map<string, number>([['[]', 0]]);
  readonly #runs: [number, number][] = [];
  readonly #postings = new ByteWriter();
  readonly #wordBlocks: { first: string; bytes: Uint8Array }[] = [];
  #block = new ByteWriter();
  #first = '';
  #previous = '';
  #sections = 0;

  /** Adds a page and returns the number of its first section. `sections` has the conditions of each section. */
  addPage({ space, page, key, title, conditions }: IndexedPage, sections: string[][]): number {
    if (this.#spaces.at(-1)?.[0] !== space) this.#spaces.push([space, this.#pages.length]);
    this.#pages.push([this.#spaces.length - 1, page, key, title, this.#getSet(conditions)]);
    this.#counts.writeNumber(sections.length);
    const first = this.#sections;
    for (const each of sections) {
      const set = this.#getSet(each);
      if ((this.#runs.at(-1)?.[1] ?? 0) !== set) this.#runs.push([this.#sections, set]);
      this.#sections += 1;
    }
    return first;
  }

  #getSet(conditions: string[]): number {
    const json = JSON.stringify(conditions);
    const cached = this.#sets.get(json);
    if (cached !== undefined) return cached;
    this.#sets.set(json, this.#listedSets.length);
    return this.#listedSets.push(conditions.map((each) => this.#getConditionNumber(each))) - 1;
  }

  #getConditionNumber(condition: string): number {
    const number = this.#conditions.get(condition) ?? this.#conditions.size;
    this.#conditions.set(condition, number);
    return number;
  }

  /** Adds a word that occurs in `count` sections. */
  addWord(word: string, count: number, postings: ArrayLike<number>): void {
    if (this.#block.length > wordBlockSize) this.#endBlock();
    if (this.#block.length === 0) {
      this.#first = word;
      this.#previous = '';
      this.#block.writeNumber(this.#postings.length);
    }
    const shared = countSharedCharacters(this.#previous, word);
    const suffix = encoder.encode(word.slice(shared));
    this.#block.writeNumber(shared);
    this.#block.writeNumber(suffix.length);
    this.#block.writeBytes(suffix);
    this.#block.writeNumber(count);
    this.#block.writeNumber(postings.length);
    this.#postings.writeBytes(postings);
    this.#previous = word;
  }

  #endBlock(): void {
    this.#wordBlocks.push({ first: this.#first, bytes: this.#block.getBytes().slice() });
    this.#block = new ByteWriter();
  }

  finish(): Segment {
    if (this.#block.length > 0) this.#endBlock();
    const postings = this.#postings.getBytes();
    const pageBlocks = splitIntoChunks(this.#pages, pagesPerBlock);
    return {
      header: {
        sections: this.#sections,
        pages: this.#pages.length,
        spaces: this.#spaces,
        counts: encodeBase64(this.#counts.getBytes()),
        conditions: [...this.#conditions.keys()],
        sets: this.#listedSets,
        runs: this.#runs,
        words: this.#wordBlocks.map(({ first }) => first),
        pageBlocks: pageBlocks.map(([first]) => [first?.[0] ?? 0, first?.[1] ?? '']),
        postingsLength: postings.length,
      },
      blocks: [
        ...this.#wordBlocks.map(
          ({ bytes }, number): SegmentBlock => ({ kind: 'words', number, data: encodeBase64(bytes) }),
        ),
        ...splitBytes(postings).map(
          (bytes, number): SegmentBlock => ({ kind: 'postings', number, data: encodeBase64(bytes) }),
        ),
        ...pageBlocks.map((pages, number): SegmentBlock => ({ kind: 'pages', number, data: JSON.stringify(pages) })),
      ],
    };
  }
}

/** Returns the number of characters that two words share, without half of a surrogate pair. */
function countSharedCharacters(one: string, other: string): number {
  let shared = 0;
  while (shared < one.length && shared < other.length && one.charCodeAt(shared) === other.charCodeAt(shared))
    shared += 1;
  const last = one.charCodeAt(shared - 1);
  return shared > 0 && last >= 0xd800 && last < 0xdc00 ? shared - 1 : shared;
}

function splitIntoChunks<Item>(items: Item[], size: number): Item[][] {
  const parts: Item[][] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
}

const splitBytes = (bytes: Uint8Array): Uint8Array[] => {
  const parts: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += postingBlockSize)
    parts.push(bytes.subarray(start, start + postingBlockSize));
  return parts;
};

/** The words of a block, sorted, with the number of their sections and the range of their postings. */
export interface WordBlock {
  words: string[];
  counts: number[];
  /** The start of each word's postings, followed by the end of the last word's postings. */
  offsets: number[];
}

export function decodeWords(data: string): WordBlock {
  const reader = new ByteReader(decodeBase64(data));
  const block: WordBlock = { words: [], counts: [], offsets: [reader.readNumber()] };
  const decoder = new TextDecoder();
  let previous = '';
  while (!reader.isAtEnd) {
    const shared = reader.readNumber();
    const suffix = decoder.decode(reader.readBytes(reader.readNumber()));
    previous = previous.slice(0, shared) + suffix;
    block.words.push(previous);
    block.counts.push(reader.readNumber());
    block.offsets.push((block.offsets.at(-1) ?? 0) + reader.readNumber());
  }
  return block;
}

/** Returns the numbers of the blocks with a range of postings. */
export function getPostingBlocks(start: number, end: number): number[] {
  if (start === end) return [];
  const first = Math.floor(start / postingBlockSize);
  const last = Math.floor((end - 1) / postingBlockSize);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Returns a range of postings; `getBlock` returns the bytes of a block. */
export function slicePostings(start: number, end: number, getBlock: (number: number) => Uint8Array): Uint8Array {
  if (start === end) return new Uint8Array();
  const first = Math.floor(start / postingBlockSize);
  const from = start - first * postingBlockSize;
  if (from + end - start <= postingBlockSize) return getBlock(first).subarray(from, from + end - start);
  const bytes = new Uint8Array(end - start);
  let length = 0;
  for (const number of getPostingBlocks(start, end)) {
    const part = getBlock(number).subarray(number === first ? from : 0);
    bytes.set(part.subarray(0, end - start - length), length);
    length += part.length;
  }
  return bytes;
}

/** A block of a segment. */
export interface BlockName {
  segment: string;
  kind: BlockKind;
  number: number;
}

/** The blocks of an index. `load` makes blocks available to the other functions. */
export interface BlockReader {
  load(blocks: BlockName[]): Promise<void>;
  getWords(segment: string, number: number): WordBlock;
  getPostings(segment: string, number: number): Uint8Array;
  getPages(segment: string, number: number): IndexedPage[];
}

/** A segment's header, decoded. */
export interface SegmentIndex {
  header: SegmentHeader;
  /** The first section of each page, and the number of sections. */
  firstSections: Uint32Array;
  /** The page of each section. */
  pageOf: Uint32Array;
}

export function decodeHeader(header: SegmentHeader): SegmentIndex {
  const reader = new ByteReader(decodeBase64(header.counts));
  const firstSections = new Uint32Array(header.pages + 1);
  const pageOf = new Uint32Array(header.sections);
  let section = 0;
  for (let page = 0; page < header.pages; page += 1) {
    firstSections[page] = section;
    const count = reader.readNumber();
    pageOf.fill(page, section, section + count);
    section += count;
  }
  firstSections[header.pages] = section;
  return { header, firstSections, pageOf };
}

export const getPageBlock = (page: number): number => Math.floor(page / pagesPerBlock);

/** Returns the conditions of a set. */
export const getConditionSet = ({ conditions, sets }: SegmentHeader, set: number): string[] =>
  (sets[set] ?? []).map((number) => conditions[number] ?? '');

export function decodePages(data: string, header: SegmentHeader): IndexedPage[] {
  return (JSON.parse(data) as StoredPage[]).map(([space, page, key, title, set]) => ({
    space: header.spaces[space]?.[0] ?? '',
    page,
    key,
    title,
    conditions: getConditionSet(header, set),
  }));
}

/** Returns the page with this number from its block. */
export const getPageOfBlock = (block: IndexedPage[], page: number): IndexedPage | undefined =>
  block[page % pagesPerBlock];

/** Counts the items at the start of a list that pass a test, by binary search. No item after them may pass. */
export function countFirst<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isFirst(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the number of the block that has the page, if the segment has it. */
export function findPageBlock({ spaces, pageBlocks }: SegmentHeader, space: string, page: string): number | undefined {
  const number = countFirst(spaces, ([id]) => id < space);
  if (spaces[number]?.[0] !== space) return undefined;
  const next = countFirst(pageBlocks, ([each, first]) => each < number || (each === number && first <= page));
  return Math.max(0, next - 1);
}

/** Returns the number of a page in the segment. */
export function findPage(block: IndexedPage[], number: number, space: string, page: string): number | undefined {
  const index = countFirst(block, (each) => each.space < space || (each.space === space && each.page < page));
  const indexedPage = block[index];
  return indexedPage?.space === space && indexedPage.page === page ? number * pagesPerBlock + index : undefined;
}

/** Sets of numbers as bits, in base64. */
export function encodeBits(numbers: Iterable<number>, size: number): string {
  const bits = new Uint8Array(Math.ceil(size / 8));
  for (const number of numbers) bits[number >> 3] = (bits[number >> 3] ?? 0) | (1 << (number & 7));
  return encodeBase64(bits);
}

export function decodeBits(text: string): number[] {
  const numbers: number[] = [];
  for (const [index, byte] of decodeBase64(text).entries())
    for (let bit = 0; bit < 8; bit += 1) if (byte & (1 << bit)) numbers.push(index * 8 + bit);
  return numbers;
}
