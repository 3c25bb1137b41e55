import type { DatabaseSync } from 'node:sqlite';

/** Inserts API tokens, and as many sessions that were started with them. Half of the sessions precede all API tokens. */
export function insertTokens(database: DatabaseSync, count: number): void {
  database.exec("INSERT INTO users (id, email, display_name, created_at) VALUES ('user', 'a@acme.dev', 'Ada', 1)");
  const insert = database.prepare(
    'INSERT INTO tokens (id, user, label, hash, created_at, session, parent) VALUES (?, ?, ?, ?, 1, ?, ?)',
  );
  for (let index = 0; index < count; index += 1)
    insert.run(`tok_z${index}`, 'user', 'A label '.repeat(25), `hash${index}`, null, null);
  for (let index = 0; index < count; index += 1) {
    const id = index % 2 === 0 ? `tok_a${index}` : `tok_z${index}_session`;
    insert.run(id, 'user', 'App', `session${index}`, id, `tok_z${index}`);
  }
}
