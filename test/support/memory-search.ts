import type {
  BlockName,
  BlockReader,
  IndexedPage,
  PageToIndex,
  SearchResult,
  Segment,
  SegmentIndex,
  SegmentToMerge,
  SuggestionResult,
  Visibility,
  WordBlock,
} from '@octavo/search';
import {
  buildSegment,
  decodeBase64,
  decodeHeader,
  decodePages,
  decodeWords,
  parseQuery,
  readEntry,
  restrictSegment,
  Synonyms,
  search,
  suggest,
} from '@octavo/search';

type DecodedBlock = WordBlock | Uint8Array | IndexedPage[];

const toKey = ({ segment, kind, number }: BlockName): string => `${segment}/${kind}/${number}`;

/** The blocks of segments in memory. A block can only be read after it was loaded, as in the database. */
export class MemoryBlocks implements BlockReader {
  readonly #segments = new Map<string, Segment>();
  readonly #loaded = new Map<string, DecodedBlock>();
  /** The number of blocks that were loaded. */
  get loaded(): number {
    return this.#loaded.size;
  }

  /** Adds a segment, stored and read as JSON, and returns its decoded header. */
  add(id: string, segment: Segment): SegmentIndex {
    const stored = JSON.parse(JSON.stringify(segment)) as Segment;
    this.#segments.set(id, stored);
    return decodeHeader(stored.header);
  }

  load(names: BlockName[]): Promise<void> {
    for (const name of names) this.#loaded.set(toKey(name), this.#decode(name));
    return Promise.resolve();
  }

  #decode(name: BlockName): DecodedBlock {
    const { header, blocks } = this.#segments.get(name.segment) ?? {};
    const block = blocks?.find(({ kind, number }) => kind === name.kind && number === name.number);
    if (header === undefined || block === undefined) throw new Error(`There is no block ${toKey(name)}.`);
    if (block.kind === 'words') return decodeWords(block.data);
    return block.kind === 'postings' ? decodeBase64(block.data) : decodePages(block.data, header);
  }

  #get<Kind extends DecodedBlock>(name: BlockName): Kind {
    const block = this.#loaded.get(toKey(name));
    if (block === undefined) throw new Error(`The block ${toKey(name)} was not loaded.`);
    return block as Kind;
  }

  getWords = (segment: string, number: number): WordBlock => this.#get({ segment, kind: 'words', number });
  getPostings = (segment: string, number: number): Uint8Array => this.#get({ segment, kind: 'postings', number });
  getPages = (segment: string, number: number): IndexedPage[] => this.#get({ segment, kind: 'pages', number });
}

/** The pages of a segment, and which of them are removed. Pages are numbered in the order of the segment. */
export interface SegmentPages {
  pages: PageToIndex[];
  isRemoved?: (page: IndexedPage) => boolean;
}

/** An index in memory. */
export interface MemoryIndex {
  blocks: MemoryBlocks;
  segments: SegmentToMerge[];
}

export const continueAtOnce = (): Promise<void> => Promise.resolve();

/** Returns the pages of a segment in order. */
export function readPages({ blocks }: Segment, { header }: SegmentIndex): IndexedPage[] {
  return blocks.flatMap(({ kind, data }) => (kind === 'pages' ? decodePages(data, header) : []));
}

/** Builds an index of one segment per list of pages. */
export function buildIndex(parts: SegmentPages[]): MemoryIndex {
  const blocks = new MemoryBlocks();
  const segments = parts.map(({ pages, isRemoved = () => false }, number) => {
    const id = String(number + 1);
    const segment = buildSegment(pages);
    const index = blocks.add(id, segment);
    const removed = readPages(segment, index).flatMap((page, at) => (isRemoved(page) ? [at] : []));
    return { ...index, id, removed: new Set(removed) };
  });
  return { blocks, segments };
}

interface SearchSettings extends Partial<Visibility> {
  /** Groups of synonyms. */
  synonyms?: string[][];
}

/** Restricts an index to the visible spaces and to the sections whose conditions are met. */
function restrictIndex(
  { blocks, segments }: MemoryIndex,
  { isVisibleSpace = () => true, areMet = () => true }: SearchSettings,
) {
  const restricted = segments
    .map(({ id, removed, ...index }) => restrictSegment(id, index, { removed: [...removed], isVisibleSpace, areMet }))
    .filter(({ count }) => count > 0);
  return { segments: restricted, blocks, pause: continueAtOnce };
}

const parse = (query: string, { synonyms = [] }: SearchSettings) =>
  parseQuery(query, new Synonyms(synonyms.map((group) => group.map(readEntry))));

/** Searches an index with the given synonyms, visible spaces and met conditions. */
export const searchIndex = (index: MemoryIndex, query: string, settings: SearchSettings = {}): Promise<SearchResult> =>
  search(parse(query, settings), restrictIndex(index, settings));

/** Finds titles and headings in an index, like `searchIndex`. */
export const suggestInIndex = (
  index: MemoryIndex,
  query: string,
  settings: SearchSettings = {},
): Promise<SuggestionResult> => suggest(parse(query, settings), restrictIndex(index, settings));
