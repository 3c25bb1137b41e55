import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { releases } from '../support/releases.ts';

const folder = path.resolve(import.meta.dirname, '../../migrations');

interface Statement {
  sql: string;
  /** The comment directly before the statement, or before the statements directly above it. */
  comment: string;
}

/** Splits a migration into statements. A statement ends at a line that ends with `;`, a trigger at `END;`. */
function splitMigration(text: string): Statement[] {
  const statements: Statement[] = [];
  let comments: string[] = [];
  let lines: string[] = [];
  let isAfterStatement = false;
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line.startsWith('--')) {
      if (isAfterStatement && lines.length === 0) comments = [];
      if (lines.length === 0) comments.push(line.slice(2).trim());
      isAfterStatement = false;
    } else if (line !== '') lines.push(line);
    else if (lines.length === 0) comments = [];
    const isTrigger = /^CREATE TRIGGER/.test(lines[0] ?? '');
    if (!(isTrigger ? /(?:^|\s)END;$/ : /;$/).test(lines.at(-1) ?? '')) continue;
    statements.push({ sql: lines.join(' '), comment: comments.join(' ') });
    isAfterStatement = true;
    lines = [];
  }
  return statements;
}

/** Returns the tables that a migration creates. */
const getNewTables = (statements: Statement[]): Set<string> =>
  new Set(statements.flatMap(({ sql }) => /^CREATE (?:VIRTUAL )?TABLE (\w+)/.exec(sql)?.[1] ?? []));

const expansion = 'A migration only adds to the schema';
const reason = 'write the reason why workers of the previous release keep working before it: `-- Compatible: ...`';
const unused = 'name the release that stopped using it before it: `-- Unused since 1.2.0: ...`';

/** Returns the fault of the comment before a statement, which must name the release that stopped using the object. */
function checkUnused({ sql, comment }: Statement, versions: string[]): string[] {
  const [, version] = /Unused since (\S+): \S/.exec(comment) ?? [];
  if (version === undefined) return [`${expansion}; ${unused}: ${sql}`];
  return versions.includes(version) ? [] : [`releases.json has no release ${version}: ${sql}`];
}

const checkReason = ({ sql, comment }: Statement): string[] =>
  /Compatible: \S/.test(comment) ? [] : [`${expansion}, or ${reason}: ${sql}`];

/** Without an action, workers that do not know the new table could no longer delete the row. */
const checkReferences = ({ sql }: Statement, tables: Set<string>): string[] =>
  [...sql.matchAll(/REFERENCES (\w+)(?: \([^)]*\))?( ON DELETE (?:CASCADE|SET NULL))?/g)].flatMap(
    ([, table = '', action]) =>
      action !== undefined || tables.has(table)
        ? []
        : [`A reference to a table of an earlier migration needs ON DELETE CASCADE or SET NULL: ${sql}`],
  );

/** Returns the reasons why workers of the previous release might fail after this statement. */
function checkStatement(statement: Statement, all: Statement[], versions: string[]): string[] {
  const { sql } = statement;
  const tables = getNewTables(all);
  const isNew = (pattern: RegExp) => tables.has(pattern.exec(sql)?.[1] ?? '');
  if (/^CREATE (?:VIRTUAL )?TABLE /.test(sql)) return checkReferences(statement, tables);
  if (/^CREATE (?:INDEX|VIEW) /.test(sql)) return [];
  if (/^CREATE (?:UNIQUE INDEX|TRIGGER) /.test(sql)) return isNew(/ ON (\w+)/) ? [] : checkReason(statement);
  if (/^ALTER TABLE \w+ ADD COLUMN /.test(sql)) {
    const isRequired = /\bNOT NULL\b/.test(sql) && !/\b(?:DEFAULT|GENERATED)\b/.test(sql);
    return isRequired
      ? [`A new column must be nullable or have a default: ${sql}`]
      : checkReferences(statement, tables);
  }
  if (/^(?:INSERT|REPLACE|UPDATE|DELETE)\b/.test(sql))
    return isNew(/^(?:(?:INSERT|REPLACE)(?: OR \w+)? INTO|UPDATE|DELETE FROM) (\w+)/) ? [] : checkReason(statement);
  const [, replaced] = /^DROP TRIGGER (?:IF EXISTS )?(\w+);/.exec(sql) ?? [];
  if (replaced !== undefined && all.some((each) => each.sql.startsWith(`CREATE TRIGGER ${replaced} `)))
    return checkReason(statement);
  return checkUnused(statement, versions);
}

const checkMigration = (text: string, versions = releases.map(({ version }) => version)): string[] => {
  const statements = splitMigration(text);
  return statements.flatMap((statement) => checkStatement(statement, statements, versions));
};

const names = readdirSync(folder).sort();
/** The migrations with the first schema. No release has run on a part of them. */
const isOfFirstSchema = (name: string) => name < '0007';

describe('workers of the previous release run on the schema of the next', () => {
  test.each(names.filter((name) => !isOfFirstSchema(name)))('%s is compatible', (name) => {
    expect(checkMigration(readFileSync(path.join(folder, name), 'utf8'))).toEqual([]);
  });

  test('the first schema is compatible', () => {
    const texts = names.filter(isOfFirstSchema).map((name) => readFileSync(path.join(folder, name), 'utf8'));
    expect(checkMigration(texts.join('\n'))).toEqual([]);
  });
});

describe('the rule', () => {
  test.each([
    'CREATE TABLE t (id TEXT PRIMARY KEY, owner TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE);\nCREATE UNIQUE INDEX i ON t (owner);\nINSERT INTO t (id) VALUES (1);',
    'CREATE INDEX i ON users (email);\nCREATE VIEW v AS SELECT 1;',
    'ALTER TABLE users ADD COLUMN a TEXT;\nALTER TABLE users ADD COLUMN b INTEGER NOT NULL DEFAULT 0;',
    '-- Compatible: it only changes a new column.\nUPDATE users SET a = 1;',
    '-- Compatible: it also writes the new table.\nDROP TRIGGER x;\nCREATE TRIGGER x AFTER DELETE ON users BEGIN\n  SELECT 1;\nEND;',
    '-- Unused since 0.1.0: tables replace it.\nDROP TABLE t;',
  ])('accepts the migration %j', (text) => {
    expect(checkMigration(text, ['0.1.0'])).toEqual([]);
  });

  test.each([
    ['DROP TABLE t;', unused],
    ['DROP TRIGGER x;', unused],
    ['ALTER TABLE users DROP COLUMN email;', unused],
    ['ALTER TABLE users RENAME COLUMN a TO b;', unused],
    ['ALTER TABLE users RENAME TO people;', unused],
    ['-- Unused since 0.2.0: tables replace it.\nDROP TABLE t;', 'releases.json has no release 0.2.0'],
    ['-- Unused since 0.1.0: tables replace it.\n\nDROP TABLE t;', unused],
    ['ALTER TABLE users ADD COLUMN a TEXT NOT NULL;', 'must be nullable or have a default'],
    ['CREATE UNIQUE INDEX i ON users (name);', reason],
    ['CREATE TRIGGER x AFTER DELETE ON users BEGIN\n  SELECT 1;\nEND;', reason],
    ['UPDATE users SET email = NULL;', reason],
    ['DELETE FROM users;', reason],
    ['CREATE TABLE t (owner TEXT NOT NULL REFERENCES users (id));', 'needs ON DELETE CASCADE'],
  ])('rejects the migration %j', (text, message) => {
    expect(checkMigration(text, ['0.1.0'])).toEqual([expect.stringContaining(message)]);
  });
});
