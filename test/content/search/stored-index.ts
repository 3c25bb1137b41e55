import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { BlockName, BlockReader, PageToIndex, Segment, SegmentHeader, SegmentIndex } from '@octavo/search';
import {
  buildSegment,
  decodeBase64,
  decodeBits,
  decodeHeader,
  decodePages,
  decodeWords,
  encodeBits,
  mergeSegments,
} from '@octavo/search';
import { queryDatabase, writeDatabaseAtOnce } from '../../support/database.ts';
import type { Server } from '../../support/platform.ts';

type Platform = Pick<Server, 'dataDir'>;

interface SegmentRow {
  id: number;
  removed: string;
  header: string;
  blocks: string | null;
}

type StoredBlock = Segment['blocks'][number];

/** A segment of an index in the database, with all its blocks. */
interface StoredSegment {
  id: number;
  index: SegmentIndex;
  /** The numbers of the pages that later segments replace. */
  removed: Set<number>;
  blocks: StoredBlock[];
}

function readSegments({ dataDir }: Platform, organization: string): StoredSegment[] {
  const rows = queryDatabase<SegmentRow>(
    dataDir,
    'SELECT id, removed, header, blocks FROM search_segments WHERE organization = ? ORDER BY id',
    organization,
  );
  const readLargeSegment = (id: number) =>
    queryDatabase<StoredBlock>(
      dataDir,
      'SELECT kind, number, data FROM search_blocks WHERE organization = ? AND segment = ?',
      ...[organization, id],
    );
  return rows.map(({ id, removed, header, blocks }) => ({
    id,
    index: decodeHeader(JSON.parse(header) as SegmentHeader),
    removed: new Set(decodeBits(removed)),
    blocks: blocks === null ? readLargeSegment(id) : (JSON.parse(blocks) as StoredBlock[]),
  }));
}

/** A page in the index of an organization. */
export interface StoredPage {
  space: string;
  page: string;
  title: string;
  conditions: string[];
  /** The key of its texts. */
  key: string;
  /** The segment that has the page, and the number of the page in it. */
  segment: number;
  number: number;
  sections: { anchor: string; heading: string; text: string }[];
}

type TextRow = [anchor: string, heading: string, text: string];

/** Reads the pages in an organization's index, sorted by space and id, with the texts of their sections. */
export function readIndexedPages(server: Platform, organization: string): StoredPage[] {
  const entries = readSegments(server, organization)
    .flatMap(({ id, index, removed, blocks }) =>
      blocks
        .filter(({ kind }) => kind === 'pages')
        .toSorted((one, other) => one.number - other.number)
        .flatMap(({ data }) => decodePages(data, index.header))
        .map((entry, number) => ({ ...entry, segment: id, number }))
        .filter(({ number }) => !removed.has(number)),
    )
    .sort((one, other) => (`${one.space}/${one.page}` < `${other.space}/${other.page}` ? -1 : 1));
  const texts = readTexts(server, [...new Set(entries.map(({ key }) => key))]);
  return entries.map((entry) => ({ ...entry, sections: texts.get(entry.key) ?? [] }));
}

function readTexts({ dataDir }: Platform, keys: string[]): Map<string, StoredPage['sections']> {
  const rows = queryDatabase<{ key: string; sections: string }>(
    dataDir,
    'SELECT key, sections FROM search_texts WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key, part',
    JSON.stringify(keys),
  );
  const toSections = ({ sections }: { sections: string }) =>
    (JSON.parse(inflateRawSync(Buffer.from(sections, 'base64')).toString()) as TextRow[]).map(
      ([anchor, heading, text]) => ({ anchor, heading, text }),
    );
  return new Map([...Map.groupBy(rows, ({ key }) => key)].map(([key, parts]) => [key, parts.flatMap(toSections)]));
}

/** Merges an organization's index into one segment. The result is the same for indexes with equal content. */
export function mergeIndex(server: Platform, organization: string): Promise<Segment> {
  const segments = readSegments(server, organization);
  const getData = ({ segment, kind, number }: BlockName) =>
    segments
      .find(({ id }) => String(id) === segment)
      ?.blocks.find((block) => block.kind === kind && block.number === number)?.data ?? '';
  const blocks: BlockReader = {
    load: () => Promise.resolve(),
    getWords: (segment, number) => decodeWords(getData({ segment, kind: 'words', number })),
    getPostings: (segment, number) => decodeBase64(getData({ segment, kind: 'postings', number })),
    getPages: (segment, number) => {
      const { index } = segments.find(({ id }) => String(id) === segment) ?? {};
      return index === undefined ? [] : decodePages(getData({ segment, kind: 'pages', number }), index.header);
    },
  };
  return mergeSegments(
    segments.map(({ id, index, removed }) => ({ ...index, id: String(id), removed })),
    { blocks, pause: () => Promise.resolve() },
  );
}

/** Returns the version of an organization's index, which every write increments. */
const getVersion = ({ dataDir }: Platform, organization: string): number =>
  queryDatabase<{ version: number }>(
    dataDir,
    'SELECT version FROM search_indexes WHERE organization = ?',
    organization,
  )[0]?.version ?? 0;

/** Maximum length of the blocks that are stored in the row of their segment. */
const maxInlineSize = 65_536;
const maxRowsLength = 300_000;

/** Adds a segment of pages and the texts of their sections to an organization's index, as indexing does. */
export async function writeSegment(server: Platform, organization: string, pages: PageToIndex[]): Promise<void> {
  const { header, blocks } = buildSegment(pages);
  const size = blocks.reduce((sum, { data }) => sum + data.length, 0);
  const isInline = size <= maxInlineSize;
  const id = getVersion(server, organization) + 1;
  const rows = isInline ? [] : blocks.map(({ kind, number, data }) => [kind, number, data]);
  const texts = pages.map(({ key, sections }) => [
    key,
    compress(sections.map(({ heading, text }) => ['', heading, text])),
  ]);
  await writeDatabaseAtOnce(server, [
    {
      sql: 'INSERT INTO search_indexes (organization, version) VALUES (?, ?) ON CONFLICT DO UPDATE SET version = excluded.version',
      values: [organization, id],
    },
    {
      sql: 'INSERT INTO search_segments (organization, id, size, header, blocks) VALUES (?, ?, ?, ?, ?)',
      values: [organization, id, size, JSON.stringify(header), isInline ? JSON.stringify(blocks) : null],
    },
    ...splitRows(rows).map((json) => ({
      sql: `INSERT INTO search_blocks (organization, segment, kind, number, data)
        SELECT ?, ?, value->>0, value->>1, value->>2 FROM json_each(?)`,
      values: [organization, id, json],
    })),
    ...splitRows(texts).map((json) => ({
      sql: 'INSERT INTO search_texts (key, part, sections) SELECT value->>0, 0, value->>1 FROM json_each(?) WHERE true ON CONFLICT DO NOTHING',
      values: [json],
    })),
  ]);
}

const compress = (sections: TextRow[]): string => deflateRawSync(JSON.stringify(sections)).toString('base64');

function splitRows(rows: unknown[]): string[] {
  const parts: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const row of rows.map((each) => JSON.stringify(each))) {
    if (length + row.length > maxRowsLength) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(row);
    length += row.length;
  }
  return parts.map((each) => `[${each.join(',')}]`);
}

/** Removes a page from an organization's index. Unlike an edit of the page, it adds no new entry for the page. */
export async function removeFromIndex(server: Platform, organization: string, page: string): Promise<void> {
  const storedPages = readIndexedPages(server, organization).filter((each) => each.page === page);
  const segments = new Map(readSegments(server, organization).map((each) => [each.id, each.removed]));
  const version = getVersion(server, organization) + 1;
  await writeDatabaseAtOnce(server, [
    { sql: 'UPDATE search_indexes SET version = ? WHERE organization = ?', values: [version, organization] },
    ...storedPages.map(({ segment, number }) => {
      const removed = [...(segments.get(segment) ?? []), number];
      return {
        sql: 'UPDATE search_segments SET removed = ? WHERE organization = ? AND id = ?',
        values: [encodeBits(removed, Math.max(...removed) + 1), organization, segment],
      };
    }),
  ]);
}

/** Removes all pages from an organization's index. */
export const clearIndex = (server: Platform, organization: string): Promise<void> =>
  writeDatabaseAtOnce(server, [
    { sql: 'UPDATE search_indexes SET version = version + 1 WHERE organization = ?', values: [organization] },
    ...['search_segments', 'search_blocks'].map((table) => ({
      sql: `DELETE FROM ${table} WHERE organization = ?`,
      values: [organization],
    })),
  ]);
