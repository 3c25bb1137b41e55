import type { Database, Statement } from '@octavo/db';
import { abortUnless, fromQuery, prepareStatement, readRows, selection } from '@octavo/db';
import { waitForSlice } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import type { SegmentHeader } from '@octavo/search';
import { decodeBits, mergeSegments } from '@octavo/search';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { StoredSegment } from './index-store.ts';
import { changeIndex, guardSegments, IndexReader, readIndex } from './index-store.ts';

/** Number of segments of about the same size (a tier) at which they are merged. */
const segmentsPerTier = 4;
/** The maximum size of a segment in the lowest tier. */
const smallestTier = 32_768;
/** Maximum length of the blocks of a merged segment. Larger ones would not fit into the memory of a worker. */
const maxMergedSize = 6_000_000;

const getTier = (size: number): number =>
  Math.max(0, Math.ceil(Math.log(size / smallestTier) / Math.log(segmentsPerTier)));

/** Returns the segments of the smallest tier that is full. */
function findFullTier<Sized extends { size: number }>(segments: Sized[]): Sized[] {
  const mergeable = segments.filter(({ size }) => size < maxMergedSize / 2);
  const tiers = [...Map.groupBy(mergeable, ({ size }) => getTier(size))].toSorted(([one], [other]) => one - other);
  const full = tiers.find(([, each]) => each.length >= segmentsPerTier)?.[1] ?? [];
  const limited: Sized[] = [];
  let sum = 0;
  for (const segment of full.toSorted((one, other) => one.size - other.size)) {
    sum += segment.size;
    if (sum <= maxMergedSize) limited.push(segment);
  }
  return limited.length > 1 ? limited : [];
}

/** Whether an index with segments of these sizes is to be compacted. */
export const needsCompaction = (sizes: number[]): boolean => findFullTier(sizes.map((size) => ({ size }))).length > 0;

/** Whether a segment must be rewritten because it is too large to be merged and most of its pages are removed. */
export const needsRewrite = (size: number, removed: number, pages: number): boolean =>
  size >= maxMergedSize / 2 && removed * 2 > pages;

/** Returns the segments that a new segment of this size is merged with before it is written. */
export function findSmallSegments(segments: StoredSegment[], size: number): StoredSegment[] {
  const small = segments.filter((segment) => getTier(segment.size) === 0);
  return getTier(size) === 0 && small.length >= segmentsPerTier - 1 ? small : [];
}

const spaceRow = selection({ id: fromQuery(String) });

/** Reads which of the spaces belong to the organization, and are not being purged. */
const readOwnSpaces = prepareStatement((organization: SQL<OrganizationId>, spaces: SQL<string>) =>
  spaceRow.query(sql`
    SELECT o.id FROM json_each(${spaces}) w CROSS JOIN spaces o ON o.id = w.value
    WHERE o.organization = ${organization} AND o.purging_at IS NULL`),
);

interface Compaction {
  statements: Statement[];
  /** Whether another step is needed. */
  isMore: boolean;
}

/**
 * Returns the statements of one step that makes an index smaller: it removes the pages of spaces that were purged or
 * transferred from a segment, or it merges the segments of a tier. An edit that is indexed at the same
 * time conflicts with it only if it changes one of these segments.
 */
export async function compactIndex(db: Database, organization: OrganizationId): Promise<Compaction> {
  const { segments } = await readIndex(db, organization);
  const reader = new IndexReader(db, organization);
  await reader.loadHeaders(segments.map(({ id }) => id));
  const getHeader = ({ id }: StoredSegment): SegmentHeader => reader.getHeader(id).header;
  const spaces = [...new Set(segments.flatMap((segment) => getHeader(segment).spaces.map(([space]) => space)))];
  const rows = await readRows(db, readOwnSpaces(organization, JSON.stringify(spaces)));
  const ownSpaces = new Set(rows.map(({ id }) => id));
  const lostSpaces = spaces.filter((space) => !ownSpaces.has(space));
  const withLostSpaces = segments.filter((segment) =>
    getHeader(segment).spaces.some(([space]) => !ownSpaces.has(space)),
  );
  const tier = findFullTier(segments);
  const worn = segments.filter((segment) =>
    needsRewrite(segment.size, decodeBits(segment.removed).length, getHeader(segment).pages),
  );
  const [first] = withLostSpaces;
  const merged = first !== undefined ? [first] : tier.length > 0 ? tier : worn.slice(0, 1);
  if (merged.length === 0) return { statements: [], isMore: false };
  const added = await mergeSegments(
    merged.map((segment) => ({
      ...reader.getHeader(segment.id),
      id: String(segment.id),
      removed: new Set([...decodeBits(segment.removed), ...findPagesOutside(ownSpaces, getHeader(segment))]),
    })),
    { blocks: reader, pause: waitForSlice },
  );
  return {
    statements: [
      // A space may have been transferred back since its owner was read. The transfer does not re-index its pages.
      abortUnless(
        db,
        sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(lostSpaces)}) w CROSS JOIN spaces o ON o.id = w.value
        WHERE o.organization = ${organization} AND o.purging_at IS NULL)`,
      ),
      guardSegments(db, organization, merged),
      ...changeIndex(db, organization, { added, removed: new Map(), deleted: merged }),
    ],
    isMore: withLostSpaces.length > 1 || tier.length > 0 || worn.length > 1,
  };
}

/** Returns the numbers of the pages of a segment that are in other spaces. */
const findPagesOutside = (ownSpaces: Set<string>, { spaces, pages }: SegmentHeader): number[] =>
  spaces.flatMap(([space, first], index) => {
    const end = spaces[index + 1]?.[1] ?? pages;
    return ownSpaces.has(space) ? [] : Array.from({ length: end - first }, (_, offset) => first + offset);
  });
