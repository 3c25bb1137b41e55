import type { Database, RecordOf } from '@octavo/db';
import { fromJson, fromQuery, nullable, readRows, selection } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { runInSlices } from '@octavo/runtime';
import type { OrganizationId, SpaceId } from '@octavo/schema';
import { buildInSteps } from '@octavo/search';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { createLineageCte, isNearest, selectIds, selectRestrictions, selectState } from '../store/lineage.ts';
import { LengthLimitedCache } from './cache.ts';
import { createEntries, findPagesToIndex, toLivePage } from './index-pages.ts';
import type { DecodedSegment, IndexReader, StoredSegment } from './index-store.ts';
import { decodeSegment } from './index-store.ts';
import type { PageSections } from './sections.ts';
import type { StoredSections } from './texts.ts';
import { getPartName, splitSections } from './texts.ts';
import { findEntries } from './update-index.ts';

/** The content of a change request, and the live content, as lineages in JSON. */
export interface SearchedBranch {
  space: SpaceId;
  lineage: string;
  liveLineage: string;
}

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

/** Maximum number of pages in which a change request differs from live content, and of the bytes of their texts. */
const maxPages = 200;
const maxBytes = 262_144;
/** Limits of the included texts of these pages. */
const includeLimits = { pages: 20, length: maxBytes };
/** Maximum number of versions, of the change request and of live content, among which these pages are looked for. */
const maxVersions = sql.raw('500');

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
  const rows = changed.length === 0 ? [] : await readRows(db, findPagesToIndex(branch.lineage, changed));
  const { space, lineage } = branch;
  const live = rows.flatMap((row) => toLivePage(row) ?? []);
  const { entries: pages } = await createEntries(db, live, { space, lineage, urls, includeLimits });
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
  const found = await findEntries(reader, missing, space, replaced);
  const added = Map.groupBy(found, ({ segment }) => segment.id);
  changedPages.entries = new Map(
    segments.map(({ id }) => [id, entries.get(id) ?? (added.get(id) ?? []).map(({ number }) => number)]),
  );
  return changedPages.entries;
}

/** The state of a page, as far as the index depends on it. Empty if the page is deleted. */
type State =
  | [
      document: string | null,
      title: string,
      type: string,
      noIndex: number | null,
      parent: string,
      /** The length of the document. */
      bytes: number | null,
    ]
  | [];

/** A page in a change request and in live content. */
const comparedRow = selection({
  id: fromQuery(String),
  own: nullable(fromQuery(fromJson<State>())),
  live: nullable(fromQuery(fromJson<State>())),
  /** Whether the page includes a content that differs. */
  isIncluding: fromQuery(Boolean),
});
type ComparedRow = RecordOf<typeof comparedRow>;

const isExisting = (state: State | null): boolean => state !== null && state.length > 0;

/**
 * Finds the pages that a change request changed, and those that live content changed since. Pages that only moved are
 * left out, because their entries in the index are correct, unless the move changes whether they are excluded from
 * search.
 */
async function findChangedPages(
  db: Database,
  branch: SearchedBranch,
): Promise<{ changed: string[]; replaced: string[] }> {
  const compared = await readRows(db, queryPages(branch, selectCandidates(branch.space)));
  const inBoth = compared.filter(({ own, live }) => isExisting(own) && isExisting(live));
  const mayInherit = inBoth.filter(({ own, live }) => own?.[3] !== live?.[3] || own?.[4] !== live?.[4]);
  const inherited =
    mayInherit.length === 0
      ? []
      : await readRows(
          db,
          queryPages(
            branch,
            selectInheritingPages(
              branch,
              mayInherit.map(({ id }) => id),
            ),
          ),
        );
  const isCandidate = (row: ComparedRow) => row.isIncluding || isDifferent(row);
  const candidates = new Map([...compared.filter(isCandidate), ...inherited].map((row) => [row.id, row]));
  const limited = limitPages([...candidates.values()]);
  return {
    changed: limited.filter(({ own }) => isExisting(own)).map(({ id }) => id),
    // A deleted page may still be in the index.
    replaced: limited.filter(({ live }) => live !== null).map(({ id }) => id),
  };
}

function isDifferent({ own, live }: ComparedRow): boolean {
  if (!isExisting(own) && !isExisting(live)) return false;
  return JSON.stringify(own?.slice(0, 3)) !== JSON.stringify(live?.slice(0, 3));
}

function limitPages(rows: ComparedRow[]): ComparedRow[] {
  let sum = 0;
  const limited = rows.filter(({ own }) => {
    const bytes = own?.[5] ?? 0;
    if (sum + bytes > maxBytes) return false;
    sum += bytes;
    return true;
  });
  return limited.slice(0, maxPages);
}

/** Returns the query that compares the pages of the CTE `wanted(id, own, since, including)`. */
const queryPages = ({ lineage, liveLineage }: SearchedBranch, wanted: SQL) =>
  comparedRow.query(sql`
    WITH RECURSIVE ${createLineageCte(lineage)}, live(depth, branch, seq) AS MATERIALIZED (
      SELECT key, value->>0, value->>1 FROM json_each(${liveLineage})
    ), ${wanted}
    SELECT id, including AS is_including, ${selectPageState(sql`lineage`)} AS own, ${selectPageState(sql`live`)} AS live
    FROM wanted ORDER BY wanted.own DESC, wanted.since DESC, id`);

// Lineages are read in order, so the LIMIT stops at the nearest branch that has the page.
const selectPageState = (lineage: SQL): SQL => sql`(
  SELECT CASE WHEN v.deleted THEN '[]' ELSE json_array(v.document, v.data->>'$.fields.title', v.data->>'$.fields.type',
    v.data->>'$.fields.noIndex', v.parent, (SELECT d.bytes FROM documents d WHERE d.hash = v.document)) END
  FROM ${lineage} l CROSS JOIN versions v ON ${selectState(sql`'page'`, sql`wanted.id`)} LIMIT 1)`;

/** Maximum number of revisions of live content among which these pages are looked for. */
const maxRevisions = sql.raw('200');

/**
 * The CTE of the newest revisions of live content that the change request does not have. Each is found by a seek, so the
 * rows read do not depend on what the revisions contain.
 */
const selectMissingRevisions = (space: SpaceId): SQL => sql`revised(since, step) AS (
    SELECT seq + 1, 0 FROM live WHERE branch = ${space}
    UNION ALL
    SELECT (SELECT MAX(v.since) FROM versions v INDEXED BY versions_written
      WHERE v.branch = ${space} AND v.since < revised.since), step + 1
    FROM revised WHERE since > (SELECT seq FROM lineage WHERE branch = ${space}) + 1 AND step < ${maxRevisions}
  )`;

/** Selects the id and number of the versions of a kind that only the change request has; a limited number is read. */
const selectOwnVersions = (kind: SQL): SQL => sql`
  SELECT id, since FROM (SELECT v.id, v.since, l.seq FROM lineage l CROSS JOIN versions v INDEXED BY versions_live
    ON v.branch = l.branch AND v.kind = ${kind} AND v.until > l.seq
    WHERE l.branch NOT IN (SELECT branch FROM live) LIMIT ${maxVersions}) WHERE since <= seq`;

/** Selects the id and number of the versions of a kind in `revised`; a limited number is read. */
const selectMissingVersions = (space: SpaceId, kind: SQL): SQL => sql`
  SELECT v.id, v.since FROM revised r CROSS JOIN versions v INDEXED BY versions_written
    ON v.branch = ${space} AND v.since = r.since AND v.kind = ${kind}
  WHERE r.step > 0 AND r.since > (SELECT seq FROM lineage WHERE branch = ${space}) LIMIT ${maxVersions}`;

/** Maximum number of changed reusable contents. */
const maxChangedContents = sql.raw('25');

/**
 * The CTE of pages with a version on a branch that only the change request has, and of pages with a version in live
 * content that the change request does not have. The former come first, and those that were written last. Then come the
 * pages that include a reusable content with such a version, or have an include that was not found, in the state that is
 * indexed.
 */
const selectCandidates = (space: SpaceId): SQL => sql`${selectMissingRevisions(space)}, contents(id) AS MATERIALIZED (
    SELECT * FROM (SELECT DISTINCT id FROM (${selectOwnVersions(sql`'reusable-content'`)}) LIMIT ${maxChangedContents})
    UNION
    SELECT * FROM (SELECT DISTINCT id FROM (${selectMissingVersions(space, sql`'reusable-content'`)}) LIMIT ${maxChangedContents})
  ), wanted(id, own, since, including) AS MATERIALIZED (
    SELECT * FROM (SELECT id, MAX(own), MAX(since), 0 FROM (
      SELECT id, 1 AS own, since FROM (${selectOwnVersions(sql`'page'`)})
      UNION ALL
      SELECT id, 0, since FROM (${selectMissingVersions(space, sql`'page'`)})
    ) GROUP BY id ORDER BY 2 DESC, 3 DESC, id LIMIT ${maxPages})
    UNION ALL
    SELECT * FROM (SELECT DISTINCT i.page, 0, 0, 1 FROM (
        SELECT id FROM contents UNION ALL SELECT '' WHERE EXISTS (SELECT 1 FROM contents)
      ) c CROSS JOIN search_includes i ON i.space = ${space} AND i.content = c.id LIMIT ${includeLimits.pages}))`;

/** The CTE of the pages below `pages` that an ancestor excludes from search in only one of the two contents. */
const selectInheritingPages = ({ lineage, liveLineage }: SearchedBranch, pages: string[]): SQL => sql`
  changed(id) AS MATERIALIZED (${selectIds(pages)}), down(id) AS (
    SELECT id FROM changed WHERE ${isExcluded(lineage)} <> ${isExcluded(liveLineage)}
    UNION
    SELECT v.id FROM down CROSS JOIN lineage l CROSS JOIN versions v
      ON v.branch = l.branch AND v.kind = 'page' AND v.parent = down.id AND v.until > l.seq AND v.since <= l.seq
    WHERE v.deleted = 0 AND ${isNearest} LIMIT ${maxPages}
  ), wanted(id, own, since, including) AS MATERIALIZED (SELECT id, 0, 0, 0 FROM down)`;

const isExcluded = (lineage: string): SQL => sql`EXISTS (
  SELECT 1 FROM json_each((WITH ${createLineageCte(lineage)} SELECT ${selectRestrictions(sql`changed.id`)})) WHERE value->>1)`;
