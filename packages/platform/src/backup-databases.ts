import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pausePrefix } from '@octavo/schema';
import { getStateFolder } from './data-folder.ts';
import { PlatformError } from './platform-error.ts';

/** Lists the databases of a data folder. */
export async function listDatabases(dataDir: string): Promise<string[]> {
  const state = getStateFolder(dataDir);
  const files = await readdir(state, { recursive: true }).catch(() => []);
  return files.filter((file) => file.endsWith('.sqlite')).map((file) => path.join(state, file));
}

function withDatabase<Value>(file: string, use: (database: DatabaseSync) => Value): Value {
  const database = new DatabaseSync(file);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** Checks a database and returns SQLite's result: `ok`, or the first error. */
function checkDatabase(file: string): string {
  try {
    return withDatabase(file, (database) => {
      const [row] = database.prepare('PRAGMA quick_check(1)').all();
      return String(row?.quick_check);
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Checks all databases of a data folder that no server uses. @throws PlatformError */
export async function verifyBackup(dataDir: string): Promise<void> {
  const files = await listDatabases(dataDir);
  if (files.length === 0) throw new PlatformError(`${dataDir} contains no Octavo data.`);
  for (const file of files) {
    const result = checkDatabase(file);
    if (result !== 'ok') throw new PlatformError(`The database ${file} is damaged: ${result}.`);
  }
}

/** Tables of tokens, sign-in links, stored responses and signing keys. An installation works without their rows. */
const secretTables = ['tokens', 'sign_in_links', 'login_links', 'idempotency_keys', 'installation_keys'];

/** Drops the triggers that refuse writes while an operator has paused the installation. */
function dropPauses(database: DatabaseSync): void {
  const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, ?) = ?");
  for (const { name } of triggers.all(pausePrefix.length, pausePrefix)) database.exec(`DROP TRIGGER "${name}"`);
}

/**
 * Deletes all tokens and keys from the databases of a backup. Values that are encrypted with the installation's secret
 * are kept, because they cannot be read without it. The databases are rewritten, so that no deleted bytes are left.
 */
export async function removeSecrets(dataDir: string): Promise<void> {
  for (const file of await listDatabases(dataDir))
    withDatabase(file, (database) => {
      const exists = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
      const present = secretTables.filter((table) => exists.get(table) !== undefined);
      dropPauses(database);
      for (const table of present) database.exec(`DELETE FROM ${table}`);
      if (present.length > 0) database.exec('VACUUM');
    });
}
