import { comparePages, headingFlag, titleFlag } from './build.ts';
import { ByteReader } from './bytes.ts';
import type { Match, SearchOptions } from './lookup.ts';
import { Lookup } from './lookup.ts';
import type { Query, Term } from './query.ts';
import {
  compareRanked,
  exactTitleFactor,
  getTermRarities,
  maxHits,
  maxSectionsPerHit,
  sectionsPerSlice,
} from './rank.ts';
import type { FoundTerm, WeightedPostings } from './score.ts';
import { scoreHeading, scoreTitle } from './score.ts';
import { correctTerms, findMatches, listWords, readEntries } from './search.ts';
import type { BlockReader, IndexedPage } from './segment.ts';
import type { SearchedSegment } from './visible.ts';
import { isUnspaced } from './words.ts';

/** A page whose title contains the words of a query, or a heading of a page that contains them. */
export interface Suggestion extends IndexedPage {
  score: number;
  /** The number of the heading's section in the page; undefined for the title. */
  section: number | undefined;
}

export interface SuggestionResult {
  /** The best titles and headings, best first. */
  suggestions: Suggestion[];
  /** The words of the titles and headings that match, with the number of the term that each matches. */
  words: Map<string, number>;
  /** The query with the words that were probably meant; undefined if all words were found. */
  correction: string | undefined;
}

/** Finds the titles and headings that contain all words of a query, best first. */
export async function suggest(query: Query, options: SearchOptions): Promise<SuggestionResult> {
  const lookup = new Lookup(options, { isHeadingNeeded: true });
  const scoreMatches = (matches: Match[]) =>
    lookup.addMatches<HeadingResult>(matches, { found: new Map(), count: 0, words: new Map() }, addHeadings);
  const results: HeadingResult[] = [];
  const { matches, phrases } = await findMatches(query, lookup);
  for (const each of matches) results.push(await scoreMatches(each));
  for (const phrase of phrases) await lookup.addPhrase(phrase, results, addHeadings);
  const needed = query.terms.map((term) => isNeeded(term, query));
  const isMissing = ({ count }: HeadingResult, term: number) => count === 0 && needed[term] === true;
  const missing = results.flatMap((result, term) => (isMissing(result, term) ? [term] : []));
  // If texts contain a missing word, it is not misspelled, so no correction is needed.
  if (missing.length > 0 && (await isAnyFound(query, missing, new Lookup(options)))) return nothing;
  const correction = await correctTerms(query, results, { lookup, score: scoreMatches, add: addHeadings });
  if (results.some(isMissing)) return nothing;
  const ranked = await rankHeadings(results, needed, options);
  return { suggestions: await readSuggestions(ranked, options.blocks), words: listWords(results), correction };
}

const nothing: SuggestionResult = { suggestions: [], words: new Map(), correction: undefined };

/**
 * Whether titles and headings must contain a term. A single letter of a word that is still being typed affects only
 * their order, because single letters are not completed.
 */
const isNeeded = ({ word, isOpen }: Term, { terms }: Query): boolean =>
  terms.length === 1 || !isOpen || [...word].length > 1 || isUnspaced(word);

/** Whether one of the terms is found in a visible section. */
async function isAnyFound(query: Query, terms: number[], lookup: Lookup): Promise<boolean> {
  const { matches } = await findMatches(query, lookup);
  for (const term of terms) for (const { word } of matches[term] ?? []) if (await lookup.isVisible(word)) return true;
  return false;
}

/** The titles and headings in a segment that match a term. */
interface HeadingScores {
  /** The scores of titles, by page, and of headings, by section. */
  titles: Float32Array;
  headings: Float32Array;
  /** The number of words of each title, by page. */
  lengths: Uint8Array;
  pages: Set<number>;
}

interface HeadingResult extends FoundTerm {
  /** The results by segment. */
  found: Map<SearchedSegment, HeadingScores>;
}

/** Adds the titles and headings of a word's postings to a term. Returns the number of visible ones. */
function addHeadings(
  { bytes, weight, termCount = 1 }: WeightedPostings,
  segment: SearchedSegment,
  result: HeadingResult,
): number {
  const { header, pageOf, firstSections } = segment.index;
  const reader = new ByteReader(bytes);
  let scores = result.found.get(segment);
  let count = 0;
  for (let section = 0; !reader.isAtEnd; ) {
    section += reader.readNumber();
    const flags = reader.readByte();
    reader.position += flags & 3;
    const title = flags & titleFlag ? Math.min(255, reader.readByte() + termCount - 1) : undefined;
    const heading = flags & headingFlag ? reader.readByte() : undefined;
    if (segment.visible[section] === 0 || (title === undefined && heading === undefined)) continue;
    if (scores === undefined) {
      scores = {
        titles: new Float32Array(header.pages),
        headings: new Float32Array(header.sections),
        lengths: new Uint8Array(header.pages),
        pages: new Set(),
      };
      result.found.set(segment, scores);
    }
    count += 1;
    const page = pageOf[section] as number;
    const [titleBefore, headingBefore] = [scores.titles[page] as number, scores.headings[section] as number];
    // Only the first section of a page has a title.
    const isCounted = headingBefore > 0 || (titleBefore > 0 && section === firstSections[page]);
    if (!isCounted) result.count += 1;
    if (title !== undefined && scoreTitle(title) * weight > titleBefore) {
      scores.titles[page] = scoreTitle(title) * weight;
      scores.lengths[page] = title;
    }
    if (heading !== undefined) scores.headings[section] = Math.max(headingBefore, scoreHeading(heading) * weight);
    scores.pages.add(page);
  }
  return count;
}

/** A title or heading with the words. Its section is numbered in the segment. */
interface RankedHeading {
  segment: SearchedSegment;
  page: number;
  section: number | undefined;
  score: number;
}

/** Weight of a word in the score of a heading if the word occurs only in the title of the page. */
const titleShare = 0.25;

/** Ranks titles and headings by the rarity and the locations of their words. */
async function rankHeadings(
  results: HeadingResult[],
  needed: boolean[],
  { segments, pause }: SearchOptions,
): Promise<RankedHeading[]> {
  const rarities = getTermRarities(results, segments);
  const best: RankedHeading[] = [];
  let sections = 0;
  for (const segment of segments) {
    const { firstSections } = segment.index;
    const terms = results.map(({ found }, term): RankedTerm => {
      const [rarity = 0, isTermNeeded = true] = [rarities[term], needed[term]];
      return { scores: found.get(segment), rarity, isNeeded: isTermNeeded };
    });
    for (const page of getCandidates(terms)) {
      best.push(...rankPage(terms, page, segment));
      if (best.length >= 10 * maxHits) keepBestHeadings(best);
      sections += (firstSections[page + 1] as number) - (firstSections[page] as number);
      if (sections < sectionsPerSlice) continue;
      sections = 0;
      await pause();
    }
    keepBestHeadings(best);
  }
  return best;
}

/**
 * Sorts titles and headings, and removes all but the best. Titles and headings with the same score keep their order.
 */
const keepBestHeadings = (ranked: RankedHeading[]): unknown => ranked.sort(compareRanked).splice(maxHits);

interface RankedTerm {
  scores: HeadingScores | undefined;
  rarity: number;
  isNeeded: boolean;
}

/** Finds the needed term that occurs in the fewest pages, and returns the pages that contain it, in order. */
function getCandidates(terms: RankedTerm[]): number[] {
  const sets = terms.filter((term) => term.isNeeded).map(({ scores }) => scores?.pages ?? new Set<number>());
  const [fewest = new Set<number>()] = sets.toSorted((one, other) => one.size - other.size);
  return [...fewest].sort((one, other) => one - other);
}

/** Returns the title of a page if it contains the words, and the best headings of the page that contain them. */
function rankPage(terms: RankedTerm[], page: number, segment: SearchedSegment): RankedHeading[] {
  const { firstSections } = segment.index;
  const isTitled = terms.every((term) => !term.isNeeded || (term.scores?.titles[page] ?? 0) > 0);
  const headings: RankedHeading[] = [];
  const [start = 0, end = 0] = [firstSections[page], firstSections[page + 1]];
  for (let section = start; section < end; section += 1) {
    const score = scoreSection(terms, { page, section, isTitled });
    if (score > 0) headings.push({ segment, page, section, score });
  }
  const best = headings.sort(compareRanked).slice(0, maxSectionsPerHit);
  return isTitled ? [{ segment, page, section: undefined, score: scorePage(terms, page) }, ...best] : best;
}

/** Returns the score of a page whose title contains the words. */
function scorePage(terms: RankedTerm[], page: number): number {
  let sum = 0;
  for (const { scores, rarity } of terms) sum += (scores?.titles[page] ?? 0) * rarity;
  const isExact = terms.every(({ scores }) => scores?.lengths[page] === terms.length);
  return isExact ? sum * exactTitleFactor : sum;
}

interface HeadingOfPage {
  page: number;
  section: number;
  isTitled: boolean;
}

/**
 * Returns the score of a heading; 0 if it does not match. A heading must contain at least one needed word, and the
 * title of its page must contain the others. If the title contains all needed words, the heading must contain all of
 * them too.
 */
function scoreSection(terms: RankedTerm[], { page, section, isTitled }: HeadingOfPage): number {
  let [sum, inHeading] = [0, 0];
  for (const { scores, rarity, isNeeded: isTermNeeded } of terms) {
    const heading = scores?.headings[section] ?? 0;
    const title = scores?.titles[page] ?? 0;
    if (isTermNeeded && heading === 0 && (isTitled || title === 0)) return 0;
    if (isTermNeeded && heading > 0) inHeading += 1;
    sum += (heading > 0 ? heading : title * titleShare) * rarity;
  }
  return inHeading > 0 ? sum : 0;
}

async function readSuggestions(ranked: RankedHeading[], blocks: BlockReader): Promise<Suggestion[]> {
  const entries = await readEntries(ranked, blocks);
  const suggestions = ranked.flatMap(({ segment, page, section, score }, index): Suggestion[] => {
    const entry = entries[index];
    const first = segment.index.firstSections[page] ?? 0;
    return entry === undefined
      ? []
      : [{ ...entry, score, section: section === undefined ? undefined : section - first }];
  });
  // The order of suggestions with the same score does not depend on the segments.
  return suggestions.sort(
    (one, other) =>
      compareRanked(one, other) || comparePages(one, other) || (one.section ?? -1) - (other.section ?? -1),
  );
}
