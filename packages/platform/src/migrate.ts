import type { Miniflare } from 'miniflare';
import type { Migration } from './manifest.ts';
import { PlatformError } from './platform-error.ts';

type LocalDatabase = Awaited<ReturnType<Miniflare['getD1Database']>>;

// The same table as `wrangler d1 migrations apply` keeps, so that either may go on where the other stopped.
const TABLE =
  'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)';

async function apply(db: LocalDatabase, { name, statements }: Migration): Promise<void> {
  const done = db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name);
  try {
    await db.batch([...statements.map((statement) => db.prepare(statement)), done]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PlatformError(`The migration ${name} failed and left the database as it was: ${reason}`);
  }
}

/** Applies what is missing, each file whole or not at all, and gives the names of the new ones. */
export async function migrate(db: LocalDatabase, migrations: Migration[]): Promise<string[]> {
  await db.prepare(TABLE).run();
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>();
  const known = new Set(migrations.map(({ name }) => name));
  const strange = results.find(({ name }) => !known.has(name));
  if (strange)
    throw new PlatformError(
      `The data was made by another version of Octavo: its migration ${strange.name} is unknown here.`,
    );
  const done = new Set(results.map(({ name }) => name));
  const missing = migrations.filter(({ name }) => !done.has(name));
  for (const migration of missing) await apply(db, migration);
  const enforced = await db.prepare('PRAGMA foreign_keys').first<number>('foreign_keys');
  if (enforced !== 1) throw new PlatformError('The database does not enforce foreign keys; Octavo does not run on it.');
  return missing.map(({ name }) => name);
}
