import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { memoryDatabase } from '../support/memory-database.ts';
import { ownedTables, tablesWrittenBy } from '../support/owned-tables.ts';

interface Trigger {
  name: string;
  table: string;
  sql: string;
}

/** The triggers of a database that was migrated up to a file, in the order of their names. */
function triggersAt(last?: string): Trigger[] {
  const triggers = "SELECT name, tbl_name AS 'table', sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name";
  return memoryDatabase(last).prepare(triggers).all() as unknown as Trigger[];
}

const kept = triggersAt();

/** What a trigger writes that is not of the worker whose table it is on. */
function foreignWritesOf({ name, table, sql }: Trigger): string[] {
  const own = Object.values(ownedTables).find((tables) => tables.some((each) => each.name === table)) ?? [];
  return tablesWrittenBy(sql.slice(sql.indexOf('BEGIN')))
    .filter((written) => !own.some((each) => each.name === written))
    .map((written) => `${name} writes ${written}`);
}

test('a trigger writes tables of the worker alone whose table it is on, but for the feed, and the outbox never', () => {
  expect(kept.flatMap(foreignWritesOf)).toEqual(['outbox_fed writes feed']);
});

test('the rule sees what triggers wrote before effects were functions', () => {
  const foreign = triggersAt('0021_cleaning.sql').flatMap(foreignWritesOf);

  expect(foreign).toHaveLength(25);
  expect(foreign).toEqual(
    expect.arrayContaining(['change_requests_merged writes change_requests', 'lineage_sources_freed writes outbox']),
  );
});

test('docs/architecture.md lists the triggers that there are, each once', () => {
  const docs = readFileSync(path.resolve(import.meta.dirname, '../../docs/architecture.md'), 'utf8');
  const [, section = ''] = /^## Effects and triggers$([\s\S]*?)^## /m.exec(docs) ?? [];
  const [, table = ''] = /^\| triggers \|.*\n\|.*\n((?:\|.*\n)+)/m.exec(section) ?? [];
  const listed = table.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)]);

  expect(listed.map(([, name]) => name).toSorted()).toEqual(kept.map(({ name }) => name));
});
