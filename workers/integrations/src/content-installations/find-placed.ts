import type { Database } from '@octavo/db';
import { readRow } from '@octavo/db';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PlacedRecord, PlaceKind } from './content-installation.ts';
import { joinInstallation, placeKinds } from './content-installation.ts';

/** An installation on a space or a site. @throws ApiError not_found */
export async function findPlaced(
  db: Database,
  kind: PlaceKind,
  { installation, place }: { installation: string; place: string },
): Promise<PlacedRecord> {
  const { table, column, row } = placeKinds[kind];
  const found = row.query(sql`SELECT ${row} FROM ${table} x ${joinInstallation(kind)}
    WHERE x.installation = ${installation} AND x.${column} = ${place}`);
  const record = await readRow(db, found);
  if (record === undefined) throw notFound(`installation on this ${kind}`);
  return record;
}
