import type { Database } from '@octavo/db';
import { given, readRows, selection } from '@octavo/db';
import { commitStep } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import { maxPagesPerEvent } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { indexChangedPages } from '../engine/search/index-changed-pages.ts';
import { findAllMadePlaces } from '../engine/search/made-places.ts';
import { lineageCte, lineageOfBranch } from '../engine/store/lineage.ts';
import { madePagesJobs } from './index-made-pages.ts';
import type { Job } from './job.ts';

/**
 * One step: the next pages of the space in the order of their ids, with those that only the index knows; after the last
 * of them what is made under each place, once.
 */
export const indexSpace: Job<'index_space'> = async (taken, context) => {
  const { organization, space, data } = taken;
  if (organization === null || space === null) throw new Error('The job names no space.');
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

const pageRow = selection({ id: given(String) });

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
    WITH RECURSIVE ${lineageCte(lineageOfBranch(space))}, known(space) AS (SELECT ${space}), walk(step, id) AS (
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
