import type { Database, RecordOf, Statement } from '@octavo/db';
import {
  abortUnless,
  prepareForKeys,
  prepareStatement,
  readRows,
  runBatch,
  searchBlocks,
  searchIndexes,
  searchSegments,
  selection,
  splitIntoJson,
} from '@octavo/db';
import type { OrganizationId, SiteId } from '@octavo/schema';
import type {
  BlockName,
  BlockReader,
  IndexedPage,
  Segment,
  SegmentBlock,
  SegmentHeader,
  SegmentIndex,
  WordBlock,
} from '@octavo/search';
import { decodeBase64, decodeBits, decodeHeader, decodePages, decodeWords, encodeBits } from '@octavo/search';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { LengthLimitedCache } from './cache.ts';

const [i, s, b] = [
  aliasedTable(searchIndexes, 'i'),
  aliasedTable(searchSegments, 's'),
  aliasedTable(searchBlocks, 'b'),
];

const segmentRow = selection({ organization: i.organization, id: s.id, size: s.size, removed: s.removed });
/** A segment of an organization's index. */
export type StoredSegment = RecordOf<typeof segmentRow>;

/** Reads the segments of an organization's index. */
export const readSegments = prepareStatement((organization: SQL<OrganizationId>) =>
  segmentRow.query(sql`
    SELECT ${segmentRow} FROM search_indexes i CROSS JOIN search_segments s ON s.organization = i.organization
    WHERE i.organization = ${organization}`),
);

/** Reads the segments of the index of a site's organization. */
export const readSegmentsOfSite = prepareStatement((site: SQL<SiteId>) =>
  segmentRow.query(sql`
    SELECT ${segmentRow} FROM sites o CROSS JOIN search_indexes i ON i.organization = o.organization
    CROSS JOIN search_segments s ON s.organization = i.organization WHERE o.id = ${site}`),
);

const versionRow = selection({ version: i.version });

/** Reads the version of an organization's index. */
const readVersion = prepareStatement((organization: SQL<OrganizationId>) =>
  versionRow.query(sql`SELECT ${versionRow} FROM search_indexes i WHERE i.organization = ${organization}`),
);

const headerRow = selection({ id: s.id, header: s.header, blocks: s.blocks });

const readHeaders = prepareStatement((organization: SQL<OrganizationId>, ids: SQL<string>) =>
  headerRow.query(sql`
    SELECT ${headerRow} FROM json_each(${ids}) w CROSS JOIN search_segments s
      ON s.organization = ${organization} AND s.id = w.value`),
);

const readAllHeaders = prepareStatement((organization: SQL<OrganizationId>) =>
  headerRow.query(sql`SELECT ${headerRow} FROM search_segments s WHERE s.organization = ${organization}`),
);

const blockRow = selection({ segment: b.segment, kind: b.kind, number: b.number, data: b.data });

const readBlocks = prepareForKeys(['segment', 'kind', 'number'], (names, organization: SQL<OrganizationId>) =>
  blockRow.query(sql`
      SELECT ${blockRow} FROM ${names} w CROSS JOIN search_blocks b ON b.organization = ${organization}
        AND b.segment = w.segment AND b.kind = w.kind AND b.number = w.number`),
);

type DecodedBlock = WordBlock | Uint8Array | IndexedPage[];

/** A segment in memory. */
export interface DecodedSegment {
  index: SegmentIndex;
  blocks: (Pick<SegmentBlock, 'kind' | 'number'> & { block: DecodedBlock })[];
}

export const decodeSegment = ({ header, blocks }: Segment): DecodedSegment => ({
  index: decodeHeader(header),
  blocks: blocks.map(({ kind, number, data }) => ({ kind, number, block: decodeBlock(kind, data, header) })),
});

/** Maximum length of the blocks and headers in memory, in characters as stored. */
const maxCachedLength = 24_000_000;

/** Segments are immutable, so cached ones stay valid. */
const cache = new LengthLimitedCache<SegmentIndex | DecodedBlock>(maxCachedLength);

/** Number of reads in one batch. A read returns up to 32 blocks, so the results fit into one database response. */
const readsPerBatch = 4;

/** Reads the segments of an index for one request. */
export class IndexReader implements BlockReader {
  readonly #db: Database;
  readonly #organization: OrganizationId;
  readonly #headers = new Map<string, SegmentIndex>();
  readonly #blocks = new Map<string, DecodedBlock>();

  constructor(db: Database, organization: OrganizationId) {
    this.#db = db;
    this.#organization = organization;
  }

  #getKey(segment: string): string {
    return `${this.#organization}/${segment}`;
  }

  /** Loads the headers of segments, unless they are loaded or cached. */
  async loadHeaders(ids: number[]): Promise<void> {
    const missing = ids.filter((id) => !this.#findHeader(String(id)));
    if (missing.length === 0) return;
    const read =
      missing.length === ids.length
        ? readAllHeaders(this.#organization)
        : readHeaders(this.#organization, JSON.stringify(missing));
    const rows = await readRows(this.#db, read);
    for (const { id, header, blocks } of rows) {
      const segment = String(id);
      const index = decodeHeader(JSON.parse(header) as SegmentHeader);
      this.#headers.set(segment, index);
      cache.add(this.#getKey(segment), index, header.length * 2);
      for (const block of blocks === null ? [] : (JSON.parse(blocks) as SegmentBlock[]))
        this.#add({ segment, ...block });
    }
  }

  /** Adds a segment that is not stored in the database. */
  addSegment(id: string, { index, blocks }: DecodedSegment): SegmentIndex {
    this.#headers.set(id, index);
    for (const { kind, number, block } of blocks) this.#blocks.set(`${this.#getKey(id)}/${kind}/${number}`, block);
    return index;
  }

  #findHeader(segment: string): SegmentIndex | undefined {
    const cached = this.#headers.get(segment) ?? (cache.get(this.#getKey(segment)) as SegmentIndex | undefined);
    if (cached !== undefined) this.#headers.set(segment, cached);
    return cached;
  }

  /** @throws if the segment was removed after the index was read; the search or job then starts again */
  getHeader(id: number): SegmentIndex {
    const header = this.#headers.get(String(id));
    if (header === undefined) throw new SegmentRemoved();
    return header;
  }

  async load(names: BlockName[]): Promise<void> {
    const missing = names.filter((name) => !this.#findBlock(name));
    const reads = readBlocks(
      missing.map(({ segment, kind, number }) => [Number(segment), kind, number]),
      this.#organization,
    );
    const batches = Array.from({ length: Math.ceil(reads.length / readsPerBatch) }, (_, index) =>
      runBatch(this.#db, { blocks: reads.slice(index * readsPerBatch, (index + 1) * readsPerBatch) }),
    );
    for (const { blocks } of await Promise.all(batches))
      for (const { segment, ...block } of blocks) this.#add({ segment: String(segment), ...block });
  }

  #add({ segment, kind, number, data }: SegmentBlock & { segment: string }): void {
    const block = decodeBlock(kind, data, this.getHeader(Number(segment)).header);
    const key = `${this.#getKey(segment)}/${kind}/${number}`;
    this.#blocks.set(key, block);
    cache.add(key, block, kind === 'words' ? data.length * 4 : data.length);
  }

  #findBlock({ segment, kind, number }: BlockName): DecodedBlock | undefined {
    const key = `${this.#getKey(segment)}/${kind}/${number}`;
    const cached = this.#blocks.get(key) ?? (cache.get(key) as DecodedBlock | undefined);
    if (cached !== undefined) this.#blocks.set(key, cached);
    return cached;
  }

  #get<Kind extends DecodedBlock>(name: BlockName): Kind {
    const block = this.#findBlock(name);
    if (block === undefined) throw new SegmentRemoved();
    return block as Kind;
  }

  getWords = (segment: string, number: number): WordBlock => this.#get({ segment, kind: 'words', number });
  getPostings = (segment: string, number: number): Uint8Array => this.#get({ segment, kind: 'postings', number });
  getPages = (segment: string, number: number): IndexedPage[] => this.#get({ segment, kind: 'pages', number });
}

function decodeBlock(kind: SegmentBlock['kind'], data: string, header: SegmentHeader): DecodedBlock {
  if (kind === 'words') return decodeWords(data);
  return kind === 'postings' ? decodeBase64(data) : decodePages(data, header);
}

/** A segment was merged into another one after the index was read. */
class SegmentRemoved extends Error {
  override name = 'SegmentRemoved';
}

const maxTries = 4;

/** Repeats a read or change of an index if its segments are merged in between. */
export async function retryIfMerged<Value>(read: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof SegmentRemoved) || tries === maxTries) throw error;
    }
  }
}

/** Changes of an index. */
export interface IndexChange {
  /** The segment to add, if it has pages. */
  added: Segment | undefined;
  /** The pages to remove from each segment, in addition to pages that were removed before. */
  removed: Map<StoredSegment, Iterable<number>>;
  /** Segments that are deleted. */
  deleted: StoredSegment[];
}

/** Maximum length of the blocks that are stored in the row of their segment. */
const maxInlineSize = 65_536;

/** Creates a guard that the version of an index has not changed since it was read. */
export const guardVersion = (db: Database, organization: OrganizationId, version: number): Statement =>
  abortUnless(
    db,
    sql`COALESCE((SELECT version FROM search_indexes WHERE organization = ${organization}), 0) = ${version}`,
  );

/** Creates guards that let a write fail if a segment is gone, or if more of its pages were removed meanwhile. */
export function guardSegments(db: Database, organization: OrganizationId, segments: StoredSegment[]): Statement {
  const read = JSON.stringify(segments.map(({ id, removed }) => [id, removed]));
  return abortUnless(
    db,
    sql`NOT EXISTS (SELECT 1 FROM json_each(${read}) r LEFT JOIN search_segments s
      ON s.organization = ${organization} AND s.id = r.value->>0 WHERE s.removed IS NOT r.value->>1)`,
  );
}

/** Returns the statement that increases the version of an index, so that slower changes are refused. */
export const increaseVersion = (db: Database, organization: OrganizationId): Statement =>
  db.run(sql`INSERT INTO search_indexes (organization, version) VALUES (${organization}, 1)
    ON CONFLICT (organization) DO UPDATE SET version = version + 1`);

/**
 * Returns the statements that change an index. The caller adds a guard that the index, or the segments of the change,
 * are still the ones that were read.
 */
export function changeIndex(
  db: Database,
  organization: OrganizationId,
  { added, removed, deleted }: IndexChange,
): Statement[] {
  const isAdded = added !== undefined && added.header.pages > 0;
  const ids = JSON.stringify(deleted.map(({ id }) => id));
  return [
    increaseVersion(db, organization),
    ...[...removed].map(([{ id, removed: before }, pages]) => {
      const all = [...decodeBits(before), ...pages];
      const bits = encodeBits(all, Math.max(...all) + 1);
      return db.run(
        sql`UPDATE search_segments SET removed = ${bits} WHERE organization = ${organization} AND id = ${id}`,
      );
    }),
    ...(deleted.length === 0
      ? []
      : [
          db.run(sql`DELETE FROM search_segments WHERE organization = ${organization}
            AND id IN (SELECT value FROM json_each(${ids}))`),
          db.run(sql`DELETE FROM search_blocks WHERE organization = ${organization}
            AND segment IN (SELECT value FROM json_each(${ids}))`),
        ]),
    ...(isAdded ? addSegment(db, organization, added) : []),
  ];
}

/** Weight of a header in the size of a segment. A header must fit into one row, so it counts more than blocks. */
const headerWeight = 4;

/** Returns the total length of the blocks of a segment, and the length of its header. */
export const getSize = ({ header, blocks }: Segment): number =>
  getBlocksLength(blocks) + headerWeight * JSON.stringify(header).length;

const getBlocksLength = (blocks: SegmentBlock[]): number => blocks.reduce((sum, { data }) => sum + data.length, 0);

function addSegment(db: Database, organization: OrganizationId, segment: Segment): Statement[] {
  const { header, blocks } = segment;
  // Segments are cached by id, so an id must not be used again, even if the database is restored to an earlier state.
  const id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  const size = getSize(segment);
  const isInline = getBlocksLength(blocks) <= maxInlineSize;
  return [
    db.run(sql`INSERT INTO search_segments (organization, id, size, header, blocks)
      VALUES (${organization}, ${id}, ${size}, ${JSON.stringify(header)}, ${isInline ? JSON.stringify(blocks) : null})`),
    ...splitIntoJson(isInline ? [] : blocks.map(({ kind, number, data }) => [kind, number, data])).map((json) =>
      db.run(sql`INSERT INTO search_blocks (organization, segment, kind, number, data)
        SELECT ${organization}, ${id}, value->>0, value->>1, value->>2 FROM json_each(${json})`),
    ),
  ];
}

/** Reads the version and the segments of an index. */
export async function readIndex(
  db: Database,
  organization: OrganizationId,
): Promise<{ version: number; segments: StoredSegment[] }> {
  const { versions, segments } = await runBatch(db, {
    versions: readVersion(organization),
    segments: readSegments(organization),
  });
  return { version: versions[0]?.version ?? 0, segments };
}
