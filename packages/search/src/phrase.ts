import { headingFlag, titleFlag } from './build.ts';
import { ByteReader, ByteWriter } from './bytes.ts';

/** The sections of a segment that contain a phrase, as the postings of a word. */
interface PhrasePostings {
  /**
   * The sections in which the words follow each other in the text, or in which all are in the title or in the heading.
   */
  certain: Uint8Array;
  /**
   * The sections whose text contains all words, but in an unknown order, because not all positions of one of them are
   * stored.
   */
  possible: Uint8Array;
}

interface PhraseOptions {
  /** The number of sections of the segment. */
  sections: number;
  /** The number of words of the phrase that are not stop words. If all words are stop words, all of them count. */
  titleWords: number;
  /** Called during long work, so that other requests can run in between. */
  pause: () => Promise<void>;
}

/**
 * A posting is stored in one number: its frequency, flags and length in the upper byte, up to three positions in the
 * lower bytes.
 */
const flagsShift = 24;
const frequencyMask = 3;
const maxPositions = 3;
const lastPosition = 255;
const sectionsPerSlice = 5000;

/**
 * Finds the sections that contain a phrase. `words` has the postings of the forms of each word. Positions are stored
 * without their last bit, so up to two other words can be between two words of the phrase.
 */
export async function findPhrase(
  words: Uint8Array[][],
  { sections, titleWords, pause }: PhraseOptions,
): Promise<PhrasePostings> {
  const titles = new Uint8Array(sections).fill(255);
  const headings = new Uint8Array(sections).fill(255);
  const found: Uint32Array[] = [];
  for (const forms of words) {
    const postings = new Uint32Array(sections);
    for (const bytes of forms) addOccurrences(bytes, { postings, titles, headings });
    found.push(postings);
    await pause();
  }
  const [certain, possible] = [new PostingWriter(), new PostingWriter()];
  for (let section = 0; section < sections; section += 1) {
    if (section % sectionsPerSlice === sectionsPerSlice - 1) await pause();
    if (found.some((each) => each[section] === 0)) continue;
    const postings = found.map((each) => each[section] as number);
    const [first = 0, ...others] = postings;
    const common = postings.reduce((one, other) => one & other) >>> flagsShift;
    const positions = others.reduce(findNextPositions, first);
    const flags =
      ((first >>> flagsShift) & ~(frequencyMask | titleFlag | headingFlag)) | (common & (titleFlag | headingFlag));
    const lengths = [
      ...(flags & titleFlag ? [countWordsWithPhrase(titles[section] as number, titleWords)] : []),
      ...(flags & headingFlag ? [countWordsWithPhrase(headings[section] as number, titleWords)] : []),
    ];
    if (countPositions(positions) > 0 || lengths.length > 0) certain.add(section, flags, { positions, lengths });
    else if (postings.some((each) => countPositions(each) === maxPositions))
      possible.add(section, flags, { positions: (1 << flagsShift) | (first & 255), lengths });
  }
  return { certain: certain.bytes, possible: possible.bytes };
}

/** Returns the length of a title, with the phrase counted as one word. */
const countWordsWithPhrase = (length: number, words: number): number => Math.max(1, length - words + 1);

interface Occurrences {
  postings: Uint32Array;
  /** The number of words of the title and heading of each section. */
  titles: Uint8Array;
  headings: Uint8Array;
}

/** Adds the postings of a form of a word. */
function addOccurrences(bytes: Uint8Array, { postings, titles, headings }: Occurrences): void {
  const reader = new ByteReader(bytes);
  for (let section = 0; !reader.isAtEnd; ) {
    section += reader.readNumber();
    const flags = reader.readByte();
    let all = postings[section] as number;
    for (let rest = flags & frequencyMask; rest > 0; rest -= 1) all = addPosition(all, reader.readByte());
    if (flags & titleFlag) titles[section] = Math.min(titles[section] as number, reader.readByte());
    if (flags & headingFlag) headings[section] = Math.min(headings[section] as number, reader.readByte());
    postings[section] = all | ((flags & ~frequencyMask) << flagsShift);
  }
}

const countPositions = (posting: number): number => (posting >>> flagsShift) & frequencyMask;

function addPosition(posting: number, position: number): number {
  const count = countPositions(posting);
  if (count === maxPositions) return posting;
  return (posting | (position << (8 * count))) + (1 << flagsShift);
}

/** Returns the positions of a word that are after those of the previous word. */
function findNextPositions(previous: number, word: number): number {
  let count = 0;
  for (let number = 0; number < countPositions(word); number += 1) {
    const position = (word >>> (8 * number)) & 255;
    // This position also represents all later positions, so distances from it are unknown.
    if (position === lastPosition) continue;
    for (let other = 0; other < countPositions(previous); other += 1) {
      const distance = position - ((previous >>> (8 * other)) & 255);
      if (distance !== 0 && distance !== 1) continue;
      count = addPosition(count, position);
      break;
    }
  }
  return count;
}

class PostingWriter {
  readonly #writer = new ByteWriter();
  #last = 0;

  get bytes(): Uint8Array {
    return this.#writer.getBytes();
  }

  add(section: number, flags: number, { positions, lengths }: { positions: number; lengths: number[] }): void {
    this.#writer.writeNumber(section - this.#last);
    this.#writer.writeByte(flags | countPositions(positions));
    for (let number = 0; number < countPositions(positions); number += 1)
      this.#writer.writeByte((positions >>> (8 * number)) & 255);
    for (const length of lengths) this.#writer.writeByte(length);
    this.#last = section;
  }
}
