import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createMemoryDatabase } from '../support/memory-database.ts';
import { findWrittenTables, ownedTables } from '../support/owned-tables.ts';

interface Trigger {
  name: string;
  table: string;
  sql: string;
}

const triggers = createMemoryDatabase()
  .prepare("SELECT name, tbl_name AS 'table', sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
  .all() as unknown as Trigger[];

/** Returns the tables that a trigger writes but that another worker owns. */
function getForeignWrites({ name, table, sql }: Trigger): string[] {
  const own = Object.values(ownedTables).find((tables) => tables.some((each) => each.name === table)) ?? [];
  return findWrittenTables(sql.slice(sql.indexOf('BEGIN')))
    .filter((written) => !own.some((each) => each.name === written))
    .map((written) => `${name} writes ${written}`);
}

test('a trigger writes only tables of the same worker and the feed, never the outbox', () => {
  expect(triggers.flatMap(getForeignWrites)).toEqual(['outbox_fed writes feed']);
});

test('the rule detects a trigger that writes tables of another worker', () => {
  const sql = `CREATE TRIGGER merged AFTER INSERT ON revisions BEGIN
    UPDATE spaces SET updated_at = new.created_at WHERE id = new.space;
    UPDATE change_requests SET status = 'merged' WHERE id = new.change_request;
    INSERT OR IGNORE INTO outbox (id) VALUES (new.id);
  END`;

  expect(getForeignWrites({ name: 'merged', table: 'revisions', sql })).toEqual([
    'merged writes change_requests',
    'merged writes outbox',
  ]);
});

test('docs/architecture.md lists the triggers, each once', () => {
  const docs = readFileSync(path.resolve(import.meta.dirname, '../../docs/architecture.md'), 'utf8');
  const [, section = ''] = /^## Effects and triggers$([\s\S]*?)^## /m.exec(docs) ?? [];
  const [, table = ''] = /^\| triggers \|.*\n\|.*\n((?:\|.*\n)+)/m.exec(section) ?? [];
  const listed = table.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)]);

  expect(listed.map(([, name]) => name).toSorted()).toEqual(triggers.map(({ name }) => name));
});
