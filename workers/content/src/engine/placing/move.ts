import type { CallerRecord, Database, Statement } from '@octavo/db';
import { commitCheckedOnce, given, maybe, must, readRow, retryOnConflict, selection } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { arrivalChecks } from './arrival.ts';
import type { WantedPosition } from './find-place.ts';
import { findPlace } from './find-place.ts';
import type { LeveledContent } from './level-checks.ts';
import { levelChecksOfMove } from './level-checks.ts';

interface Moved extends LeveledContent {
  organization: OrganizationId;
  /** How many levels of collections move; null once it is gone. */
  levels: SQL;
}

interface Move<Value> {
  /** The parent that was asked for: undefined where it stays in its own. */
  to: { parent?: string | null | undefined; position?: Omit<WantedPosition, 'actor'> | undefined };
  actor: CallerRecord;
  write: (guards: Statement[], place: { parent: string | null; position: string }) => Promise<Value>;
}

/** Moves a space or a collection into a parent, to a place among the siblings there; again where a race was lost. */
export const move = <Value>(db: Database, moved: Moved, { to, actor, write }: Move<Value>): Promise<Value> =>
  retryOnConflict(async () => {
    const { id, organization, levels } = moved;
    const { parent, guards } = to.parent === undefined ? await whereItIs(db, moved) : { parent: to.parent, guards: [] };
    const place = { organization, parent, moving: id };
    const checks = levelChecksOfMove(moved, parent);
    return commitCheckedOnce(db, arrivalChecks({ ...place, levels, checks }), async (arrives) => {
      const { position, statements } = await findPlace(db, place, { ...to.position, actor });
      return write([...arrives, ...guards, ...statements], { parent, position });
    });
  });

const parentRow = selection({ parent: maybe(given(String)) });

/** The parent that it has now, and the guard that it keeps it: its siblings are looked up there. */
async function whereItIs(db: Database, { table, id }: Moved): Promise<{ parent: string | null; guards: Statement[] }> {
  const from = sql.raw(table);
  const row = await readRow(
    db,
    parentRow.query(sql`SELECT parent FROM ${from} WHERE id = ${id} AND deleted_at IS NULL`),
  );
  if (row === undefined) throw notFound(table === 'spaces' ? 'space' : 'collection');
  const { parent } = row;
  return { parent, guards: [must(db, sql`EXISTS (SELECT 1 FROM ${from} WHERE id = ${id} AND parent IS ${parent})`)] };
}
