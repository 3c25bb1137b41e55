import type { Database } from '@octavo/db';
import { given, readRows, selection } from '@octavo/db';
import { commitStep } from '@octavo/runtime';
import type { SpaceId } from '@octavo/schema';
import { maxPagesPerEvent } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { lineageCte, lineageOfBranch } from '../engine/nodes/find-nodes.ts';
import { indexChangedPages } from '../engine/search/index-changed-pages.ts';
import { madePagesJobs } from './index-made-pages.ts';
import type { Job } from './job.ts';

/** One step: the next pages of the space in the order of their ids, with those that only the index knows. */
export const indexSpace: Job<'index_space'> = async (taken, context) => {
  const { organization, space, data } = taken;
  if (organization === null || space === null) throw new Error('The job names no space.');
  const pages = await findNextPages(context.db, space, data.after ?? '');
  const { statements, places } = await indexChangedPages(context.db, space, pages);
  const last = pages.length < maxPagesPerEvent ? undefined : pages.at(-1);
  await commitStep(context, taken, {
    statements,
    events: [
      ...madePagesJobs({ organization, space }, places, true),
      ...(last === undefined ? [] : [{ type: 'index_space' as const, organization, space, data: { after: last } }]),
    ],
  });
};

const pageRow = selection({ id: given(String) });

/** It goes from id to id by seeks, on every branch of the lineage and in the index, so that a step costs what it indexes. */
async function findNextPages(db: Database, space: SpaceId, after: string): Promise<string[]> {
  const nextOf = (column: string, rows: string) =>
    sql`SELECT MIN(${sql.raw(column)}) FROM ${sql.raw(rows)} AND ${sql.raw(column)} > walk.id`;
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
