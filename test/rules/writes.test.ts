import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import * as collaboration from '../../packages/db/src/collaboration.ts';
import * as content from '../../packages/db/src/content.ts';
import * as imports from '../../packages/db/src/imports.ts';
import * as orgAdmin from '../../packages/db/src/org-admin.ts';
import * as publishing from '../../packages/db/src/publishing.ts';
import type { Source } from '../support/sources.ts';
import { nodesOf, sourcesOf } from '../support/sources.ts';

const tablesIn = (module: object) =>
  Object.entries(module).flatMap(([variable, value]) =>
    is(value, SQLiteTable) ? [{ variable, name: getTableConfig(value).name }] : [],
  );

/** The tables of each worker; the others have none yet. */
const owned: Record<string, { variable: string; name: string }[]> = {
  collaboration: tablesIn(collaboration),
  content: [...tablesIn(content), ...tablesIn(imports)],
  'org-admin': tablesIn(orgAdmin),
  publishing: tablesIn(publishing),
  integrations: [],
  gateway: [],
};

const statement = /\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE|DELETE\s+FROM)\s+(?!SET\b)(\S+)/gi;

/** The tables that the SQL of a file writes, by name. */
const writtenBySql = ({ tree }: Source): string[] =>
  [...nodesOf(tree)]
    .filter((node) => ts.isTemplateLiteral(node) || ts.isStringLiteral(node))
    .flatMap((node) => [...node.getText().matchAll(statement)].map(([, name]) => name ?? ''));

/** The tables that a file writes through drizzle, by the expressions that name them. */
const writtenByDrizzle = ({ tree }: Source): string[] =>
  [...nodesOf(tree)].filter(ts.isCallExpression).flatMap(({ expression, arguments: [table] }) => {
    if (!ts.isPropertyAccessExpression(expression) || table === undefined) return [];
    if (!['insert', 'update', 'delete'].includes(expression.name.text)) return [];
    return /\b(?:db|database)$/.test(expression.expression.getText()) ? [table.getText()] : [];
  });

describe.each(Object.entries(owned))('the worker %s', (worker, tables) => {
  const sources = sourcesOf(`workers/${worker}/src`);

  test('writes only its own tables, and the outbox only through commit', () => {
    const foreign = sources.flatMap((source) => [
      ...writtenBySql(source).filter((name) => !tables.some((table) => table.name === name)),
      ...writtenByDrizzle(source).filter((name) => !tables.some(({ variable }) => variable === name)),
    ]);

    expect(foreign).toEqual([]);
  });
});

test('the rule sees both ways of writing', () => {
  const sources = sourcesOf('workers/content/src', 'workers/org-admin/src');

  expect(sources.flatMap(writtenBySql)).toEqual(expect.arrayContaining(['search_sections', 'versions']));
  expect(sources.flatMap(writtenByDrizzle)).toEqual(expect.arrayContaining(['spaces', 'tokens', 'members']));
});
