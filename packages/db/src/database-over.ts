import { DrizzleD1Database, SQLiteD1Session } from 'drizzle-orm/d1';
import { dialect } from './dialect.ts';

/** Drizzle over a metered session; `$client` is that session, for batches (see commit.ts). */
export type Database = DrizzleD1Database & { $client: D1Database };

/** As `drizzle(client)` makes it, with our dialect. */
export function databaseOver(client: D1Database): Database {
  const session = new SQLiteD1Session<Record<string, never>, Record<string, never>>(client, dialect, undefined);
  return Object.assign(new DrizzleD1Database('async', dialect, session, undefined), { $client: client });
}
