import type { Database, Row } from '@octavo/db';
import { runBatch, text } from '@octavo/db';
import { randomString } from '@octavo/schema';
import { sql } from 'drizzle-orm';

const secretLength = 64;

const read = (name: string) => sql`SELECT secret FROM installation_keys WHERE name = ${name}`;

/** The secret of that name, which only this installation knows; made at its first use. */
export async function installationKey(db: Database, name: string): Promise<Uint8Array> {
  const [row] = await db.all<Row>(read(name));
  return new TextEncoder().encode(row === undefined ? await make(db, name) : text(row, 'secret'));
}

/** Of many that make it at once one wins, and all read what that one wrote. */
async function make(db: Database, name: string): Promise<string> {
  const {
    key: [row = {}],
  } = await runBatch(db, {
    made: db.run(
      sql`INSERT OR IGNORE INTO installation_keys (name, secret) VALUES (${name}, ${randomString(secretLength)})`,
    ),
    key: db.all(read(name)),
  });
  return text(row, 'secret');
}
