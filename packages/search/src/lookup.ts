import { headingFlag, titleFlag } from './build.ts';
import { ByteReader } from './bytes.ts';
import { findPhrase } from './phrase.ts';
import type { Term } from './query.ts';
import type { FoundTerm, PostingWeight, TermResult, WeightedPostings } from './score.ts';
import { addPostings } from './score.ts';
import type { BlockName, BlockReader, SegmentIndex, WordBlock } from './segment.ts';
import { countFirst, getPostingBlocks, slicePostings } from './segment.ts';
import { countBits, countEdits, getCorrectionPrefixes, getLetterBits, getMaxEdits } from './spelling.ts';
import { getStem, stopWords } from './stems.ts';
import type { SearchedSegment } from './visible.ts';
import { isUnspaced } from './words.ts';

export interface SearchOptions {
  segments: SearchedSegment[];
  blocks: BlockReader;
  /** Called during long searches, so that other requests can run in between. */
  pause: () => Promise<void>;
}

/** Scoring this many bytes of postings takes about a millisecond. A search pauses after them. */
const bytesPerSlice = 100_000;

/** Maximum number of completions of a prefix, and maximum number of corrections of a misspelled word. */
const maxCompletions = 60;
const maxCorrections = 12;
/** Maximum number of words of a query that are corrected. */
const maxCorrectedWords = 3;

/** Weights of words of the text, by how they match a word of the query. */
export const weights = { exact: 1, compound: 0.95, form: 0.8, synonym: 0.75, completion: 0.35, possiblePhrase: 0.3 };
/**
 * Returns the weight of a match that differs from the typed word by one or two edits. Such words are searched only if
 * the typed word is not found.
 */
export const getEditWeight = (edits: number): number => (edits > 1 ? 0.8 : 1);

/** A word of the index that matches a term. */
export interface Match extends PostingWeight {
  word: string;
}

/** A phrase that matches some terms. */
export interface Phrase {
  words: string[];
  /** The matches of each of its words. */
  matches: Match[][];
  terms: number[];
  /** Whether to leave out sections in which the order of the words is unknown. */
  isAdjacent?: boolean;
}

/** The range of a word's postings in a segment. */
interface PostingRange {
  segment: SearchedSegment;
  start: number;
  end: number;
}

export interface Range {
  from: string;
  to: string;
}

/**
 * Appended to a text, this character sorts after every word that starts with the text. Words are sorted by UTF-16 code
 * units.
 */
const last = '\uffff';
/** The number of letters that all forms of a word are expected to share. */
const sharedLetters = 5;

/** Returns the ranges of words that contain all matches of a term. */
export function getRanges({ word, isOpen }: Term): Range[] {
  const stem = getStem(word);
  if (stem === word && !/^[a-z]{3,}$/.test(word)) return [{ from: word, to: isOpen ? word + last : `${word}\0` }];
  let shared = 0;
  while (shared < stem.length && stem[shared] === word[shared]) shared += 1;
  const prefix = word.slice(0, Math.max(2, Math.min(sharedLetters, shared - 1)));
  return [{ from: prefix, to: prefix + last }];
}

/** Creates a term for a word that does not come from the text of a query, such as a synonym. */
export const toTerm = (word: string): Term => ({ word, isOpen: false, start: 0, end: 0 });

/** Returns the ranges of words that contain the corrections of a misspelled word. */
const getSimilarRanges = (word: string): Range[] =>
  getCorrectionPrefixes(word).map((start) => ({ from: start, to: start + last }));

/** Adds the postings of a word to a result. Returns the number of visible sections. */
export type AddPostings<Result> = (postings: WeightedPostings, segment: SearchedSegment, result: Result) => number;

/** Finds words and postings in the blocks of several segments. */
export class Lookup {
  readonly #segments: SearchedSegment[];
  readonly #blocks: BlockReader;
  readonly #pause: () => Promise<void>;
  readonly #isHeadingNeeded: boolean;
  #bytes = 0;

  /** With `isHeadingNeeded`, words are only completed and corrected to words of visible titles and headings. */
  constructor({ segments, blocks, pause }: SearchOptions, { isHeadingNeeded = false } = {}) {
    this.#segments = segments;
    this.#blocks = blocks;
    this.#pause = pause;
    this.#isHeadingNeeded = isHeadingNeeded;
  }

  async loadWords(ranges: Range[]): Promise<void> {
    await this.#blocks.load(
      this.#segments.flatMap(({ id: segment, index }) =>
        [...new Set(ranges.flatMap((range) => getWordBlocks(index, range)))].map((number) => ({
          segment,
          kind: 'words' as const,
          number,
        })),
      ),
    );
  }

  /** Calls a function with each word of a range, once for each segment that has it. */
  #visitRange(range: Range, visit: (word: string, block: WordBlock, index: number) => void): void {
    for (const { id, index } of this.#segments)
      for (const number of getWordBlocks(index, range)) {
        const block = this.#blocks.getWords(id, number);
        for (let at = findFirst(block.words, range.from); at < block.words.length; at += 1) {
          const word = block.words[at] ?? '';
          if (word >= range.to) break;
          visit(word, block, at);
        }
      }
  }

  hasWord(word: string): boolean {
    return this.#segments.some((segment) => this.#findPostingRange(segment, word) !== undefined);
  }

  /**
   * Returns the words that match a term: the word itself, its forms and, for a prefix, the shortest visible words that
   * start with it. Their order does not depend on the segments.
   */
  async findMatches(term: Term): Promise<Match[]> {
    const stem = getStem(term.word);
    const isPrefix = term.isOpen && [...term.word].length > 1;
    const isSingle = term.isOpen && !isPrefix && term.word.charCodeAt(0) > 0x2e7f;
    const matches = new Map<string, number>();
    const completions = new Set<string>();
    for (const range of getRanges(term))
      this.#visitRange(range, (word) => {
        if (word === term.word) matches.set(word, weights.exact);
        else if (getStem(word) === stem) matches.set(word, weights.form);
        else if ((isPrefix || isSingle) && word.startsWith(term.word)) completions.add(word);
      });
    const shortest = [...completions].toSorted((one, other) => one.length - other.length || (one < other ? -1 : 1));
    return [
      ...[...matches]
        .map(([word, weight]) => ({ word, weight }))
        .sort((one, other) => other.weight - one.weight || (one.word < other.word ? -1 : 1)),
      ...(await this.#takeVisible(
        shortest.map((word) => ({ word, weight: weights.completion })),
        maxCompletions,
      )),
    ];
  }

  /** Returns the first `max` words that are visible. */
  async #takeVisible(candidates: Match[], max: number): Promise<Match[]> {
    const matches: Match[] = [];
    for (let start = 0; start < candidates.length && matches.length < max; start += max) {
      const batch = candidates.slice(start, start + max);
      await this.loadPostings(batch);
      for (const match of batch) if (matches.length < max && (await this.isVisible(match.word))) matches.push(match);
      if (matches.length < max && start + max < candidates.length) await this.#pause();
    }
    return matches;
  }

  /**
   * Whether a word occurs in a visible section, or in the title or heading of one if the search requires that. The
   * postings of the word must be loaded.
   */
  async isVisible(word: string): Promise<boolean> {
    for (const segment of this.#segments) {
      const place = this.#findPostingRange(segment, word);
      if (place === undefined) continue;
      const postings = this.#readPostings(place);
      if (hasVisiblePosting(postings, segment.visible, this.#isHeadingNeeded)) return true;
      await this.#countBytes(postings.length);
    }
    return false;
  }

  async #listVisible(matches: Match[]): Promise<string[]> {
    const visible: string[] = [];
    for (const { word } of matches) if (await this.isVisible(word)) visible.push(word);
    return visible;
  }

  async #countBytes(length: number): Promise<void> {
    this.#bytes += length;
    if (this.#bytes < bytesPerSlice) return;
    this.#bytes = 0;
    await this.#pause();
  }

  #readPostings({ segment, start, end }: PostingRange): Uint8Array {
    return slicePostings(start, end, (number) => this.#blocks.getPostings(segment.id, number));
  }

  /** Finds corrections of misspelled words. `matches` also contains the other forms of the corrections. */
  async findCorrections(words: string[]): Promise<Map<string, { similar: Match[]; matches: Match[] }>> {
    const misspelt = words.filter((word) => getMaxEdits(word) > 0).slice(0, maxCorrectedWords);
    if (misspelt.length === 0) return new Map();
    const ranges = misspelt.flatMap(getSimilarRanges);
    await this.loadWords(ranges);
    const similar = new Map<string, Match[]>();
    for (const word of misspelt) similar.set(word, await this.#findSimilarWords(word));
    await this.loadWords(
      [...similar.values()]
        .flat()
        .map(({ word }) => toTerm(word))
        .flatMap(getRanges),
    );
    const corrections = new Map<string, { similar: Match[]; matches: Match[] }>();
    for (const [word, found] of similar) {
      const matches = new Map(found.map((each) => [each.word, each]));
      for (const each of found)
        for (const form of await this.findMatches(toTerm(each.word)))
          if (!matches.has(form.word)) matches.set(form.word, { word: form.word, weight: each.weight * weights.form });
      corrections.set(word, { similar: found, matches: [...matches.values()] });
    }
    await this.loadPostings([...corrections.values()].flatMap(({ matches }) => matches));
    return corrections;
  }

  /** Returns the visible words that are most similar to a misspelled one. */
  #findSimilarWords(word: string): Promise<Match[]> {
    const max = getMaxEdits(word);
    const letters = getLetterBits(word);
    const similar = new Map<string, number>();
    for (const range of getSimilarRanges(word))
      this.#visitRange(range, (other) => {
        if (Math.abs(other.length - word.length) > max || other.length < 3 || similar.has(other)) return;
        if (countBits(getLetterBits(other) ^ letters) > 2 * max) return;
        const edits = countEdits(word, other, max);
        if (edits !== undefined) similar.set(other, edits);
      });
    const nearest = [...similar].toSorted(([one, a], [other, b]) => a - b || (one < other ? -1 : 1));
    return this.#takeVisible(
      nearest.map(([other, edits]) => ({ word: other, weight: getEditWeight(edits) })),
      maxCorrections,
    );
  }

  async loadPostings(matches: Match[]): Promise<void> {
    const names = new Map<string, BlockName>();
    for (const { word } of matches)
      for (const segment of this.#segments) {
        const place = this.#findPostingRange(segment, word);
        if (place === undefined) continue;
        for (const number of getPostingBlocks(place.start, place.end))
          names.set(`${segment.id}/${number}`, { segment: segment.id, kind: 'postings', number });
      }
    await this.#blocks.load([...names.values()]);
  }

  #findPostingRange(segment: SearchedSegment, word: string): PostingRange | undefined {
    const [number] = getWordBlocks(segment.index, { from: word, to: `${word}\0` });
    if (number === undefined) return undefined;
    const { words, offsets } = this.#blocks.getWords(segment.id, number);
    const at = findFirst(words, word);
    if (words[at] !== word) return undefined;
    return { segment, start: offsets[at] ?? 0, end: offsets[at + 1] ?? 0 };
  }

  /** Scores the visible sections that contain one of the words. The scores do not depend on how rare the term is. */
  scoreTerm = (matches: Match[]): Promise<TermResult> =>
    this.addMatches(matches, { found: new Map(), count: 0, words: new Map() }, addPostings);

  /** Adds the postings of words to a result. */
  async addMatches<Result extends FoundTerm>(
    matches: Match[],
    result: Result,
    add: AddPostings<Result>,
  ): Promise<Result> {
    for (const { word, ...weight } of matches)
      for (const segment of this.#segments) {
        const place = this.#findPostingRange(segment, word);
        if (place === undefined) continue;
        const bytes = this.#readPostings(place);
        const count = add({ bytes, ...weight }, segment, result);
        if (count > 0) result.words.set(word, (result.words.get(word) ?? 0) + count);
        await this.#countBytes(bytes.length);
      }
    return result;
  }

  /** Adds the postings of a phrase to the results of its terms. */
  async addPhrase<Result extends FoundTerm>(
    { words, matches, terms, isAdjacent = false }: Phrase,
    results: Result[],
    add: AddPostings<Result>,
  ): Promise<void> {
    const titleWords = words.filter((word) => !stopWords.has(word)).length || words.length;
    const forms: string[][] = [];
    for (const each of matches) forms.push(await this.#listVisible(each));
    const texts = listTexts(forms);
    for (const segment of this.#segments) {
      const postings = forms.map((each) =>
        each.flatMap((word) => {
          const place = this.#findPostingRange(segment, word);
          return place === undefined ? [] : [this.#readPostings(place)];
        }),
      );
      if (postings.some(({ length }) => length === 0)) continue;
      const { sections } = segment.index.header;
      const { certain, possible } = await findPhrase(postings, { sections, titleWords, pause: this.#pause });
      for (const number of terms) {
        const result = results[number] as Result;
        const termCount = terms.length;
        const count =
          add({ bytes: certain, weight: weights.synonym, termCount }, segment, result) +
          (isAdjacent ? 0 : add({ bytes: possible, weight: weights.possiblePhrase, termCount }, segment, result));
        if (count > 0) for (const text of texts) result.words.set(text, 1);
        await this.#countBytes(certain.length + possible.length);
      }
    }
  }
}

/** Maximum number of texts of a phrase that are highlighted. */
const maxTexts = 20;

/** Returns the texts of a phrase: `sign in` and `signed in`. In scripts without spaces, it returns the words. */
function listTexts([first = [], ...others]: string[][]): string[] {
  const all = [first, ...others].flat();
  if (all.some(isUnspaced)) return all;
  return others.reduce(
    (texts, forms) => texts.flatMap((text) => forms.map((word) => `${text} ${word}`)).slice(0, maxTexts),
    first,
  );
}

/** Returns the numbers of the blocks with the words of a range. */
function getWordBlocks({ header: { words } }: SegmentIndex, { from, to }: Range): number[] {
  if (words.length === 0) return [];
  const first = Math.max(0, findFirst(words, from) - (words[findFirst(words, from)] === from ? 0 : 1));
  const end = Math.max(first + 1, findFirst(words, to));
  return Array.from({ length: end - first }, (_, index) => first + index);
}

/** Returns the index of the first word that doesn't sort before `from`. */
const findFirst = (words: string[], from: string): number => countFirst(words, (word) => word < from);

/** Whether a word occurs in a visible section, or in its title or heading if needed. */
function hasVisiblePosting(postings: Uint8Array, visible: Uint8Array, isHeadingNeeded: boolean): boolean {
  const reader = new ByteReader(postings);
  for (let section = 0; !reader.isAtEnd; ) {
    section += reader.readNumber();
    const flags = reader.readByte();
    if (visible[section] === 1 && (!isHeadingNeeded || (flags & (titleFlag | headingFlag)) !== 0)) return true;
    reader.position += (flags & 3) + (flags & titleFlag ? 1 : 0) + (flags & headingFlag ? 1 : 0);
  }
  return false;
}
