import type { Database, Row, Statement } from '@octavo/db';
import { CommitConflict, must, optionalNumber, retryOnConflict } from '@octavo/db';
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
  /** The id of a collection that is moved there. */
  moving?: string;
}

export const levelsOfSpace = sql`0`;
export const levelsOfNewCollection = sql`1`;

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
 * Writes something into a destination: `write` puts the guard that it gets into its batch, so that the parent is there
 * and the levels hold when it is written. A refused batch is told as what it came from; any other lost race is thrown on.
 * @throws ApiError not_found or conflict
 */
export async function arriveOnce<Value>(
  db: Database,
  arrival: Arrival,
  write: (guard: Statement) => Promise<Value>,
): Promise<Value> {
  try {
    return await write(must(db, fits(arrival)));
  } catch (error) {
    if (error instanceof CommitConflict) refuse(await db.all<Row>(stateOf(arrival)));
    throw error;
  }
}

/** `arriveOnce`, and again where another race was lost. */
export const arrive = <Value>(db: Database, arrival: Arrival, write: (guard: Statement) => Promise<Value>) =>
  retryOnConflict(() => arriveOnce(db, arrival, write));

function refuse([state = {}]: Row[]): void {
  const [above, own] = [optionalNumber(state, 'above'), optionalNumber(state, 'own')];
  if (own === null) throw notFound('collection');
  if (above === null) throw namesNothing('parent', 'collection');
  if (state.circular === 1) throw conflict('A collection cannot go into itself or into one that is nested in it.');
  if (above + own > maxCollectionDepth) throw conflict(`Collections nest at most ${maxCollectionDepth} levels.`);
}
