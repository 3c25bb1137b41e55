import * as database from '@octavo/db';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteCustomColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { storedData } from '../../workers/content/src/stored-data.ts';
import type { Source } from '../support/sources.ts';
import { getNodes, getSources } from '../support/sources.ts';

const shipped = getSources('packages/db', 'packages/runtime', 'workers').filter(
  ({ path }) => !path.endsWith('.test.ts'),
);

/** The JSON columns of each table, by their SQL names. */
const declared = Object.values<unknown>(database)
  .filter((value): value is SQLiteTable => is(value, SQLiteTable))
  .map((table) => getTableConfig(table))
  .map(({ name, columns }) => ({
    name,
    columns: columns.filter((column) => is(column, SQLiteCustomColumn)).map((column) => column.name),
  }))
  .filter(({ columns }) => columns.length > 0);

test('JSON columns are declared with the schema of their values', () => {
  expect(
    getSources('packages/db')
      .filter(({ text }) => /mode: 'json'/.test(text))
      .map(({ path }) => path),
  ).toEqual([]);
});

test('the doctor checks every JSON column, and the data of nodes', () => {
  const checked = storedData.map(({ name, columns }) => ({ name, columns: columns.map(([column]) => column).sort() }));
  const all = [...declared, { name: 'versions', columns: ['data'] }];

  expect(checked.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual(
    all
      .map(({ name, columns }) => ({ name, columns: columns.toSorted() }))
      .toSorted((one, other) => one.name.localeCompare(other.name)),
  );
});

/**
 * Files that run a schema, and what they parse: input, data to be written, or messages. Rows are trusted and not
 * parsed.
 */
const parsing: Record<string, string> = {
  'workers/machine/src/wire.ts': 'how the workers are wired, as the machine is started with it',
  'packages/db/src/selection.ts': 'written',
  'packages/runtime/src/consume.ts': 'a message',
  'packages/runtime/src/event-groups.ts': 'a message',
  'packages/runtime/src/outbox.ts': 'a message',
  'packages/runtime/src/respond.ts': 'an answer, in tests',
  'packages/runtime/src/request.ts': 'a request',
  'packages/runtime/src/secrets.ts': 'a token',
  'workers/publishing/src/resolution/visitors.ts': 'a token',
  'workers/publishing/src/reader/serve-feedback.ts': 'a form',
  'workers/content/src/engine/store/nodes.ts': 'written',
  'workers/content/src/stored-data.ts': 'the doctor',
  'workers/content/src/api/pages/pages.ts': 'a query of ours, for its defaults',
  'workers/content/src/engine/imports/plan-archive.ts': 'an archive and its variables',
  'workers/content/src/engine/links/targets.ts': 'a link',
  'workers/content/src/api/urls/urls.ts': 'nothing, for its defaults',
  'workers/content/src/heads/live-room.ts': 'a message of a client',
  'workers/gateway/src/openapi.ts': 'nothing, whether that is taken',
  'workers/integrations/src/render/render.ts': 'a request, compressed',
  'workers/integrations/src/computing/generate-content.ts': 'an answer of a script',
  'workers/org-admin/src/login/pages.ts': 'a form',
  'workers/org-admin/src/operator/operator.ts': 'an operator',
  'workers/org-admin/src/sso/verify-response.ts': 'an assertion',
};

const parsesData = (source: Source): boolean =>
  /[pP]arse(?:Async)?\(|\b(?:validate|findProblem)\(/.test(source.text) &&
  [...getNodes(source.tree)].filter(ts.isCallExpression).some(({ expression }) => {
    if (ts.isIdentifier(expression)) return /^(?:validate|findProblem)$/.test(expression.text);
    if (!ts.isPropertyAccessExpression(expression) || !/^(safeP|p)arse(Async)?$/.test(expression.name.text))
      return false;
    return !/^(JSON|Date|URL)$/.test(expression.expression.getText());
  });

test('schemas are used to validate input and writes, but not rows', () => {
  expect(
    shipped
      .filter(parsesData)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(Object.keys(parsing).sort());
});

/** SQL statements that write a JSON column, and why the value is valid. */
const writing: Record<string, string> = {
  'packages/db/src/effects/events.ts': 'each event through its schema; of rows an object of their texts',
  'packages/db/src/effects/revisions.ts': 'a part of what toRow wrote',
  'workers/content/src/engine/store/revisions.ts': 'toRow',
  'workers/content/src/engine/imports/finish-import.ts': 'a copy of rows',
  'workers/content/src/jobs/flatten-space.ts': 'a copy of rows, and a part of a lineage',
  'workers/content/src/api/spaces/queries.ts': 'a copy of a row',
  'workers/org-admin/src/sessions/replace-secret.ts': 'a copy of a row',
  'workers/publishing/src/pdfs/render-pdf.ts': 'nothing, in the place of what a visitor was known by',
  'workers/publishing/src/pdfs/waiting-pdfs.ts': 'sql.param with the column',
  'workers/publishing/src/redirects/bulk-upsert-site-redirects.ts': 'toStored',
  'workers/integrations/src/computing/generate-due-contents.ts': 'toStored',
  'workers/integrations/src/scripts/record-run.ts': 'sql.param with the column',
};

const statement = /\b(?:INTO\s+(\w+)\s*\(([^)]*)\)|UPDATE\s+(\w+)\s+SET\b([\s\S]*))/gi;

const findWrittenTables = (source: Source): string[] =>
  [...(source.text.search(statement) === -1 ? [] : getNodes(source.tree))]
    .filter((node) => ts.isTemplateLiteral(node) || ts.isStringLiteral(node))
    .flatMap((node) => [...node.getText().matchAll(statement)])
    .flatMap(([, into, names = '', updated, set = '']) =>
      [...declared, { name: 'versions', columns: ['data'] }]
        .filter(({ name }) => name === (into ?? updated))
        .flatMap(({ columns }) =>
          columns.filter((column) =>
            new RegExp(into === undefined ? `\\b${column}\\s*=` : `\\b${column}\\b`).test(
              into === undefined ? set : names,
            ),
          ),
        ),
    );

describe('SQL statements in text', () => {
  test('only write JSON that is known to be valid', () => {
    const writingMigrations = shipped.filter((source) => findWrittenTables(source).length > 0).map(({ path }) => path);

    expect(writingMigrations.sort()).toEqual(Object.keys(writing).sort());
  });
});
