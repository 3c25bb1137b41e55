import type { Database } from '@octavo/db';
import { installationKeys, onlyRow, readRow, runBatch, selection } from '@octavo/db';
import { randomString } from '@octavo/schema';
import { sql } from 'drizzle-orm';

const secretLength = 64;

const keyRow = selection({ secret: installationKeys.secret });

const read = (name: string) => keyRow.query(sql`SELECT ${keyRow} FROM installation_keys WHERE name = ${name}`);

/** The secret of that name, which only this installation knows; made at its first use. */
export async function installationKey(db: Database, name: string): Promise<Uint8Array> {
  const key = await readRow(db, read(name));
  return new TextEncoder().encode(key?.secret ?? (await make(db, name)));
}

/** Of many that make it at once one wins, and all read what that one wrote. */
async function make(db: Database, name: string): Promise<string> {
  const { key } = await runBatch(db, {
    made: db.run(
      sql`INSERT OR IGNORE INTO installation_keys (name, secret) VALUES (${name}, ${randomString(secretLength)})`,
    ),
    key: read(name),
  });
  return onlyRow(key).secret;
}
