import { ByteReader, ByteWriter } from './bytes.ts';
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

/** A page with at least one section. Its title belongs to the first one. */
export interface PageToIndex extends IndexedPage {
  sections: SectionToIndex[];
}

/** Positions of a word in a section that are stored. */
const maxPositions = 3;
export const titleFlag = 4;
export const headingFlag = 8;
export const lengthShift = 4;

/** The class of a length in words, from 0 to 15. */
const getLengthClass = (words: number): number => Math.min(15, Math.round(2 * Math.log2(1 + words / 16)));

/**
 * Returns the words of a title or heading, each with the length of the text in terms of a query. As in a query, stop
 * words count only if there are no other words, and a compound counts as one term.
 */
function countHeadingWords(text: string): Map<string, number> {
  const found = [...findWords(text)];
  const terms = found.filter(isTerm);
  const count = countDistinctTerms(terms);
  const getLength = (word: Word): number => {
    if (stopWords.has(word.text)) return countDistinct(terms);
    const parts = terms.filter(({ position }) => position >= word.position && position < word.position + word.parts);
    return word.parts > 1 ? Math.max(1, count - countDistinctTerms(parts) + 1) : count;
  };
  return new Map(found.map((word) => [word.text, Math.min(255, getLength(word))]));
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
  const postings = new Map<string, { bytes: ByteWriter; last: number; count: number }>();
  for (const page of sorted) {
    const first = writer.addPage(
      page,
      page.sections.map(({ conditions }) => conditions),
    );
    for (const [index, section] of page.sections.entries()) {
      const number = first + index;
      const title = countHeadingWords(index === 0 ? page.title : '');
      const heading = countHeadingWords(section.heading);
      const { occurrences, length } = collectOccurrences(section.text, [...title.keys(), ...heading.keys()]);
      for (const [word, positions] of occurrences) {
        const list = postings.get(word) ?? { bytes: new ByteWriter(), last: 0, count: 0 };
        if (list.count === 0) postings.set(word, list);
        const { bytes } = list;
        bytes.writeNumber(number - list.last);
        const [titleLength, headingLength] = [title.get(word), heading.get(word)];
        const flags = (titleLength === undefined ? 0 : titleFlag) | (headingLength === undefined ? 0 : headingFlag);
        bytes.writeByte(positions.length | flags | (getLengthClass(length) << lengthShift));
        for (const position of positions) bytes.writeByte(Math.min(255, position >> 1));
        if (titleLength !== undefined) bytes.writeByte(titleLength);
        if (headingLength !== undefined) bytes.writeByte(headingLength);
        list.last = number;
        list.count += 1;
      }
      yield section.text.length / charactersPerMicrosecond;
    }
  }
  const words = [...postings.keys()].sort(compareTexts);
  for (const word of words) {
    const list = postings.get(word);
    if (list !== undefined) writer.addWord(word, list.count, list.bytes.getBytes());
    yield 1;
  }
  return writer.finish();
}

/** Returns the positions of each word of a section. Words of `others` are added without positions. */
function collectOccurrences(text: string, others: string[]): { occurrences: Map<string, number[]>; length: number } {
  const occurrences = new Map<string, number[]>();
  let length = 0;
  for (const { text: word, position } of findWords(text)) {
    const positions = occurrences.get(word);
    if (positions === undefined) occurrences.set(word, [position]);
    else if (positions.length < maxPositions) positions.push(position);
    length = position + 1;
  }
  for (const word of others) if (!occurrences.has(word)) occurrences.set(word, []);
  return { occurrences, length };
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
  const readers = segments.map((segment) => new WordReader(segment, blocks));
  for (let steps = 0; ; steps += 1) {
    const word = readers.map((reader) => reader.word).reduce(chooseSmaller, undefined);
    if (word === undefined) break;
    const found = readers.flatMap((reader, index) =>
      reader.word === word ? reader.takePage(numbers[index] as Int32Array) : [],
    );
    found.sort(([one], [other]) => one - other);
    if (found.length > 0) writer.addWord(word, found.length, encodePostings(found));
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

/** Returns the conditions of a section. */
const getConditions = (header: SegmentIndex['header'], section: number): string[] =>
  getConditionSet(header, header.runs[countFirst(header.runs, ([start]) => start <= section) - 1]?.[1] ?? 0);

type Posting = [section: number, bytes: Uint8Array];

function encodePostings(postings: Posting[]): Uint8Array {
  const writer = new ByteWriter();
  let last = 0;
  for (const [section, bytes] of postings) {
    writer.writeNumber(section - last);
    writer.writeBytes(bytes);
    last = section;
  }
  return writer.getBytes();
}

/** Reads the words of a segment in order, with their postings. */
class WordReader {
  readonly #segment: SegmentToMerge;
  readonly #blocks: BlockReader;
  #number = -1;
  #index = 0;
  #block: WordBlock | undefined;

  constructor(segment: SegmentToMerge, blocks: BlockReader) {
    this.#segment = segment;
    this.#blocks = blocks;
    this.#readBlock();
  }

  get word(): string | undefined {
    return this.#block?.words[this.#index];
  }

  /** Returns the postings of the current word in pages that are not removed, and moves to the next word. */
  takePage(numbers: Int32Array): Posting[] {
    const { offsets = [] } = this.#block ?? {};
    const [start = 0, end = 0] = [offsets[this.#index], offsets[this.#index + 1]];
    const bytes = slicePostings(start, end, (number) => this.#blocks.getPostings(this.#segment.id, number));
    const reader = new ByteReader(bytes);
    const postings: Posting[] = [];
    let section = 0;
    while (!reader.isAtEnd) {
      section += reader.readNumber();
      const from = reader.position;
      const flags = reader.readByte();
      reader.position += (flags & 3) + (flags & titleFlag ? 1 : 0) + (flags & headingFlag ? 1 : 0);
      const number = numbers[section] ?? -1;
      if (number !== -1) postings.push([number, bytes.subarray(from, reader.position)]);
    }
    this.#index += 1;
    if (this.#index === this.#block?.words.length) this.#readBlock();
    return postings;
  }

  #readBlock(): void {
    this.#number += 1;
    this.#index = 0;
    const { id, header } = this.#segment;
    this.#block = this.#number < header.words.length ? this.#blocks.getWords(id, this.#number) : undefined;
  }
}
