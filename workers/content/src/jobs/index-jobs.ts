import type { Database, Parameter, Statement } from '@octavo/db';
import {
  fromQuery,
  prepareQuery,
  prepareStatement,
  readRows,
  retryOnConflict,
  searchSources,
  selectBranchLineage,
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
import { KeyedQueue } from '../engine/keyed-queue.ts';
import { compactIndex } from '../engine/search/compact-index.ts';
import { findAllGeneratedParents, findGeneratedParents } from '../engine/search/generated-parents.ts';
import { indexGeneratedPages, planGeneratedPages } from '../engine/search/index-generated-pages.ts';
import { indexChangedPages } from '../engine/search/index-pages.ts';
import { retryIfMerged } from '../engine/search/index-store.ts';
import { createLineageCte } from '../engine/store/lineage.ts';
import type { Job, JobContext } from './job.ts';

type Changes = OutboxEvent<'content.changed'>[];

/** Maximum wait for an earlier change of the same index. It is longer than most changes take. */
const maxWaitMilliseconds = 10_000;
/**
 * The changes of each organization's index in this isolate. If two ran at the same time, one of them would have to
 * start again.
 */
const indexQueue = new KeyedQueue({ maxWaitMilliseconds });

/** Changes an index after earlier changes. Repeats it if a change in another isolate was faster. */
const changeIndexInOrder = (index: OrganizationId | null | undefined, attempt: () => Promise<void>): Promise<void> =>
  indexQueue.run([index ?? ''], () => retryOnConflict(() => retryIfMerged(attempt)));

const createIndexContext = ({ db, env }: JobContext) => ({ db, urls: createUrls(env) });

/**
 * Updates the search index after edits of live content in a space. Pages changed by several edits are indexed once, in
 * their current state.
 */
export async function handleContentChanged(changes: Changes, context: JobContext): Promise<void> {
  const { organization, space } = changes[0] ?? {};
  if (space == null) throw new Error('The event has no space.');
  const pages = [...new Set(changes.flatMap(({ data }) => data.pages))];
  await changeIndexInOrder(organization, async () => {
    const { statements, events, isInherited, nodes } = await indexChangedPages(
      createIndexContext(context),
      space,
      pages,
    );
    const parents = await findGeneratedParents(context.db, space, pages, nodes);
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

/** Events whose pages are indexed together. */
interface Part {
  changes: Changes;
  pages: Set<string>;
  /** Length of the texts of the pages, unless it is unknown. */
  bytes: number | undefined;
}

/** Limits of a part whose texts are known to be short. Other parts have at most `maxPagesPerEvent` pages. */
const maxShortPages = 100;
const maxShortBytes = 1_000_000;

const isSmall = ({ pages, bytes = Number.POSITIVE_INFINITY }: Part): boolean =>
  pages.size <= maxPagesPerEvent || (pages.size <= maxShortPages && bytes <= maxShortBytes);

/** Divides events into groups whose pages are indexed together with little memory. */
export function splitByPages(events: Changes): Changes[] {
  const parts: Part[] = [];
  for (const event of events) {
    const { pages, bytes } = event.data;
    const own: Part = { changes: [event], pages: new Set(pages), bytes };
    const last = parts.at(-1);
    const both = last && addParts(last, own);
    if (both !== undefined && isSmall(both)) parts.splice(-1, 1, both);
    else parts.push(own);
  }
  return parts.map(({ changes }) => changes);
}

const addParts = (one: Part, other: Part): Part => ({
  changes: [...one.changes, ...other.changes],
  pages: one.pages.union(other.pages),
  bytes: one.bytes === undefined || other.bytes === undefined ? undefined : one.bytes + other.bytes,
});

/**
 * Runs one step: indexes the next pages of the space by id. After the last pages, queues the indexing of all generated
 * pages.
 */
export const indexSpace: Job<'index_space'> = async (event, context) => {
  const { organization, space, data } = event;
  if (organization === null || space === null) throw new Error('The job has no space.');
  await changeIndexInOrder(organization, async () => {
    const after = data.after ?? '';
    const pages = await findNextPages(context.db, space, after);
    const last = pages.length < maxPagesPerEvent ? undefined : pages.at(-1);
    const { statements, events } = await indexChangedPages(createIndexContext(context), space, pages, {
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
 * Finds the next pages by seeks on every branch of the lineage, so that a step costs as much as it indexes. Deleted
 * pages are found too, because they must be removed from the index.
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
 * pages increases the version of the index too. An indexing run that has read its pages before the change then reads
 * them again.
 */
export const indexIncludes: Job<'index_includes'> = async (event, context) => {
  const { organization, space, data } = event;
  if (organization === null || space === null) throw new Error('The job has no space.');
  await changeIndexInOrder(organization, async () => {
    const { statements, events, next } = await indexChangedPages(createIndexContext(context), space, [], {
      included: data,
    });
    const steps = next === undefined ? [] : [{ type: 'index_includes' as const, organization, space, data: next }];
    await commitStep(context, event, { statements, events: [...events, ...steps] });
  });
};

/** Runs one step that makes the search index of an organization smaller. */
export const compactSearch: Job<'compact_search'> = async (event, context) => {
  const { organization } = event;
  if (organization === null) throw new Error('The job has no organization.');
  await changeIndexInOrder(organization, async () => {
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
/** A text that sorts after every slug. */
const lastSlug = '\u{10ffff}';

const s = aliasedTable(searchSources, 's');
const parentRow = selection({ spec: s.spec, space: s.space, place: s.place });

/** Reads the next pages whose children are generated, in an organization, up to the specification `last`. */
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
  await changeIndexInOrder(organization, async () => {
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
