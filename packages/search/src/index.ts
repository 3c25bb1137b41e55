export type { PageToIndex, SegmentToMerge } from './build.ts';
export { buildInSteps, buildSegment, mergeSegments } from './build.ts';
export { decodeBase64, encodeBase64 } from './bytes.ts';
export type { SearchOptions } from './lookup.ts';
export type { Query } from './query.ts';
export { parseQuery } from './query.ts';
export { maxHits } from './rank.ts';
export type { Hit, SearchResult } from './search.ts';
export { search } from './search.ts';
export type {
  BlockName,
  BlockReader,
  IndexedPage,
  Segment,
  SegmentBlock,
  SegmentHeader,
  SegmentIndex,
  WordBlock,
} from './segment.ts';
export {
  decodeBits,
  decodeHeader,
  decodePages,
  decodeWords,
  encodeBits,
  findPage,
  findPageBlock,
  getPageOfBlock,
} from './segment.ts';
export { createSnippet, findMatches, WordMatcher } from './snippet.ts';
export type { Suggestion, SuggestionResult } from './suggest.ts';
export { suggest } from './suggest.ts';
export type { SynonymEntry } from './synonyms.ts';
export { maxEntryWords, readEntry, Synonyms } from './synonyms.ts';
export type { Visibility } from './visible.ts';
export { restrictSegment } from './visible.ts';
