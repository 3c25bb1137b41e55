import { ByteReader, ByteWriter, writeNumber } from './bytes.ts';
import type { BlockName, BlockReader, IndexedPage, Segment, SegmentIndex, WordBlock } from './segment.ts';
import { countFirst, getConditionSet, getPostingBlocks, SegmentWriter, slicePostings } from './segment.ts';
import { stopWords } from './stems.ts';
import type { Word } from './words.ts';
import { findWords, isTerm } from './words.ts';

/** A section of a page: its texts, and the conditions under which readers see it. */
export interface SectionToIndex {
  heading: string;
  text: string;
  conditions: string[];
}

/** A page with at least one section. Its title belongs to the first section. */
export interface PageToIndex extends IndexedPage {
  sections: SectionToIndex[];
}

/** Maximum number of positions of a word that are stored for a section. */
const maxPositions = 3;
export const titleFlag = 4;
export const headingFlag = 8;
export const lengthShift = 4;

/** Returns the class, from 0 to 15, of a length in words. */
const getLengthClass = (words: number): number => Math.min(15, Math.round(2 * Math.log2(1 + words / 16)));

/**
 * Returns the words of a title or heading, each with the length of the text, counted in query terms. As in a query,
 * stop words count only if there are no other words, and a compound counts as one term.
 */
function countHeadingWords(text: string): Map<string, number> {
  const words = [...findWords(text)];
  const terms = words.filter(isTerm);
  const count = countDistinctTerms(terms);
  const getLength = (word: Word): number => {
    if (stopWords.has(word.text)) return countDistinct(terms);
    const parts = terms.filter(({ position }) => position >= word.position && position < word.position + word.parts);
    return word.parts > 1 ? Math.max(1, count - countDistinctTerms(parts) + 1) : count;
  };
  return new Map(words.map((word) => [word.text, Math.min(255, getLength(word))]));
}

const countDistinct = (words: Word[]): number => new Set(words.map(({ text }) => text)).size;
const countDistinctTerms = (words: Word[]): number => countDistinct(words.filter(({ text }) => !stopWords.has(text)));

/** Creates a segment of pages at once; see `buildInSteps`. */
export function buildSegment(pages: PageToIndex[]): Segment {
  const steps = buildInSteps(pages);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** Approximate number of characters that are indexed in a microsecond. */
const charactersPerMicrosecond = 2;

/**
 * Creates a segment of pages, sorted by space and id. Each step yields an estimate of its duration in microseconds, so
 * that the work can be interrupted.
 */
export function* buildInSteps(pages: PageToIndex[]): Generator<number, Segment> {
  const sorted = pages.toSorted(comparePages);
  const writer = new SegmentWriter();
  const postings = new PostingsBuilder();
  for (const page of sorted) {
    const first = writer.addPage(
      page,
      page.sections.map(({ conditions }) => conditions),
    );
    for (const [index, section] of page.sections.entries()) {
      postings.addSection(first + index, index === 0 ? page.title : '', section);
      yield section.text.length / charactersPerMicrosecond;
    }
  }
  for (const [word, { count, bytes }] of postings.getSorted()) {
    writer.addWord(word, count, bytes);
    yield 1;
  }
  return writer.finish();
}

/** The postings of a word so far, and its occurrences in the section that is being read. */
interface WordPostings {
  bytes: number[];
  /** Number of sections with the word. */
  count: number;
  /** The last section with the word. */
  section: number;
  /** The first positions in this section. */
  positions: number[];
  /** The length of this section's title and heading, if they contain the word. */
  titleLength: number | undefined;
  headingLength: number | undefined;
}

/** Collects the postings of all words. Encodes each section immediately, because most words occur in few sections. */
class PostingsBuilder {
  readonly #words = new Map<string, WordPostings>();

  addSection(number: number, title: string, { heading, text }: SectionToIndex): void {
    const wordPostings: WordPostings[] = [];
    let length = 0;
    for (const { text: word, position } of findWords(text)) {
      const { positions } = this.#open(word, number, wordPostings);
      if (positions.length < maxPositions) positions.push(position);
      length = position + 1;
    }
    for (const [word, count] of countHeadingWords(title)) this.#open(word, number, wordPostings).titleLength = count;
    for (const [word, count] of countHeadingWords(heading))
      this.#open(word, number, wordPostings).headingLength = count;
    const lengthFlags = getLengthClass(length) << lengthShift;
    for (const word of wordPostings) writeSection(word, lengthFlags);
  }

  /** Returns the postings of a word. At the first occurrence in the section, adds them to `wordPostings`. */
  #open(word: string, number: number, wordPostings: WordPostings[]): WordPostings {
    const entry = this.#words.get(word);
    if (entry?.section === number && entry.count > 0) return entry;
    const opened = entry ?? {
      ...{ bytes: [], count: 0, section: 0, positions: [] },
      ...{ titleLength: undefined, headingLength: undefined },
    };
    if (entry === undefined) this.#words.set(word, opened);
    writeNumber(opened.bytes, number - opened.section);
    opened.section = number;
    opened.count += 1;
    opened.positions.length = 0;
    wordPostings.push(opened);
    return opened;
  }

  getSorted(): [string, WordPostings][] {
    return [...this.#words].sort(([one], [other]) => compareTexts(one, other));
  }
}

/** Writes the occurrences of a word in its last section. */
function writeSection(word: WordPostings, lengthFlags: number): void {
  const { bytes, positions, titleLength, headingLength } = word;
  const flags = (titleLength === undefined ? 0 : titleFlag) | (headingLength === undefined ? 0 : headingFlag);
  bytes.push(positions.length | flags | lengthFlags);
  for (const position of positions) bytes.push(Math.min(255, position >> 1));
  if (titleLength !== undefined) bytes.push(titleLength);
  if (headingLength !== undefined) bytes.push(headingLength);
  word.titleLength = undefined;
  word.headingLength = undefined;
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The order of pages in a segment. */
export const comparePages = (one: IndexedPage, other: IndexedPage): number =>
  compareTexts(one.space, other.space) || compareTexts(one.page, other.page);

/** A segment to merge, and the numbers of its pages that are not copied. */
export interface SegmentToMerge extends SegmentIndex {
  id: string;
  removed: Set<number>;
}

interface MergeOptions {
  blocks: BlockReader;
  /** Called often, so that other requests can run in between. */
  pause: () => Promise<void>;
}

/** Creates a segment of the pages of several segments. */
export async function mergeSegments(segments: SegmentToMerge[], { blocks, pause }: MergeOptions): Promise<Segment> {
  await blocks.load(segments.flatMap(listBlocks));
  const writer = new SegmentWriter();
  const numbers = segments.map(({ header }) => new Int32Array(header.sections).fill(-1));
  const pages = segments.flatMap((segment, index) => listPages(segment, index, blocks)).sort(comparePages);
  for (const { segment, number, ...page } of pages) {
    const { firstSections, header } = segments[segment] as SegmentToMerge;
    const [start = 0, end = 0] = [firstSections[number], firstSections[number + 1]];
    const conditions = Array.from({ length: end - start }, (_, index) => getConditions(header, start + index));
    const first = writer.addPage(page, conditions);
    for (let section = start; section < end; section += 1)
      (numbers[segment] as Int32Array)[section] = first + section - start;
  }
  const readers = segments.map((segment, index) => new WordReader(segment, blocks, numbers[index] as Int32Array));
  const foundPostings = new FoundPostings();
  for (let steps = 0; ; steps += 1) {
    const word = readers.map((reader) => reader.word).reduce(chooseSmaller, undefined);
    if (word === undefined) break;
    foundPostings.clear();
    for (const reader of readers) if (reader.word === word) reader.takePostings(foundPostings);
    if (foundPostings.count > 0) writer.addWord(word, foundPostings.count, foundPostings.encode());
    if (steps % 500 === 0) await pause();
  }
  return writer.finish();
}

const chooseSmaller = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;

/** Returns the names of all blocks of a segment. */
function listBlocks({ id, header }: SegmentToMerge): BlockName[] {
  const postings = getPostingBlocks(0, header.postingsLength);
  return [
    ...header.words.map((_, number): BlockName => ({ segment: id, kind: 'words', number })),
    ...postings.map((number): BlockName => ({ segment: id, kind: 'postings', number })),
    ...header.pageBlocks.map((_, number): BlockName => ({ segment: id, kind: 'pages', number })),
  ];
}

function listPages({ id, header, removed }: SegmentToMerge, segment: number, blocks: BlockReader) {
  const pages = header.pageBlocks.flatMap((_, number) => blocks.getPages(id, number));
  return pages.map((page, number) => ({ ...page, segment, number })).filter(({ number }) => !removed.has(number));
}

const getConditions = (header: SegmentIndex['header'], section: number): string[] =>
  getConditionSet(header, header.runs[countFirst(header.runs, ([start]) => start <= section) - 1]?.[1] ?? 0);

/** The postings of a word in several segments. A posting is a section and a range of bytes. */
class FoundPostings {
  readonly #sections: number[] = [];
  readonly #sources: Uint8Array[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #writer = new ByteWriter();

  get count(): number {
    return this.#sections.length;
  }

  clear(): void {
    for (const list of [this.#sections, this.#sources, this.#starts, this.#ends]) list.length = 0;
  }

  add(section: number, source: Uint8Array, start: number, end: number): void {
    this.#sections.push(section);
    this.#sources.push(source);
    this.#starts.push(start);
    this.#ends.push(end);
  }

  /** Returns the postings in the order of their sections. The bytes are valid until the next call. */
  encode(): Uint8Array {
    const [sections, writer] = [this.#sections, this.#writer];
    const order = Array.from(sections.keys()).sort((one, other) => (sections[one] ?? 0) - (sections[other] ?? 0));
    writer.length = 0;
    let last = 0;
    for (const index of order) {
      const [section = 0, start = 0, end = 0] = [sections[index], this.#starts[index], this.#ends[index]];
      writer.writeNumber(section - last);
      for (let at = start; at < end; at += 1) writer.writeByte(this.#sources[index]?.[at] ?? 0);
      last = section;
    }
    return writer.getBytes();
  }
}

/** Reads the words of a segment in order, with their postings. */
class WordReader {
  readonly #segment: SegmentToMerge;
  readonly #blocks: BlockReader;
  readonly #numbers: Int32Array;
  #number = -1;
  #index = 0;
  #block: WordBlock | undefined;

  /** `numbers` are the new numbers of the segment's sections, or -1 for those in pages that are removed. */
  constructor(segment: SegmentToMerge, blocks: BlockReader, numbers: Int32Array) {
    this.#segment = segment;
    this.#blocks = blocks;
    this.#numbers = numbers;
    this.#readBlock();
  }

  get word(): string | undefined {
    return this.#block?.words[this.#index];
  }

  /** Adds the postings of the current word in pages that are not removed, and moves to the next word. */
  takePostings(foundPostings: FoundPostings): void {
    const { offsets = [] } = this.#block ?? {};
    const [start = 0, end = 0] = [offsets[this.#index], offsets[this.#index + 1]];
    const bytes = slicePostings(start, end, (number) => this.#blocks.getPostings(this.#segment.id, number));
    const reader = new ByteReader(bytes);
    let section = 0;
    while (!reader.isAtEnd) {
      section += reader.readNumber();
      const from = reader.position;
      const flags = reader.readByte();
      reader.position += (flags & 3) + (flags & titleFlag ? 1 : 0) + (flags & headingFlag ? 1 : 0);
      const number = this.#numbers[section] ?? -1;
      if (number !== -1) foundPostings.add(number, bytes, from, reader.position);
    }
    this.#index += 1;
    if (this.#index === this.#block?.words.length) this.#readBlock();
  }

  #readBlock(): void {
    this.#number += 1;
    this.#index = 0;
    const { id, header } = this.#segment;
    this.#block = this.#number < header.words.length ? this.#blocks.getWords(id, this.#number) : undefined;
  }
}
