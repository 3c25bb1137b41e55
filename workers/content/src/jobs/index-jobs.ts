import type { Database, Parameter, Statement } from '@octavo/db';
import {
  fromQuery,
  prepareQuery,
  prepareStatement,
  readRows,
  retryOnConflict,
  searchSources,
  selectCollections,
  selection,
  spaces,
} from '@octavo/db';
import type { OutboxEvent } from '@octavo/runtime';
import { commitEvents, commitStep, createUrls } from '@octavo/runtime';
import type { CollectionId, NewEvent, OrganizationId, SpaceId } from '@octavo/schema';
import { maxPagesPerEvent } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import { compactIndex } from '../engine/search/compact-index.ts';
import { findAllGeneratedParents, findGeneratedParents } from '../engine/search/generated-parents.ts';
import { indexGeneratedPages, planGeneratedPages } from '../engine/search/index-generated-pages.ts';
import { indexChangedPages } from '../engine/search/index-pages.ts';
import { retryIfMerged } from '../engine/search/index-store.ts';
import { createLineageCte, selectBranchLineage } from '../engine/store/lineage.ts';
import type { Job, JobContext } from './job.ts';

type Changes = OutboxEvent<'content.changed'>[];

/** Repeats a change of an index if another one was faster. */
const retryIndexing = (attempt: () => Promise<void>): Promise<void> => retryOnConflict(() => retryIfMerged(attempt));

const toIndexing = ({ db, env }: JobContext) => ({ db, urls: createUrls(env) });

/**
 * Updates the search index after edits of live content. Pages changed by several edits are indexed once, in their
 * current state.
 */
export async function handleContentChanged(events: Changes, context: JobContext): Promise<void> {
  for (const { changes, pages } of splitByPages(events)) {
    const { organization, space } = changes[0] ?? {};
    if (space == null) throw new Error('The event has no space.');
    await retryIndexing(async () => {
      const { statements, events, isInherited, nodes } = await indexChangedPages(toIndexing(context), space, [
        ...pages,
      ]);
      const parents = await findGeneratedParents(context.db, space, [...pages], nodes);
      const jobs: NewEvent[] =
        organization == null
          ? []
          : [
              ...createGeneratedPagesJobs({ organization, space }, parents),
              ...(isInherited ? [{ type: 'index_space' as const, organization, space, data: {} }] : []),
            ];
      await commitEvents(context, changes, { statements, events: [...events, ...jobs] });
    });
  }
}

interface Part {
  changes: Changes;
  pages: Set<string>;
}

/** Combines events into groups. A group names at most `maxPagesPerEvent` pages, like a single event. */
function splitByPages(events: Changes): Part[] {
  const parts: Part[] = [];
  for (const event of events) {
    const part = parts.at(-1);
    const pages = new Set([...(part?.pages ?? []), ...event.data.pages]);
    if (part === undefined || pages.size > maxPagesPerEvent)
      parts.push({ changes: [event], pages: new Set(event.data.pages) });
    else parts.splice(-1, 1, { changes: [...part.changes, event], pages });
  }
  return parts;
}

/**
 * Runs one step: indexes the next pages of the space by id. After the last pages, queues the indexing of all generated
 * pages.
 */
export const indexSpace: Job<'index_space'> = async (event, context) => {
  const { organization, space, data } = event;
  if (organization === null || space === null) throw new Error('The job has no space.');
  await retryIndexing(async () => {
    const after = data.after ?? '';
    const pages = await findNextPages(context.db, space, after);
    const last = pages.length < maxPagesPerEvent ? undefined : pages.at(-1);
    const { statements, events } = await indexChangedPages(toIndexing(context), space, pages, {
      isForced: data.anew,
      range: { after, last },
    });
    const parents = last === undefined ? await findAllGeneratedParents(context.db, space) : [];
    await commitStep(context, event, {
      statements,
      events: [
        ...events,
        ...createGeneratedPagesJobs({ organization, space }, parents, true),
        ...(last === undefined
          ? []
          : [{ type: 'index_space' as const, organization, space, data: { ...data, after: last } }]),
      ],
    });
  });
};

const pageRow = selection({ id: fromQuery(String) });

/**
 * Finds the next pages by seeks on every branch of the lineage, so that a step costs as much as it indexes. They
 * include deleted pages, which are removed from the index.
 */
async function findNextPages(db: Database, space: SpaceId, after: string): Promise<string[]> {
  const next = pageRow.query(sql`
    WITH RECURSIVE ${createLineageCte(selectBranchLineage(space))}, walk(step, id) AS (
      SELECT 0, ${after}
      UNION ALL
      SELECT step + 1, (SELECT MIN(id) FROM (
        SELECT (SELECT MIN(v.id) FROM versions v WHERE v.branch = l.branch AND v.kind = 'page' AND v.id > walk.id) AS id
        FROM lineage l))
      FROM walk WHERE id IS NOT NULL AND step < ${maxPagesPerEvent}
    )
    SELECT id FROM walk WHERE step > 0 AND id IS NOT NULL`);
  return (await readRows(db, next)).map(({ id }) => id);
}

/**
 * Runs one step after changes of reusable contents: indexes the next pages that include one of them. A step without
 * pages also increases the version of the index, so that pages are indexed again that were read before the change.
 */
export const indexIncludes: Job<'index_includes'> = async (event, context) => {
  const { organization, space, data } = event;
  if (organization === null || space === null) throw new Error('The job has no space.');
  await retryIndexing(async () => {
    const { statements, events, next } = await indexChangedPages(toIndexing(context), space, [], { included: data });
    const steps = next === undefined ? [] : [{ type: 'index_includes' as const, organization, space, data: next }];
    await commitStep(context, event, { statements, events: [...events, ...steps] });
  });
};

/** Runs one step that makes the search index of an organization smaller. */
export const compactSearch: Job<'compact_search'> = async (event, context) => {
  const { organization } = event;
  if (organization === null) throw new Error('The job has no organization.');
  await retryIndexing(async () => {
    const { statements, isMore } = await compactIndex(context.db, organization);
    const events = isMore ? [{ type: 'compact_search' as const, organization, data: {} }] : [];
    await commitStep(context, event, { statements, events });
  });
};

const maxSpaces = 500;

const o = aliasedTable(spaces, 'o');
const spaceRow = selection({ id: o.id, organization: o.organization, purgingAt: o.purgingAt });

const readSpacesAfter = prepareStatement((id: SQL<string>, limit: SQL<number>) =>
  spaceRow.query(sql`SELECT ${spaceRow} FROM spaces o WHERE o.id > ${id} ORDER BY o.id LIMIT ${limit}`),
);

const readSpacesInside = (collection: CollectionId, id: string, limit: number) =>
  spaceRow.query(sql`
    SELECT ${spaceRow} FROM (${selectCollections(collection)}) i CROSS JOIN spaces o ON o.parent = i.id
    WHERE o.id > ${id} ORDER BY o.id LIMIT ${limit}`);

/** Queues the indexing of all spaces. */
export const buildSearch: Job<'build_search'> = async (event, context) => {
  await commitStep(context, event, { statements: [], events: [{ type: 'index_spaces', data: {} }] });
};

/**
 * Queues the indexing of all spaces, or those in a collection; a limited number per step. Spaces in the trash are
 * included, because they can be restored.
 */
export const indexSpaces: Job<'index_spaces'> = async (event, context) => {
  const { after = '', ...data } = event.data;
  const query =
    data.collection === undefined
      ? readSpacesAfter(after, maxSpaces)
      : readSpacesInside(data.collection, after, maxSpaces);
  const rows = await readRows(context.db, query);
  const last = rows.length < maxSpaces ? undefined : rows.at(-1);
  const owner = event.organization === null ? {} : { organization: event.organization };
  await commitStep(context, event, {
    statements: [],
    events: [
      ...rows
        .filter(({ purgingAt }) => purgingAt === null)
        .map(({ id, organization }): NewEvent => {
          return { type: 'index_space', organization, space: id, data: { anew: data.anew } };
        }),
      ...(last === undefined ? [] : [{ type: 'index_spaces' as const, ...owner, data: { ...data, after: last.id } }]),
    ],
  });
};

const maxParents = 100;
/** Sorts after every slug. */
const lastSlug = '\u{10ffff}';

const s = aliasedTable(searchSources, 's');
const parentRow = selection({ spec: s.spec, space: s.space, place: s.place });

/** Reads the next parents of computed pages of an organization, up to those of the specification `last`. */
const readParents = prepareStatement(
  (organization: SQL<OrganizationId>, last: SQL<string>, spec: SQL<string>, space: SQL<string>, parent: SQL<string>) =>
    parentRow.query(sql`
      SELECT DISTINCT ${parentRow} FROM search_sources s INDEXED BY search_sources_of_spec
      WHERE s.organization = ${organization} AND s.spec <= ${last} AND (s.spec, s.space, s.place) > (${spec}, ${space}, ${parent})
      ORDER BY s.spec, s.space, s.place LIMIT ${sql.raw(String(maxParents))}`),
);

const readParentsInSpace = prepareQuery(parentRow, (select, space: Parameter<SpaceId>) =>
  select.from(s).where(eq(s.space, space)),
);

/**
 * Queues the indexing of generated pages: for one space all at once, otherwise for a limited number of parents per
 * step.
 */
export const indexComputed: Job<'index_computed'> = async (event, context) => {
  const { organization, space, data } = event;
  if (organization === null) throw new Error('The job has no organization.');
  const { spec, after = [spec ?? '', '', ''] } = data;
  const parentsQuery =
    space === null ? readParents(organization, spec ?? lastSlug, ...after) : readParentsInSpace(space);
  const rows = await readRows(context.db, parentsQuery);
  const last = space === null && rows.length === maxParents ? rows.at(-1) : undefined;
  const events = rows.flatMap((row) => createGeneratedPagesJobs({ organization, space: row.space }, [row.place]));
  if (last !== undefined) events.push(createFollowUpJob(organization, [last.spec, last.space, last.place], spec));
  await commitStep(context, event, { statements: [], events });
};

const createFollowUpJob = (organization: OrganizationId, after: [string, string, string], spec?: string): NewEvent => ({
  type: 'index_computed',
  organization,
  data: { spec, after },
});

/** Runs one step: marks the generated pages under a parent that must be indexed, or indexes the next marked pages. */
export const indexGeneratedPagesJob: Job<'index_made_pages'> = async (event, context) => {
  const { organization, space, data } = event;
  if (organization === null || space === null) throw new Error('The job has no space.');
  await retryIndexing(async () => {
    const { statements, events, next } = await prepareIndexStep(context.db, space, data);
    const steps = next === undefined ? [] : [{ type: 'index_made_pages' as const, organization, space, data: next }];
    await commitStep(context, event, { statements, events: [...events, ...steps] });
  });
};

type Step = OutboxEvent<'index_made_pages'>['data'];

async function prepareIndexStep(
  db: Database,
  space: SpaceId,
  data: Step,
): Promise<{ statements: Statement[]; events: NewEvent[]; next?: Step }> {
  if (data.planned) {
    const { statements, events, isPart } = await indexGeneratedPages(db, space, data);
    return { statements, events, ...(isPart ? { next: data } : {}) };
  }
  const { statements, isPart, isDue } = await planGeneratedPages(db, space, data);
  return { statements, events: [], ...(isPart || isDue ? { next: { ...data, planned: !isPart } } : {}) };
}

const createGeneratedPagesJobs = (
  owner: { organization: OrganizationId; space: SpaceId },
  parents: string[],
  isReindex = false,
): NewEvent[] =>
  parents.map((parent) => ({
    type: 'index_made_pages',
    ...owner,
    data: { place: parent, planned: false, anew: isReindex },
  }));
