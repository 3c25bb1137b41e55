import { inflateRawSync } from 'node:zlib';
import type { IndexedPage, SegmentBlock, SegmentHeader } from '@octavo/search';
import { decodeBits, decodePages, decodeWords } from '@octavo/search';
import { queryDatabase, writeDatabaseAtOnce } from './database.ts';

interface SegmentRow {
  organization: string;
  id: number;
  removed: string;
  header: string;
  blocks: string | null;
}

interface StoredPage extends IndexedPage {
  organization: string;
  /** Whether a later segment replaces the entry. */
  isRemoved: boolean;
}

/** A segment of a search index, decoded. */
interface StoredSegment {
  words: string[];
  pages: StoredPage[];
}

/** Reads the segments of the search indexes of a platform, or of the organization of a space. */
function readSegments({ dataDir }: { dataDir: string }, space?: string): StoredSegment[] {
  const inScope = `WHERE ${space === undefined ? '?1 IS NULL' : 'organization = (SELECT organization FROM spaces WHERE id = ?1)'}`;
  const large = Map.groupBy(
    queryDatabase<SegmentBlock & { organization: string; segment: number }>(
      dataDir,
      `SELECT organization, segment, kind, number, data FROM search_blocks ${inScope} ORDER BY kind, number`,
      space ?? null,
    ),
    ({ organization, segment }) => `${organization}/${segment}`,
  );
  const segments = queryDatabase<SegmentRow>(
    dataDir,
    `SELECT organization, id, removed, header, blocks FROM search_segments ${inScope}`,
    space ?? null,
  );
  return segments.map(({ organization, id, removed, header, blocks }) => {
    const all = blocks === null ? (large.get(`${organization}/${id}`) ?? []) : (JSON.parse(blocks) as SegmentBlock[]);
    const getData = (blockKind: SegmentBlock['kind']) =>
      all.filter(({ kind }) => kind === blockKind).map(({ data }) => data);
    const removedPages = new Set(decodeBits(removed));
    return {
      words: getData('words').flatMap((data) => decodeWords(data).words),
      pages: getData('pages')
        .flatMap((data) => decodePages(data, JSON.parse(header) as SegmentHeader))
        .map((page, number) => ({ ...page, organization, isRemoved: removedPages.has(number) })),
    };
  });
}

type CurrentPage = Omit<StoredPage, 'isRemoved'>;

const getCurrentPages = (segments: StoredSegment[]): CurrentPage[] =>
  segments
    .flatMap(({ pages }) => pages)
    .flatMap(({ isRemoved, ...page }) => (isRemoved ? [] : [page]))
    .toSorted((one, other) => (`${one.space}/${one.page}` < `${other.space}/${other.page}` ? -1 : 1));

/** Reads the current entries of all search indexes, sorted by space and page. */
export const readIndexedPages = (server: { dataDir: string }): CurrentPage[] => getCurrentPages(readSegments(server));

/** Reads the ids of the pages of a space that are in a search index. */
export const readIndexedIds = (server: { dataDir: string }, space: string): string[] =>
  readIndexedPages(server).flatMap((page) => (page.space === space ? [page.page] : []));

type TextRow = [anchor: string, heading: string, text: string];

/** Reads the texts of sections in a row of `search_texts`. */
const decompressTexts = (sections: string): TextRow[] =>
  JSON.parse(inflateRawSync(Buffer.from(sections, 'base64')).toString()) as TextRow[];

interface IndexedSection {
  page: string;
  anchor: string;
  heading: string;
  text: string;
}

/** Reads the texts of the pages of a space in the index of its organization, sorted by page. */
export function readIndexedSections(server: { dataDir: string }, space: string): IndexedSection[] {
  const pages = getCurrentPages(readSegments(server, space)).filter((page) => page.space === space);
  const parts = Map.groupBy(
    queryDatabase<{ key: string; sections: string }>(
      server.dataDir,
      `SELECT key, sections FROM search_texts WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key, part`,
      JSON.stringify(pages.map(({ key }) => key)),
    ),
    ({ key }) => key,
  );
  return pages.flatMap(({ page, key }) =>
    (parts.get(key) ?? [])
      .flatMap(({ sections }) => decompressTexts(sections))
      .map(([anchor, heading, text]) => ({ page, anchor, heading, text })),
  );
}

/** Reads the parts of the search indexes that can contain a text: their words, pages and texts. */
export const readSearchTexts = (server: { dataDir: string }): string =>
  JSON.stringify([
    readSegments(server),
    queryDatabase<{ sections: string }>(server.dataDir, 'SELECT sections FROM search_texts').map(({ sections }) =>
      decompressTexts(sections),
    ),
  ]);

/** Deletes all search indexes, as if nothing had been indexed. */
export const deleteIndexes = (server: { dataDir: string }): Promise<void> =>
  writeDatabaseAtOnce(
    server,
    ['search_indexes', 'search_segments', 'search_blocks', 'search_texts'].map((table) => ({
      sql: `DELETE FROM ${table}`,
      values: [],
    })),
  );
