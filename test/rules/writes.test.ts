import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { findWrittenTables, ownedTables } from '../support/owned-tables.ts';
import type { Source } from '../support/sources.ts';
import { getNodes, getSources } from '../support/sources.ts';

/** Returns the tables that a file writes with SQL. */
const findSqlWrites = (source: Source): string[] =>
  [...(findWrittenTables(source.text).length > 0 ? getNodes(source.tree) : [])]
    .filter((node) => ts.isTemplateLiteral(node) || ts.isStringLiteral(node))
    .flatMap((node) => findWrittenTables(node.getText()));

/** Returns the tables that a file writes with drizzle, by the expressions that name them. */
const findDrizzleWrites = (source: Source): string[] =>
  [...(/\.(?:insert|update|delete)\(/.test(source.text) ? getNodes(source.tree) : [])]
    .filter(ts.isCallExpression)
    .flatMap(({ expression, arguments: [table] }) => {
      if (!ts.isPropertyAccessExpression(expression) || table === undefined) return [];
      if (!['insert', 'update', 'delete'].includes(expression.name.text)) return [];
      return /\b(?:db|database)$/.test(expression.expression.getText()) ? [table.getText()] : [];
    });

const isTest = ({ path }: Source) => path.endsWith('.test.ts');
const effects = 'packages/db/src/effects/';
const shipped = getSources('packages', 'workers').filter((source) => !isTest(source));

/** Fills all tables of a new installation with the rows of another one. */
const importer = 'workers/operator/src/transfer/import.ts';

describe.each(Object.entries(ownedTables))('the worker %s', (worker, tables) => {
  const sources = shipped.filter(({ path }) => path.startsWith(`workers/${worker}/src/`) && path !== importer);

  test('writes only its own tables, and writes the outbox only through commit', () => {
    const foreign = sources.flatMap((source) => [
      ...findSqlWrites(source).filter((name) => !tables.some((table) => table.name === name)),
      ...findDrizzleWrites(source).filter((name) => !tables.some(({ variable }) => variable === name)),
    ]);

    expect(foreign).toEqual([]);
  });
});

test('shared code writes only idempotency keys, the outbox, runs of crons and the last use of tokens, except in effects', () => {
  const shared = shipped.filter(
    ({ path }) => /^packages\/(?:db|runtime)\/src\//.test(path) && !path.startsWith(effects),
  );
  const written = shared.flatMap((source) => [...findSqlWrites(source), ...findDrizzleWrites(source)]);

  expect([...new Set(written)].toSorted()).toEqual(['cronRuns', 'idempotency_keys', 'outbox', 'tokens']);
});

/** Writes that have effects on tables of other workers. For `spaces`, this depends on the columns. */
const farReaching = [
  /INSERT INTO revisions\b|\.insert\(revisions\)/,
  /DELETE FROM (?:spaces|collections|members|teams|lineage_sources)\b/,
  /\.delete\((?:spaces|collections|members|teams|lineageSources)\)/,
  /UPDATE spaces SET (?:(?!WHERE)[^`])*\b(?:organization|deleted_at) =/,
  /UPDATE collections SET (?:(?!WHERE)[^`])*\borganization =/,
  /\.update\(spaces\) ?\.set\(\{[^)]*\b(?:organization|deletedAt)\b/,
  /\.update\(collections\) ?\.set\(\{[^)]*\borganization\b/,
];
const findForeignWrites = (source: Source) => {
  const text = source.text.replace(/\s+/g, ' ');
  return farReaching.flatMap((write) => write.exec(text)?.[0] ?? []).map((write) => `${source.path}: ${write}`);
};

test('all writes to tables of other workers are in effects', () => {
  const [inEffects, elsewhere] = [true, false].map((isEffect) =>
    shipped.filter(({ path }) => path.startsWith(effects) === isEffect).flatMap(findForeignWrites),
  );

  expect(elsewhere).toEqual([]);
  expect(inEffects?.length).toBeGreaterThan(6);
});

test('the rule detects writes in SQL and through drizzle', () => {
  const sources = getSources('workers/content/src', 'workers/org-admin/src');

  expect(sources.flatMap(findSqlWrites)).toEqual(expect.arrayContaining(['search_segments', 'versions']));
  expect(sources.flatMap(findDrizzleWrites)).toEqual(expect.arrayContaining(['spaces', 'tokens', 'members']));
});
