import type { SearchOptions } from './lookup.ts';
import type { FoundTerm, TermResult, TermScores } from './score.ts';
import type { SegmentIndex } from './segment.ts';
import type { SearchedSegment } from './visible.ts';

/** A search pauses after ranking this number of sections. */
export const sectionsPerSlice = 5000;

/** Maximum number of pages that are returned, and of sections of each. */
export const maxHits = 200;
export const maxSectionsPerHit = 5;

export interface RankedPage {
  segment: SearchedSegment;
  page: number;
  score: number;
  /** The numbers of its sections in the segment, best first. */
  sections: number[];
}

/** Share of the best section in the score of a page. The rest is the score of the whole page. */
const sectionShare = 0.6;
/** Weight of a word that occurs in several sections of a page. */
const repetitionScore = 0.5;
/** Weights of words that are close to each other, and of titles that consist of the words. */
const proximityScore = 0.8;
export const exactTitleFactor = 4;

/** Ranks pages by the rarity, number, locations and distances of the words that they contain. */
export async function rank(results: TermResult[], { segments, pause }: SearchOptions): Promise<RankedPage[]> {
  const rarities = getTermRarities(results, segments);
  // Words without matches do not affect the order.
  const whole = results.reduce((sum, { count }, term) => sum + (count > 0 ? (rarities[term] as number) : 0), 0);
  let best: RankedPage[] = [];
  for (const segment of segments) {
    const terms = listTerms(results, segment, rarities);
    best.push(...(await rankSegment(terms, { segment, whole, count: results.length, pause })));
    best = best.sort(compareRanked).slice(0, maxHits);
  }
  return best;
}

/** Returns how rare each term is in the visible sections. */
export function getTermRarities(results: FoundTerm[], segments: SearchedSegment[]): number[] {
  const total = segments.reduce((sum, { count }) => sum + count, 0);
  return results.map(({ count }) => Math.log(1 + (total - count + 0.5) / (count + 0.5)));
}

export const compareRanked = (one: { score: number }, other: { score: number }): number => other.score - one.score;

interface Ranking {
  segment: SearchedSegment;
  /** The sum of the rarities of all terms that are found. */
  whole: number;
  /** The number of terms. */
  count: number;
  pause: SearchOptions['pause'];
}

async function rankSegment(terms: RankedTerm[], { segment, whole, count, pause }: Ranking): Promise<RankedPage[]> {
  const { index } = segment;
  if (terms.length === 0) return [];
  const { pages, scores, coverage, sectionScores } = await scorePages(terms, index, pause);
  const candidates = pages.map((page) => {
    const [start = 0, end = 0] = [index.firstSections[page], index.firstSections[page + 1]];
    let best = 0;
    for (let section = start; section < end; section += 1) best = Math.max(best, sectionScores[section] as number);
    const sum = sectionShare * best + (1 - sectionShare) * (scores[page] as number);
    const factor = terms.length === count && isTitle(terms, start) ? exactTitleFactor : 1;
    return { page, factor, score: whole > 0 ? sum * factor * Math.sqrt((coverage[page] as number) / whole) : sum };
  });
  candidates.sort((one, other) => compareRanked(one, other) || one.page - other.page);
  return candidates.slice(0, maxHits).map(({ page, factor, score }) => {
    const [start = 0, end = 0] = [index.firstSections[page], index.firstSections[page + 1]];
    const sections = Array.from({ length: end - start }, (_, offset) => start + offset)
      .filter((section) => (sectionScores[section] as number) > 0)
      .sort((one, other) => (sectionScores[other] as number) - (sectionScores[one] as number) || one - other)
      .slice(0, maxSectionsPerHit);
    const proximity = Math.max(...sections.map((section) => getProximity(terms, section)));
    return { segment, page, sections, score: score + proximityScore * proximity * factor };
  });
}

/**
 * Scores the pages and sections of a segment. A section scores the sum of the scores of its terms. A page scores, for
 * each term, the score of the term in its best section, increased if several sections contain the term. `coverage`
 * adds up how rare the terms of a page are.
 */
async function scorePages(terms: RankedTerm[], { header, pageOf }: SegmentIndex, pause: SearchOptions['pause']) {
  const sectionScores = new Float32Array(header.sections);
  const scores = new Float32Array(header.pages);
  const coverage = new Float32Array(header.pages);
  const best = new Float32Array(header.pages);
  const sums = new Float32Array(header.pages);
  const pages: number[] = [];
  let sections = 0;
  for (const term of terms) {
    const pageNumbers: number[] = [];
    for (const section of term.sections) {
      const page = pageOf[section] as number;
      const score = (term.scores[section] as number) * term.rarity;
      sectionScores[section] = (sectionScores[section] as number) + score;
      if (best[page] === 0) pageNumbers.push(page);
      best[page] = Math.max(best[page] as number, score);
      sums[page] = (sums[page] as number) + score;
    }
    for (const page of pageNumbers) {
      const score = best[page] as number;
      const repetition = 1 + repetitionScore * Math.log((sums[page] as number) / score);
      if (coverage[page] === 0) pages.push(page);
      scores[page] = (scores[page] as number) + score * repetition;
      coverage[page] = (coverage[page] as number) + term.rarity;
      best[page] = 0;
      sums[page] = 0;
    }
    sections += term.sections.length;
    if (sections < sectionsPerSlice) continue;
    sections = 0;
    await pause();
  }
  return { pages, scores, coverage, sectionScores };
}

interface RankedTerm extends TermScores {
  rarity: number;
  /** The number of the term among the terms that are found in at least one segment. */
  place: number;
}

/** Returns the terms that are found in a segment. */
function listTerms(results: TermResult[], segment: SearchedSegment, rarities: number[]): RankedTerm[] {
  let place = 0;
  return results.flatMap(({ found, count }, number) => {
    if (count > 0) place += 1;
    const scores = found.get(segment);
    return scores === undefined ? [] : [{ ...scores, place, rarity: rarities[number] as number }];
  });
}

/** Returns how close the words of consecutive terms are to each other in a section. */
function getProximity(terms: RankedTerm[], section: number): number {
  let sum = 0;
  for (let number = 1; number < terms.length; number += 1) {
    const [one, other] = [terms[number - 1] as RankedTerm, terms[number] as RankedTerm];
    const distance = getDistance(one.details[section] as number, other.details[section] as number);
    if (distance !== undefined && one.place + 1 === other.place)
      sum += Math.min(one.rarity, other.rarity) / (1 + distance);
  }
  return sum;
}

function getDistance(one: number, other: number): number | undefined {
  let best: number | undefined;
  for (let first = one & 0xffffff; first !== 0; first >>>= 8)
    for (let second = other & 0xffffff; second !== 0; second >>>= 8) {
      const distance = Math.abs((first & 255) - (second & 255));
      if (best === undefined || distance < best) best = distance;
    }
  return best;
}

/** Whether the title of a page consists of the words. */
const isTitle = (terms: RankedTerm[], firstSection: number): boolean =>
  terms.every(({ details }) => (details[firstSection] as number) >>> 24 === terms.length);
