import { headingFlag, lengthShift, titleFlag } from './build.ts';
import type { SearchedSegment } from './visible.ts';

/** The sections that match a term in a segment. */
export interface TermScores {
  scores: Float32Array;
  /** For each section, up to three positions and the length of the title, one byte each. */
  details: Uint32Array;
  sections: number[];
}

/** The matches of a term. */
export interface FoundTerm {
  /** The number of visible sections, and the matches by word. */
  count: number;
  words: Map<string, number>;
}

export interface TermResult extends FoundTerm {
  /** The postings by segment. */
  found: Map<SearchedSegment, TermScores>;
}

/** Weights of a match by its location and frequency. */
const titleScore = 4.5;
const headingScore = 2.2;
const frequencyScores = [0, 1, 1.3, 1.5];

/** The weights of a word's postings in a term. */
export interface PostingWeight {
  weight: number;
  /**
   * The number of terms that a word or phrase matches, such as 2 for a compound of two terms. The stored length of a
   * title counts it once, so the length is increased to count all terms.
   */
  termCount?: number;
}

/** The postings of a word. */
export interface WeightedPostings extends PostingWeight {
  bytes: Uint8Array;
}

/** Returns the weight of a match in a title or heading with this number of words. */
export const scoreTitle = (length: number): number => titleScore * (0.4 + 0.6 / Math.max(1, length));
export const scoreHeading = (length: number): number => headingScore * (0.4 + 0.6 / Math.max(1, length));

/** Adds the postings of a word to a term. Returns the number of visible sections. */
export function addPostings(postings: WeightedPostings, segment: SearchedSegment, result: TermResult): number {
  const { bytes, weight, termCount = 1 } = postings;
  const { visible } = segment;
  let term = result.found.get(segment);
  let [position, section, count] = [0, 0, 0];
  const end = bytes.length;
  while (position < end) {
    let byte = bytes[position++] as number;
    let [delta, shift] = [byte & 127, 7];
    while (byte > 127) {
      byte = bytes[position++] as number;
      delta |= (byte & 127) << shift;
      shift += 7;
    }
    section += delta;
    const flags = bytes[position++] as number;
    const frequency = flags & 3;
    const from = position;
    position += frequency;
    const title = flags & titleFlag ? Math.min(255, (bytes[position++] as number) + termCount - 1) : 0;
    const heading = flags & headingFlag ? (bytes[position++] as number) : 0;
    if (visible[section] === 0) continue;
    count += 1;
    let score = (frequencyScores[frequency] as number) / (0.55 + 0.05 * (flags >> lengthShift));
    if (flags & titleFlag) score += scoreTitle(title);
    if (flags & headingFlag) score += scoreHeading(heading);
    score *= weight;
    if (term === undefined) {
      const { sections } = segment.index.header;
      term = { scores: new Float32Array(sections), details: new Uint32Array(sections), sections: [] };
      result.found.set(segment, term);
    }
    const known = term.scores[section] as number;
    if (known === 0) {
      term.sections.push(section);
      result.count += 1;
    }
    if (score > known) {
      term.scores[section] = score;
      let details = title << 24;
      for (let each = 0; each < frequency; each += 1) details |= (bytes[from + each] as number) << (8 * each);
      // 0 means that the word is not in the text, so position 0 is replaced by position 1.
      if (frequency > 0 && (details & 255) === 0) details |= 1;
      term.details[section] = details >>> 0;
    }
  }
  return count;
}
