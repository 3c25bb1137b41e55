import type { Check, Database, Row, Statement } from '@octavo/db';
import { CommitConflict, firstBroken, must, optionalNumber, retryOnConflict } from '@octavo/db';
import { conflict, namesNothing, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** How deep collections nest. The effective role reads up to 64 levels. */
const maxCollectionDepth = 32;

/** Where siblings stand: in a collection, or at the top level of an organization. */
export interface Destination {
  organization: string;
  parent: string | null;
}

/** Something that comes into a destination. */
export interface Arrival extends Destination {
  /** How many levels of collections it brings along; null once it is gone itself. */
  levels: SQL;
  /** The id of what is moved there. */
  moving?: string;
  /** What else must hold while it arrives. */
  checks?: Check[];
}

export const levelsOfNewSpace = sql`0`;
export const levelsOfNewCollection = sql`1`;

/** A space brings no level along. */
export const levelsOfSpace = (organization: string, id: string): SQL =>
  sql`(SELECT 0 FROM spaces WHERE id = ${id} AND organization = ${organization} AND deleted_at IS NULL)`;

/** The levels of a collection and those nested in it. */
export const levelsOfCollection = (organization: string, id: string): SQL => sql`(
  WITH RECURSIVE below(id, level) AS (
    SELECT id, 1 FROM collections WHERE id = ${id} AND organization = ${organization} AND deleted_at IS NULL
    UNION ALL
    SELECT c.id, level + 1 FROM below CROSS JOIN collections c INDEXED BY collections_of_parent
      ON c.parent = below.id AND c.deleted_at IS NULL WHERE level < 64
  )
  SELECT MAX(level) FROM below)`;

/** One row: the levels down to the parent (null once that is gone), those that arrive, and whether it goes into itself. */
function stateOf({ organization, parent, levels, moving }: Arrival): SQL {
  if (parent === null) return sql`SELECT 0 AS above, ${levels} AS own, 0 AS circular`;
  return sql`
    WITH RECURSIVE chain(id, parent, level) AS (
      SELECT id, parent, 1 FROM collections WHERE id = ${parent} AND organization = ${organization} AND deleted_at IS NULL
      UNION ALL
      SELECT c.id, c.parent, level + 1 FROM chain CROSS JOIN collections c ON c.id = chain.parent WHERE level < 64
    )
    SELECT MAX(level) AS above, ${levels} AS own, MAX(id = ${moving ?? ''}) AS circular FROM chain`;
}

const fits = (arrival: Arrival): SQL => sql`EXISTS (SELECT 1 FROM (${stateOf(arrival)})
  WHERE above IS NOT NULL AND own IS NOT NULL AND NOT circular AND above + own <= ${sql.raw(String(maxCollectionDepth))})`;

/**
 * Writes something into a destination: `write` puts the guards that it gets into its batch, so that the parent is there
 * and the levels hold when it is written. A refused batch is told as what it came from; any other lost race is thrown on.
 * @throws ApiError not_found or conflict
 */
export async function arriveOnce<Value>(
  db: Database,
  arrival: Arrival,
  write: (guards: Statement[]) => Promise<Value>,
): Promise<Value> {
  const { checks = [] } = arrival;
  try {
    return await write([must(db, fits(arrival)), ...checks.map(({ holds }) => must(db, holds))]);
  } catch (error) {
    if (!(error instanceof CommitConflict)) throw error;
    refuse(await db.all<Row>(stateOf(arrival)), arrival);
    throw (await firstBroken(db, checks)) ?? error;
  }
}

/** `arriveOnce`, and again where another race was lost. */
export const arrive = <Value>(db: Database, arrival: Arrival, write: (guards: Statement[]) => Promise<Value>) =>
  retryOnConflict(() => arriveOnce(db, arrival, write));

function refuse([state = {}]: Row[], { moving }: Arrival): void {
  const [above, own] = [optionalNumber(state, 'above'), optionalNumber(state, 'own')];
  if (own === null) throw notFound(moving?.startsWith('spc_') ? 'space' : 'collection');
  if (above === null) throw namesNothing('parent', 'collection');
  if (state.circular === 1) throw conflict('A collection cannot go into itself or into one that is nested in it.');
  if (above + own > maxCollectionDepth) throw conflict(`Collections nest at most ${maxCollectionDepth} levels.`);
}
