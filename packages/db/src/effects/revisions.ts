import type { BranchId, ChangeRequestId, NewEvent, OrganizationId, SpaceId } from '@octavo/schema';
import { isId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import { abortUnless } from '../commit.ts';
import type { Database } from '../connect.ts';
import type { Statement } from '../query.ts';
import type { Query, RecordOf } from '../selection.ts';
import { computed, nullable, selection } from '../selection.ts';
import { splitIntoJson } from '../split-into-json.ts';
import { changeRequests, contributors } from '../tables/collaboration.ts';
import { lineageSources, revisions, spaces } from '../tables/content.ts';

/**
 * Writes a revision and updates change requests. If the revision merges a change request, the state of the change
 * request becomes merged. If the revision is on the branch of a change request, the change request is marked as edited
 * and the author becomes a contributor, unless the revision only updates the branch from the live content. Also
 * schedules the generation of pages that depend on the head of the space.
 */
export function insertRevision(
  db: Database,
  organization: OrganizationId,
  row: typeof revisions.$inferSelect,
): Statement[] {
  const { space, branch, changeRequest } = row;
  return [
    db.insert(revisions).values(row),
    ...(branch === space ? [scheduleForHead(db, space, organization)] : []),
    ...(changeRequest === null ? [] : [markMerged(db, changeRequest, row.createdAt)]),
    ...(isChangeRequest(branch, space) ? updateChangeRequest(db, branch, row) : []),
  ];
}

/** A branch belongs to a space, an import or a change request. */
const isChangeRequest = (branch: BranchId, space: SpaceId): branch is ChangeRequestId =>
  branch !== space && !isId('import', branch);

const markMerged = (db: Database, id: ChangeRequestId, now: number): Statement =>
  db.update(changeRequests).set({ status: 'merged', updatedAt: now }).where(eq(changeRequests.id, id));

function updateChangeRequest(db: Database, id: ChangeRequestId, row: typeof revisions.$inferSelect): Statement[] {
  const { space, branch, seq, type, author, createdAt } = row;
  const updatedAt = sql`MAX(${changeRequests.updatedAt}, ${createdAt})`;
  const isEdit = type !== 'update';
  const update = db
    .update(changeRequests)
    .set({ updatedAt, ...(isEdit ? { editedSeq: seq } : {}) })
    .where(eq(changeRequests.id, id));
  if (!isEdit) return [update];
  const contributed = db
    .insert(contributors)
    .values({ branch, action: 'edit', user: author, space, count: 1, updatedAt: createdAt })
    .onConflictDoUpdate({
      target: [contributors.branch, contributors.action, contributors.user],
      set: { count: sql`${contributors.count} + 1`, updatedAt: createdAt },
    });
  return [update, contributed];
}

const sourceRow = selection({
  source: aliasedTable(lineageSources, 'l').source,
  organization: nullable(aliasedTable(spaces, 's').organization),
  isKept: computed(Boolean, sql`s.id IS NOT NULL AND s.purging_at IS NULL`),
});

type Source = RecordOf<typeof sourceRow>;

/** The spaces that a space reads through its lineages, without spaces that are deleted or being purged. */
export const selectLineageSources = (space: SpaceId): Query<Source> =>
  sourceRow.query(sql`SELECT DISTINCT ${sourceRow}
    FROM lineage_sources l LEFT JOIN spaces s ON s.id = l.source WHERE l.space = ${space}`);

/**
 * Deletes the lineage sources of a space, which reads only its own branch from now on. A job deletes content of purged
 * spaces that was retained because this space read it. The batch fails if a purge has started since the sources were
 * read, because the purge may have skipped that content.
 */
export function deleteLineageSources(db: Database, space: SpaceId, sources: Source[]) {
  const remaining = JSON.stringify(sources.filter(({ isKept }) => isKept).map(({ source }) => source));
  const stillExist = sql`NOT EXISTS (SELECT 1 FROM json_each(${remaining})
    WHERE NOT EXISTS (SELECT 1 FROM spaces WHERE id = value AND purging_at IS NULL))`;
  const statements: Statement[] =
    sources.length === 0
      ? []
      : [abortUnless(db, stillExist), db.delete(lineageSources).where(eq(lineageSources.space, space))];
  const events: NewEvent[] = sources
    .filter(({ isKept }) => !isKept)
    .map(({ source, organization }) => ({
      type: 'purge_space',
      ...(organization === null ? {} : { organization }),
      space: source,
      data: { stage: 'versions' },
    }));
  return { statements, events };
}

/** Minimum time between two runs of a script for one computed page, however often its dependencies change. */
const dependencyIntervalMilliseconds = 180_000;
/** Maximum number of computed pages that one change schedules. A cron schedules the others within an hour. */
const maxDependents = sql.raw('200');

/**
 * Schedules computed pages that depend on changed objects. `changed` is a SELECT of (kind, target, organization). If no
 * page depends on them, the statement reads only the rows of `changed`.
 */
const scheduleDependents = (db: Database, changed: SQL): Statement => {
  const soon = sql`MAX(${Date.now()}, taken_at + ${dependencyIntervalMilliseconds})`;
  return db.run(sql`UPDATE computed_contents SET due_at = ${soon} WHERE due_at > ${soon} AND (space, page) IN (
    SELECT d.space, d.page FROM (${changed}) given CROSS JOIN computed_dependencies d
      ON d.kind = given.kind AND d.target = given.target AND d.organization = given.organization LIMIT ${maxDependents})`);
};

/** Schedules computed pages after a change of a space's head. */
const scheduleForHead = (db: Database, space: SpaceId, organization: OrganizationId): Statement =>
  scheduleDependents(db, sql`SELECT 'space' AS kind, ${space} AS target, ${organization} AS organization`);

/** Schedules computed pages after spaces (a SELECT of ids) have entered or left these organizations. */
export const scheduleForSpaces = (db: Database, ids: SQL, organizations: string[]): Statement =>
  scheduleDependents(
    db,
    sql`SELECT 'space' AS kind, given.id AS target, value AS organization
      FROM (${ids}) given CROSS JOIN json_each(${JSON.stringify(organizations)})`,
  );

/** Schedules computed pages after a space was moved to the trash or restored. */
export const scheduleForTrash = (db: Database, id: string): Statement =>
  scheduleDependents(db, sql`SELECT 'space' AS kind, id AS target, organization FROM spaces WHERE id = ${id}`);

/** Schedules computed pages after a specification was added, changed or deleted. */
export const scheduleForSpecification = (
  db: Database,
  { organization, slug }: { organization: OrganizationId; slug: string },
): Statement =>
  scheduleDependents(db, sql`SELECT 'openapi' AS kind, ${slug} AS target, ${organization} AS organization`);

/** Maximum number of computed pages of a space for which an integration generates pages. */
const maxSources = 500;
/** Minimum time between two runs for one computed page after its configuration changes. */
const minIntervalMilliseconds = 60_000;

/** A computed page, with the sibling pages whose slugs collide with those of its generated pages. */
interface ComputedPageSource {
  id: string;
  /** Slug of a specification, or type of an integration's content source. */
  spec: string;
  collidingPages: string;
  /** Set if an integration generates the pages. */
  integration?: { name: string; source: string } | undefined;
}

/** Stores the computed pages under a page of the live content, for search and for integrations. */
export function storeComputedPages(
  db: Database,
  space: SpaceId,
  location: string,
  sources: ComputedPageSource[],
): Statement[] {
  const rows = sources.map(({ id, spec, collidingPages }) => [id, spec, collidingPages]);
  const generated = sources.flatMap(({ id, integration }) =>
    integration === undefined ? [] : [[id, integration.name, integration.source]],
  );
  const soon = sql`MAX(${Date.now()}, taken_at + ${minIntervalMilliseconds})`;
  const isDifferentSource = sql`(organization <> excluded.organization OR integration <> excluded.integration)`;
  const ids = JSON.stringify(sources.map(({ id }) => id));
  return [
    db.run(sql`DELETE FROM search_sources WHERE space = ${space} AND place = ${location}
      AND source NOT IN (SELECT value FROM json_each(${ids}))`),
    ...splitIntoJson(rows).map((json) =>
      db.run(sql`INSERT INTO search_sources (space, source, organization, place, spec, beside)
        SELECT o.id, value->>0, o.organization, ${location}, value->>1, value->>2
        FROM json_each(${json}) CROSS JOIN spaces o ON o.id = ${space} WHERE true
        ON CONFLICT (space, source) DO UPDATE SET place = excluded.place, spec = excluded.spec, beside = excluded.beside
          WHERE place <> excluded.place OR spec <> excluded.spec OR beside <> excluded.beside`),
    ),
    ...splitIntoJson(generated).map((json) =>
      db.run(sql`INSERT INTO computed_contents (space, page, organization, integration, source, due_at)
        SELECT o.id, value->>0, o.organization, value->>1, value->>2, ${Date.now()}
        FROM json_each(${json}) CROSS JOIN spaces o ON o.id = ${space}
        WHERE value->>0 IN (SELECT source FROM search_sources WHERE space = ${space} ORDER BY source LIMIT ${maxSources})
        ON CONFLICT (space, page) DO UPDATE SET organization = excluded.organization, integration = excluded.integration,
          source = excluded.source, due_at = MIN(due_at, ${soon}),
          former = iif(${isDifferentSource}, COALESCE(former, version), former), version = iif(${isDifferentSource}, NULL, version),
          hash = iif(${isDifferentSource}, NULL, hash), leased_until = iif(${isDifferentSource}, 0, leased_until)
          WHERE organization <> excluded.organization OR source <> excluded.source`),
    ),
    db.run(sql`UPDATE computed_contents SET due_at = ${soon} WHERE space = ${space} AND due_at > ${soon}
      AND NOT EXISTS (SELECT 1 FROM search_sources s WHERE s.space = computed_contents.space AND s.source = page)`),
  ];
}
