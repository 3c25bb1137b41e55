import type { Database, Parameter, Statement } from '@octavo/db';
import {
  fromQuery,
  prepareQuery,
  prepareStatement,
  readRows,
  retryOnConflict,
  searchSources,
  selection,
  spaces,
} from '@octavo/db';
import type { OutboxEvent } from '@octavo/runtime';
import { commitEvents, commitStep } from '@octavo/runtime';
import type { NewEvent, OrganizationId, SpaceId } from '@octavo/schema';
import { maxPagesPerEvent } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, eq, gt, sql } from 'drizzle-orm';
import { findAllGeneratedParents, findGeneratedParents } from '../engine/search/generated-parents.ts';
import { indexChangedPages, indexGeneratedPages, planGeneratedPages } from '../engine/search/index-pages.ts';
import { lineageCte, selectBranchLineage } from '../engine/store/lineage.ts';
import type { Job, JobContext } from './job.ts';

type Changes = OutboxEvent<'content.changed'>[];

/**
 * Updates the search index after edits of live content. Pages changed by several edits are indexed once, in their
 * current state.
 */
export async function handleContentChanged(events: Changes, context: JobContext): Promise<void> {
  for (const { changes, pages } of splitByPages(events)) {
    const { organization, space } = changes[0] ?? {};
    if (space == null) throw new Error('The event has no space.');
    const { statements, isInherited, nodes } = await indexChangedPages(context.db, space, [...pages]);
    const parents = await findGeneratedParents(context.db, space, [...pages], nodes);
    const events: NewEvent[] =
      organization == null
        ? []
        : [
            ...createGeneratedPagesJobs({ organization, space }, parents),
            ...(isInherited ? [{ type: 'index_space' as const, organization, space, data: {} }] : []),
          ];
    await commitEvents(context, changes, { statements, events });
  }
}

interface Part {
  changes: Changes;
  pages: Set<string>;
}

/** Splits events into groups that name at most as many pages as one event may. */
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
 * Runs one step: indexes the next pages of the space by id, including pages that only the index has. After the last
 * pages, queues the indexing of all generated pages.
 */
export const indexSpace: Job<'index_space'> = async (event, context) => {
  const { organization, space, data } = event;
  if (organization === null || space === null) throw new Error('The job has no space.');
  const pages = await findNextPages(context.db, space, data.after ?? '');
  const { statements } = await indexChangedPages(context.db, space, pages);
  const last = pages.length < maxPagesPerEvent ? undefined : pages.at(-1);
  const parents = last === undefined ? await findAllGeneratedParents(context.db, space) : [];
  await commitStep(context, event, {
    statements,
    events: [
      ...createGeneratedPagesJobs({ organization, space }, parents, true),
      ...(last === undefined ? [] : [{ type: 'index_space' as const, organization, space, data: { after: last } }]),
    ],
  });
};

const pageRow = selection({ id: fromQuery(String) });

/** An expression: a key that sorts after the current page and all pages generated from the same computed page. */
const afterGeneratedPages = sql`iif(instr(walk.id, '-'), substr(walk.id, 1, instr(walk.id, '-') - 1), walk.id) || '.'`;

/**
 * Finds the next pages by seeks, on every branch of the lineage and in the index, so that a step costs as much as it
 * indexes. Skips generated pages: their ids start with the id of the computed page and a hyphen, which sorts before
 * '.'.
 */
async function findNextPages(db: Database, space: SpaceId, after: string): Promise<string[]> {
  const selectNext = (column: string, rows: string) =>
    sql`SELECT MIN(${sql.raw(column)}) FROM ${sql.raw(rows)} AND ${sql.raw(column)} > ${afterGeneratedPages}`;
  const next = pageRow.query(sql`
    WITH RECURSIVE ${lineageCte(selectBranchLineage(space))}, known(space) AS (SELECT ${space}), walk(step, id) AS (
      SELECT 0, ${after}
      UNION ALL
      SELECT step + 1, (SELECT MIN(id) FROM (
        SELECT (${selectNext('v.id', "versions v WHERE v.branch = l.branch AND v.kind = 'page'")}) AS id FROM lineage l
        UNION ALL ${selectNext('p.page', 'known k CROSS JOIN search_pages p WHERE p.space = k.space')}
        UNION ALL ${selectNext('f.page', 'known k CROSS JOIN search_sections f WHERE f.space = k.space')}))
      FROM walk WHERE id IS NOT NULL AND step < ${maxPagesPerEvent}
    )
    SELECT id FROM walk WHERE step > 0 AND id IS NOT NULL`);
  return (await readRows(db, next)).map(({ id }) => id);
}

const maxSpaces = 500;

const spaceRow = selection({ id: spaces.id, organization: spaces.organization, deletedAt: spaces.deletedAt });

const findSpacesAfter = prepareQuery(spaceRow, (select, id: Parameter<string>, limit: Parameter<number>) =>
  select.from(spaces).where(gt(spaces.id, id)).orderBy(spaces.id).limit(limit),
);

/** Queues the indexing of all live spaces, a limited number per step. */
export const indexSpaces: Job<'index_spaces'> = async (event, context) => {
  const { after = '' } = event.data;
  const rows = await readRows(context.db, findSpacesAfter(after, maxSpaces));
  const last = rows.length < maxSpaces ? undefined : rows.at(-1);
  await commitStep(context, event, {
    statements: [],
    events: [
      ...rows
        .filter(({ deletedAt }) => deletedAt === null)
        .map(({ id, organization }) => ({ type: 'index_space' as const, organization, space: id, data: {} })),
      ...(last === undefined ? [] : [{ type: 'index_spaces' as const, data: { after: last.id } }]),
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
  await retryOnConflict(async () => {
    const { statements, next } = await prepareIndexStep(context.db, space, data);
    const events = next === undefined ? [] : [{ type: 'index_made_pages' as const, organization, space, data: next }];
    await commitStep(context, event, { statements, events });
  });
};

type Step = OutboxEvent<'index_made_pages'>['data'];

async function prepareIndexStep(
  db: Database,
  space: SpaceId,
  data: Step,
): Promise<{ statements: Statement[]; next?: Step }> {
  if (data.planned) {
    const { statements, isPart } = await indexGeneratedPages(db, space, data.place);
    return { statements, ...(isPart ? { next: data } : {}) };
  }
  const { statements, isPart, isDue } = await planGeneratedPages(db, space, data);
  return { statements, ...(isPart || isDue ? { next: { ...data, planned: !isPart } } : {}) };
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
