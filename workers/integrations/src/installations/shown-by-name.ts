import type { CallerRecord, Database, ShownIntegrationRecord } from '@octavo/db';
import { readRows, shownIntegrationRow } from '@octavo/db';
import { sql } from 'drizzle-orm';
import { counted, joinOwner, shownBy, withPlaces } from '../integrations/shown-integrations.ts';

/** Integrations as the caller sees them, by their names: in one query for any number. */
export async function readShownByName(
  db: Database,
  caller: CallerRecord,
  names: string[],
): Promise<Map<string, ShownIntegrationRecord>> {
  if (names.length === 0) return new Map();
  const found = shownIntegrationRow.query(sql`${withPlaces(caller)}
    SELECT ${shownIntegrationRow.with(shownBy(caller))}
    FROM (SELECT DISTINCT value AS name FROM json_each(${JSON.stringify(names)})) named
    CROSS JOIN integrations i ON i.name = named.name AND i.unpublished_at IS NULL ${joinOwner(caller)}`);
  const rows = await readRows(db, found);
  return new Map(rows.map((row) => [row.integration.name, counted(caller, row)]));
}
