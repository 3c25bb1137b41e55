import ts from 'typescript';
import { expect, test } from 'vitest';
import type { Source } from '../support/sources.ts';
import { getNodes, getSources } from '../support/sources.ts';

type Tree = Pick<Source, 'path' | 'tree'>;

const readers = /\b(?:db|connect\(\))\.(?:all|get|values)$/;

/** Finds SQL queries whose rows are not read by a selection. */
const findUntypedRows = ({ path, tree }: Tree): string[] =>
  [...getNodes(tree)]
    .filter(ts.isCallExpression)
    .filter(({ expression }) => readers.test(expression.getText()))
    .map((call) => `${path}: ${call.expression.getText()}`);

/** Finds accesses to a row's fields by column name. */
const findTextReads = ({ path, tree }: Tree): string[] =>
  [...getNodes(tree)].flatMap((node) => {
    const isLookup = ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression);
    const name = isLookup ? node.argumentExpression.text : ts.isPropertyAccessExpression(node) ? node.name.text : '';
    const isOfRow =
      (ts.isElementAccessExpression(node) || ts.isPropertyAccessExpression(node)) &&
      /\brow\??$/.test(node.expression.getText());
    return isOfRow && /_/.test(name) ? [`${path}: ${node.getText()}`] : [];
  });

/** Finds column lists that are built from text. */
const findHandwrittenColumns = ({ path, tree }: Tree): string[] =>
  [...getNodes(tree)]
    .filter(ts.isTemplateExpression)
    .filter((template) => /\$\{\w+\} AS \w*\$\{\w+\}/.test(template.getText()))
    .map((template) => `${path}: ${template.getText()}`);

const mayReadRows = ({ text }: Source) => /\bdb\b|\bconnect\(\)|\brow\b|\} AS /.test(text);

const findViolations = (source: Tree) => [
  ...findUntypedRows(source),
  ...findTextReads(source),
  ...findHandwrittenColumns(source),
];

/** The selection mechanism itself, and the data check, which reads every column of every table. */
const exempt = [
  'packages/db/src/selection.ts',
  'packages/db/src/selection.test.ts',
  'packages/db/src/statements/check-data.ts',
];

test('rows are read only through selections of table columns', () => {
  const sources = getSources('packages/db/src', 'packages/runtime/src', 'workers');

  expect(
    sources.filter((source) => !exempt.includes(source.path) && mayReadRows(source)).flatMap(findViolations),
  ).toEqual([]);
});

test('the rule detects rows read in other ways', () => {
  const text = `
    const [row] = await db.all<Row>(sql\`SELECT id AS space_id FROM spaces\`);
    const id = row.space_id ?? row['space_id'];
    const columns = names.map((column) => \`s.\${column} AS space_\${column}\`);`;

  expect(
    findViolations({ path: 'x.ts', tree: ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true) }),
  ).toHaveLength(4);
});
