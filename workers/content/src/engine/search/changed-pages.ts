import type { Database } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { runInSlices } from '@octavo/runtime';
import type { OrganizationId, SpaceId } from '@octavo/schema';
import { buildInSteps } from '@octavo/search';
import { LengthLimitedCache } from './cache.ts';
import { maxIncludingPages, type SearchedBranch } from './changed-page-queries.ts';
import { findChangedPages, maxChangedBytes } from './find-changed-pages.ts';
import { createEntries } from './index-pages.ts';
import type { DecodedSegment, IndexReader, StoredSegment } from './index-store.ts';
import { decodeSegment } from './index-store.ts';
import type { PageSections } from './sections.ts';
import type { StoredSections } from './texts.ts';
import { getPartName, splitSections } from './texts.ts';
import { findEntries } from './update-index.ts';

/** The pages of a change request that differ from live content. They are indexed in memory for each search. */
export interface ChangedPages {
  space: SpaceId;
  segment: DecodedSegment;
  /** The texts of the segment, by `getPartName`. */
  texts: Map<string, StoredSections>;
  /** The pages whose entries in the index are ignored. */
  replaced: string[];
  /** The numbers of these entries in each segment of the index. */
  entries: Map<number, number[]>;
}

/** Limits of the included texts that are read for changed pages. */
const includeLimits = { pages: maxIncludingPages, length: maxChangedBytes };

const cache = new LengthLimitedCache<ChangedPages>(8_000_000);

/** Reads and indexes the pages of a change request that differ from live content, unless they are cached. */
export async function loadChangedPages(
  { db, urls }: { db: Database; urls: Urls },
  organization: OrganizationId,
  branch: SearchedBranch,
): Promise<ChangedPages | undefined> {
  if (branch.lineage === branch.liveLineage) return undefined;
  const key = JSON.stringify([organization, branch]);
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const { changed, replaced } = await findChangedPages(db, branch);
  const { space, lineage } = branch;
  const { entries: pages } = await createEntries(db, changed, { space, lineage, urls, includeLimits });
  const segment = await runInSlices(buildInSteps(pages.map((page) => ({ ...page, space }))));
  const texts = new Map(pages.flatMap(splitSections).map(({ sections, ...part }) => [getPartName(part), sections]));
  const loaded = { space, segment: decodeSegment(segment), texts, replaced, entries: new Map() };
  cache.add(key, loaded, key.length + 2 * getLength(pages) + JSON.stringify(segment).length);
  return loaded;
}

const getLength = (pages: PageSections[]): number =>
  pages.flatMap(({ sections }) => sections).reduce((sum, { heading, text }) => sum + heading.length + text.length, 0);

/** Returns the numbers of the ignored entries in a segment of the index. */
export async function findReplacedEntries(
  reader: IndexReader,
  segments: StoredSegment[],
  changedPages: ChangedPages,
): Promise<Map<number, number[]>> {
  const { space, replaced, entries } = changedPages;
  const missing = segments.filter(({ id }) => !entries.has(id));
  const foundPages = await findEntries(reader, missing, space, replaced);
  const added = Map.groupBy(foundPages, ({ segment }) => segment.id);
  changedPages.entries = new Map(
    segments.map(({ id }) => [id, entries.get(id) ?? (added.get(id) ?? []).map(({ number }) => number)]),
  );
  return changedPages.entries;
}
