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
import { indexChangedPages, indexMadePages, planMadePages } from '../engine/search/index-pages.ts';
import { findAllMadePlaces, findMadePlaces } from '../engine/search/made-places.ts';
import { lineageCte, selectBranchLineage } from '../engine/store/lineage.ts';
import type { Job, JobContext } from './job.ts';

type Changes = OutboxEvent<'content.changed'>[];

/** Keeps search true to the live content of a space: what many edits changed is indexed once, as it is now. */
export async function handleContentChanged(events: Changes, context: JobContext): Promise<void> {
  for (const { taken, pages } of inParts(events)) {
    const { organization, space } = taken[0] ?? {};
    if (space == null) throw new Error('The event has no space.');
    const { statements, isInherited, nodes } = await indexChangedPages(context.db, space, [...pages]);
    const places = await findMadePlaces(context.db, space, [...pages], nodes);
    const events: NewEvent[] =
      organization == null
        ? []
        : [
            ...madePagesJobs({ organization, space }, places),
            ...(isInherited ? [{ type: 'index_space' as const, organization, space, data: {} }] : []),
          ];
    await commitEvents(context, taken, { statements, events });
  }
}

interface Part {
  taken: Changes;
  pages: Set<string>;
}

/** Events with the pages that they name, each part of no more pages than one event may name. */
function inParts(events: Changes): Part[] {
  const parts: Part[] = [];
  for (const event of events) {
    const part = parts.at(-1);
    const pages = new Set([...(part?.pages ?? []), ...event.data.pages]);
    if (part === undefined || pages.size > maxPagesPerEvent)
      parts.push({ taken: [event], pages: new Set(event.data.pages) });
    else parts.splice(-1, 1, { taken: [...part.taken, event], pages });
  }
  return parts;
}

/**
 * One step: the next pages of the space in the order of their ids, with those that only the index knows; after the last
 * of them what is made under each place, once.
 */
export const indexSpace: Job<'index_space'> = async (taken, context) => {
  const { organization, space, data } = taken;
  if (organization === null || space === null) throw new Error('The job has no space.');
  const pages = await findNextPages(context.db, space, data.after ?? '');
  const { statements } = await indexChangedPages(context.db, space, pages);
  const last = pages.length < maxPagesPerEvent ? undefined : pages.at(-1);
  const places = last === undefined ? await findAllMadePlaces(context.db, space) : [];
  await commitStep(context, taken, {
    statements,
    events: [
      ...madePagesJobs({ organization, space }, places, true),
      ...(last === undefined ? [] : [{ type: 'index_space' as const, organization, space, data: { after: last } }]),
    ],
  });
};

const pageRow = selection({ id: fromQuery(String) });

/** An expression: what comes after the page at hand, or the one that it is made of, and after all that is made of it. */
const pastMade = sql`iif(instr(walk.id, '-'), substr(walk.id, 1, instr(walk.id, '-') - 1), walk.id) || '.'`;

/**
 * It goes from id to id by seeks, on every branch of the lineage and in the index, so that a step costs what it indexes. It
 * leaps over the pages that are made of a page: their ids have that one's in front, and a sign that is before '.'.
 */
async function findNextPages(db: Database, space: SpaceId, after: string): Promise<string[]> {
  const nextOf = (column: string, rows: string) =>
    sql`SELECT MIN(${sql.raw(column)}) FROM ${sql.raw(rows)} AND ${sql.raw(column)} > ${pastMade}`;
  const next = pageRow.query(sql`
    WITH RECURSIVE ${lineageCte(selectBranchLineage(space))}, known(space) AS (SELECT ${space}), walk(step, id) AS (
      SELECT 0, ${after}
      UNION ALL
      SELECT step + 1, (SELECT MIN(id) FROM (
        SELECT (${nextOf('v.id', "versions v WHERE v.branch = l.branch AND v.kind = 'page'")}) AS id FROM lineage l
        UNION ALL ${nextOf('p.page', 'known k CROSS JOIN search_pages p WHERE p.space = k.space')}
        UNION ALL ${nextOf('f.page', 'known k CROSS JOIN search_sections f WHERE f.space = k.space')}))
      FROM walk WHERE id IS NOT NULL AND step < ${maxPagesPerEvent}
    )
    SELECT id FROM walk WHERE step > 0 AND id IS NOT NULL`);
  return (await readRows(db, next)).map(({ id }) => id);
}

const maxSpaces = 500;

const listedRow = selection({ id: spaces.id, organization: spaces.organization, deletedAt: spaces.deletedAt });

const spacesAfter = prepareQuery(listedRow, (select, id: Parameter<string>, limit: Parameter<number>) =>
  select.from(spaces).where(gt(spaces.id, id)).orderBy(spaces.id).limit(limit),
);

/** Queues the indexing of all live spaces, so many a step. */
export const indexSpaces: Job<'index_spaces'> = async (taken, context) => {
  const { after = '' } = taken.data;
  const rows = await readRows(context.db, spacesAfter(after, maxSpaces));
  const last = rows.length < maxSpaces ? undefined : rows.at(-1);
  await commitStep(context, taken, {
    statements: [],
    events: [
      ...rows
        .filter(({ deletedAt }) => deletedAt === null)
        .map(({ id, organization }) => ({ type: 'index_space' as const, organization, space: id, data: {} })),
      ...(last === undefined ? [] : [{ type: 'index_spaces' as const, data: { after: last.id } }]),
    ],
  });
};

const maxPlaces = 100;
/** No slug comes after it. */
const lastSlug = '\u{10ffff}';

const s = aliasedTable(searchSources, 's');
const placeRow = selection({ spec: s.spec, space: s.space, place: s.place });

/** The next places of an organization where computed pages stand, up to those of the specification `last`. */
const placesOf = prepareStatement(
  (organization: SQL<OrganizationId>, last: SQL<string>, spec: SQL<string>, space: SQL<string>, place: SQL<string>) =>
    placeRow.query(sql`
      SELECT DISTINCT ${placeRow} FROM search_sources s INDEXED BY search_sources_of_spec
      WHERE s.organization = ${organization} AND s.spec <= ${last} AND (s.spec, s.space, s.place) > (${spec}, ${space}, ${place})
      ORDER BY s.spec, s.space, s.place LIMIT ${sql.raw(String(maxPlaces))}`),
);

const placesIn = prepareQuery(placeRow, (select, space: Parameter<SpaceId>) =>
  select.from(s).where(eq(s.space, space)),
);

/** Queues the indexing of what is made of computed pages: of one space at once, else so many places a step. */
export const indexComputed: Job<'index_computed'> = async (taken, context) => {
  const { organization, space, data } = taken;
  if (organization === null) throw new Error('The job has no organization.');
  const { spec, after = [spec ?? '', '', ''] } = data;
  const found = space === null ? placesOf(organization, spec ?? lastSlug, ...after) : placesIn(space);
  const rows = await readRows(context.db, found);
  const last = space === null && rows.length === maxPlaces ? rows.at(-1) : undefined;
  const events = rows.flatMap((row) => madePagesJobs({ organization, space: row.space }, [row.place]));
  if (last !== undefined) events.push(restAfter(organization, [last.spec, last.space, last.place], spec));
  await commitStep(context, taken, { statements: [], events });
};

const restAfter = (organization: OrganizationId, after: [string, string, string], spec?: string): NewEvent => ({
  type: 'index_computed',
  organization,
  data: { spec, after },
});

/** One step: it notes what is to be indexed of the pages that are made under a place, or indexes the next of them. */
export const indexMadePagesJob: Job<'index_made_pages'> = async (taken, context) => {
  const { organization, space, data } = taken;
  if (organization === null || space === null) throw new Error('The job has no space.');
  await retryOnConflict(async () => {
    const { statements, next } = await stepOf(context.db, space, data);
    const events = next === undefined ? [] : [{ type: 'index_made_pages' as const, organization, space, data: next }];
    await commitStep(context, taken, { statements, events });
  });
};

type Step = OutboxEvent<'index_made_pages'>['data'];

async function stepOf(db: Database, space: SpaceId, data: Step): Promise<{ statements: Statement[]; next?: Step }> {
  if (data.planned) {
    const { statements, isPart } = await indexMadePages(db, space, data.place);
    return { statements, ...(isPart ? { next: data } : {}) };
  }
  const { statements, isPart, isDue } = await planMadePages(db, space, data);
  return { statements, ...(isPart || isDue ? { next: { ...data, planned: !isPart } } : {}) };
}

/** The jobs that index what is made under places of a space. */
const madePagesJobs = (
  of: { organization: OrganizationId; space: SpaceId },
  places: string[],
  anew = false,
): NewEvent[] => places.map((place) => ({ type: 'index_made_pages', ...of, data: { place, planned: false, anew } }));
