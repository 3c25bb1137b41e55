import type { Database, Statement } from '@octavo/db';
import { abortUnless, type Parameter, prepareQuery, readRow, selection, spaces } from '@octavo/db';
import { runInSlices, waitForSlice } from '@octavo/runtime';
import type { NewEvent, OrganizationId, SpaceId } from '@octavo/schema';
import type { BlockName, IndexedPage, Segment } from '@octavo/search';
import { buildInSteps, decodeBits, findPage, findPageBlock, getPageOfBlock, mergeSegments } from '@octavo/search';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { isGeneratedId } from '../computed/sources.ts';
import { findSmallSegments, needsCompaction, needsRewrite } from './compact-index.ts';
import type { IndexChange, StoredSegment } from './index-store.ts';
import {
  changeIndex,
  decodeSegment,
  getSize,
  guardVersion,
  IndexReader,
  increaseVersion,
  readIndex,
} from './index-store.ts';
import type { PageSections } from './sections.ts';
import { deleteTexts, writeTexts } from './texts.ts';

const ownerRow = selection({ organization: spaces.organization });

const findOwner = prepareQuery(ownerRow, (select, space: Parameter<SpaceId>) =>
  select.from(spaces).where(and(eq(spaces.id, space), isNull(spaces.purgingAt))),
);

/** The index of the organization that owns a space, at a version. */
export interface OpenIndex {
  organization: OrganizationId;
  version: number;
  segments: StoredSegment[];
  reader: IndexReader;
}

/**
 * Opens the index to update pages of a space; undefined if the space is being purged. The caller must read the pages
 * after this call. A concurrent update then changes the version, so this update cannot overwrite it with an older
 * state.
 */
export async function openIndex(db: Database, space: SpaceId): Promise<OpenIndex | undefined> {
  const owner = await readRow(db, findOwner(space));
  if (owner === undefined) return undefined;
  const { organization } = owner;
  const reader = new IndexReader(db, organization);
  const { version, segments } = await readIndex(db, organization);
  await reader.loadHeaders(segments.map(({ id }) => id));
  return { organization, version, segments, reader };
}

interface PageChanges {
  pages: PageSections[];
  /** Pages that no longer exist. */
  missing: string[];
  /** Whether unchanged pages are indexed again. */
  isForced: boolean;
}

/** A page in a segment. */
interface FoundPage {
  segment: StoredSegment;
  number: number;
  entry: IndexedPage;
}

interface IndexUpdate {
  statements: Statement[];
  events: NewEvent[];
  /** The previous entries of the pages, by id. */
  previous: Map<string, IndexedPage>;
}

/**
 * Returns the statements that update pages of a space in the index of its organization. They are rejected if the index
 * or the owner of the space has changed since the index was opened.
 */
export async function updateIndex(
  db: Database,
  space: SpaceId,
  { organization, version, segments, reader }: OpenIndex,
  { pages, missing, isForced }: PageChanges,
): Promise<IndexUpdate> {
  const ids = [...pages.map(({ page }) => page), ...missing];
  const foundPages = await findPages(reader, segments, space, ids);
  const previous = new Map([...foundPages].map(([page, { entry }]) => [page, entry]));
  const changed = pages.filter((page) => isForced || isDifferent(page, previous.get(page.page)));
  const replaced = [...changed.map(({ page }) => page), ...missing].flatMap((page) => foundPages.get(page) ?? []);
  const formerKeys = replaced.map(({ entry }) => entry.key);
  // An update without changes also increases the version, so that a slower update with an older state is rejected.
  if (changed.length === 0 && replaced.length === 0) {
    const statements = [guardVersion(db, organization, version), increaseVersion(db, organization)];
    return { statements, events: [], previous };
  }
  const removed = new Map(
    [...Map.groupBy(replaced, ({ segment }) => segment)].map(([segment, entries]) => [
      segment,
      entries.map(({ number }) => number),
    ]),
  );
  const change = await mergeSmallSegments(reader, segments, {
    added: await runInSlices(buildInSteps(changed.map((page) => ({ ...page, space })))),
    removed,
    deleted: [],
  });
  const others = segments.filter((segment) => !change.deleted.includes(segment));
  const mustRewrite = (segment: StoredSegment) =>
    needsRewrite(
      segment.size,
      decodeBits(segment.removed).length + (removed.get(segment)?.length ?? 0),
      reader.getHeader(segment.id).header.pages,
    );
  return {
    statements: [
      guardOwner(db, space, organization),
      guardVersion(db, organization, version),
      ...changeIndex(db, organization, change),
      ...(await writeTexts(db, changed)),
      ...deleteTexts(db, formerKeys, changed),
    ],
    events:
      needsCompaction([...others.map(({ size }) => size), getSize(change.added)]) || others.some(mustRewrite)
        ? [{ type: 'compact_search', organization, data: {} }]
        : [],
    previous,
  };
}

/** Creates a guard that a space belongs to an organization, and is not being purged. */
const guardOwner = (db: Database, space: SpaceId, organization: OrganizationId): Statement =>
  abortUnless(
    db,
    sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND organization = ${organization} AND purging_at IS NULL)`,
  );

/** If there are many small segments, merges them with the segment of a change, so that no separate job is needed. */
async function mergeSmallSegments(
  reader: IndexReader,
  segments: StoredSegment[],
  { added, removed }: IndexChange & { added: Segment },
): Promise<IndexChange & { added: Segment }> {
  const small = findSmallSegments(segments, getSize(added));
  if (small.length === 0) return { added, removed, deleted: [] };
  const merged = small.map((segment) => ({
    ...reader.getHeader(segment.id),
    id: String(segment.id),
    removed: new Set([...decodeBits(segment.removed), ...(removed.get(segment) ?? [])]),
  }));
  const own = { ...reader.addSegment('new', decodeSegment(added)), id: 'new', removed: new Set<number>() };
  return {
    added: await mergeSegments([...merged, own], { blocks: reader, pause: waitForSlice }),
    removed: new Map([...removed].filter(([segment]) => !small.includes(segment))),
    deleted: small,
  };
}

const isDifferent = ({ key, title, conditions }: PageSections, previous: IndexedPage | undefined): boolean =>
  previous === undefined ||
  previous.key !== key ||
  previous.title !== title ||
  JSON.stringify(previous.conditions) !== JSON.stringify(conditions);

/** Finds the segments that have the current entries of pages. */
async function findPages(
  reader: IndexReader,
  segments: StoredSegment[],
  space: SpaceId,
  pages: string[],
): Promise<Map<string, FoundPage>> {
  const removed = new Map(segments.map((segment) => [segment, new Set(decodeBits(segment.removed))]));
  const entries = await findEntries(reader, segments, space, pages);
  return new Map(
    entries
      .filter(({ segment, number }) => !removed.get(segment)?.has(number))
      .map((foundPage) => [foundPage.entry.page, foundPage]),
  );
}

/** Finds all entries of pages in segments, including those that later segments replace. */
export async function findEntries(
  reader: IndexReader,
  segments: StoredSegment[],
  space: SpaceId,
  pages: string[],
): Promise<FoundPage[]> {
  const candidates = segments.flatMap((segment) =>
    pages.flatMap((page) => {
      const number = findPageBlock(reader.getHeader(segment.id).header, space, page);
      return number === undefined ? [] : [{ segment, page, number }];
    }),
  );
  const names = new Map(
    candidates.map(({ segment: { id }, number }): [string, BlockName] => [
      `${id}/${number}`,
      { segment: String(id), kind: 'pages', number },
    ]),
  );
  await reader.load([...names.values()]);
  return candidates.flatMap(({ segment, page, number: blockNumber }) => {
    const block = reader.getPages(String(segment.id), blockNumber);
    const number = findPage(block, blockNumber, space, page);
    const entry = number === undefined ? undefined : getPageOfBlock(block, number);
    return number === undefined || entry === undefined ? [] : [{ segment, number, entry }];
  });
}

/** A range of pages by id. */
export interface PageRange {
  after: string;
  /** The last page of the range; undefined for all pages after `after`. */
  last: string | undefined;
}

/** Returns the ids of the pages of a space in the index that are in a range, without generated pages. */
export async function findIndexedPages(
  { segments, reader }: OpenIndex,
  space: SpaceId,
  { after, last = '\u{10ffff}' }: PageRange,
): Promise<string[]> {
  const blocks = segments.flatMap(({ id }) => {
    const { header } = reader.getHeader(id);
    const first = findPageBlock(header, space, after);
    const end = findPageBlock(header, space, last);
    if (first === undefined || end === undefined) return [];
    return Array.from(
      { length: end - first + 1 },
      (_, index): BlockName => ({ segment: String(id), kind: 'pages', number: first + index }),
    );
  });
  await reader.load(blocks);
  const entries = blocks.flatMap(({ segment, number }) => reader.getPages(segment, number));
  return entries
    .filter((entry) => entry.space === space && entry.page > after && entry.page <= last && !isGeneratedId(entry.page))
    .map(({ page }) => page);
}
