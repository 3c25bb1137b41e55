import type { Migration } from './manifest.ts';
import type { CallWorker } from './operator.ts';
import { PlatformError } from './platform-error.ts';

interface Statement {
  sql: string;
  values?: unknown[];
}

type Row = Record<string, unknown>;

// The table that `wrangler d1 migrations apply` uses, so that wrangler and this function can continue each other's
// work.
const TABLE =
  'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)';

/** Runs statements in one transaction and returns the rows of each statement. */
async function runStatements(call: CallWorker, statements: Statement[]): Promise<Row[][]> {
  const { status, body } = await call('/database', { statements });
  const { rows, error } = body as { rows?: Row[][]; error?: { message: string } };
  if (rows === undefined) throw new PlatformError(error?.message ?? `The database returned ${status}.`);
  return rows;
}

async function applyMigration(call: CallWorker, { name, statements }: Migration): Promise<void> {
  const insertMigration = { sql: 'INSERT INTO d1_migrations (name) VALUES (?)', values: [name] };
  try {
    await runStatements(call, [...statements.map((sql) => ({ sql })), insertMigration]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PlatformError(`The migration ${name} failed. The database was not changed: ${reason}`);
  }
}

/** @throws PlatformError if an import is running, because triggers that a migration may replace do not exist then */
async function requireNoImport(call: CallWorker): Promise<void> {
  const [[running] = []] = await runStatements(call, [{ sql: 'SELECT id FROM installation_imports' }]);
  if (running === undefined) return;
  throw new PlatformError(
    'An import into this data folder is not complete, so this version cannot migrate its database. Start the version that began the import, and complete it or end it with `octavo installation import --cancel`. Then start this version.',
  );
}

/** Applies missing migrations, each in one transaction, and returns their names. */
export async function migrate(call: CallWorker, migrations: Migration[]): Promise<string[]> {
  const findImports = "SELECT name FROM sqlite_master WHERE name = 'installation_imports'";
  const statements = [TABLE, 'SELECT name FROM d1_migrations', 'PRAGMA foreign_keys', findImports];
  const [, appliedRows = [], enforced = [], importTables = []] = await runStatements(
    call,
    statements.map((sql) => ({ sql })),
  );
  const knownNames = new Set(migrations.map(({ name }) => name));
  const appliedNames = new Set(appliedRows.map(({ name }) => String(name)));
  const unknown = [...appliedNames].find((name) => !knownNames.has(name));
  if (unknown !== undefined)
    throw new PlatformError(
      `This data folder was created by another version of Octavo: its migration ${unknown} is unknown here. Start that version, write each space to files with \`octavo export <space> <folder>\`, then start this version on an empty data folder (OCTAVO_DATA) and import them with \`octavo import <folder> --space new\`.`,
    );
  if (enforced[0]?.foreign_keys !== 1)
    throw new PlatformError('The database does not enforce foreign keys, which Octavo requires.');
  const pending = migrations.filter(({ name }) => !appliedNames.has(name));
  if (pending.length > 0 && importTables.length > 0) await requireNoImport(call);
  for (const migration of pending) await applyMigration(call, migration);
  return pending.map(({ name }) => name);
}
