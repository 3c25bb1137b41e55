import ts from 'typescript';
import { expect, test } from 'vitest';
import { getNodes, getSources } from '../support/sources.ts';

/** Functions that return the rows of a batch. Functions whose return type contains `RowsOf` are added below. */
const givers = ['runBatch', 'commit', 'commitChecked', 'commitStep'];

const shipped = getSources('packages', 'workers').filter(({ path }) => !path.endsWith('.test.ts'));

const passing = shipped.filter(({ text }) => text.includes('RowsOf<'));
const passers = passing.flatMap(({ tree }) =>
  [...getNodes(tree)].filter(ts.isFunctionDeclaration).flatMap(({ name, type }) => {
    return name !== undefined && type?.getText().includes('RowsOf<') ? [name.text] : [];
  }),
);

const named = new Set([...givers, ...passers]);

function returnsRows(node: ts.Node | undefined): boolean {
  if (node === undefined) return false;
  if (ts.isAwaitExpression(node) || ts.isParenthesizedExpression(node)) return returnsRows(node.expression);
  if (ts.isAsExpression(node) || ts.isPropertyAccessExpression(node)) return returnsRows(node.expression);
  if (!ts.isCallExpression(node)) return false;
  const { expression: called } = node;
  if (ts.isPropertyAccessExpression(called) && ['then', 'catch'].includes(called.name.text)) {
    return returnsRows(called.expression);
  }
  return named.has(ts.isPropertyAccessExpression(called) ? called.name.text : called.getText());
}

/** Returns the names that a pattern binds to lists of rows. */
function getListNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return ts.isObjectBindingPattern(name) ? name.elements.flatMap((each) => getListNames(each.name)) : [];
}

function findArrayPatterns(name: ts.BindingName): ts.ArrayBindingPattern[] {
  if (ts.isIdentifier(name)) return [];
  if (ts.isArrayBindingPattern(name)) return [name];
  return name.elements.flatMap((each) => findArrayPatterns(each.name));
}

const getRoot = (node: ts.Expression): ts.Expression =>
  ts.isPropertyAccessExpression(node) ? getRoot(node.expression) : node;

/** Returns each position where a file accesses rows of a batch by index. */
function findReadsByPosition(tree: ts.SourceFile): string[] {
  const nodes = [...getNodes(tree)];
  const declared = nodes.filter(ts.isVariableDeclaration).filter(({ initializer }) => returnsRows(initializer));
  const lists = new Set(declared.flatMap(({ name }) => getListNames(name)));
  const isOne = (node: ts.Expression) => returnsRows(getRoot(node)) || lists.has(getRoot(node).getText());
  const taken = nodes.filter(
    (node) =>
      (ts.isElementAccessExpression(node) && isOne(node.expression) && node.argumentExpression.getText() !== '0') ||
      (ts.isCallExpression(node) &&
        ts.isPropertyAccessExpression(node.expression) &&
        ['at', 'slice', 'splice'].includes(node.expression.name.text) &&
        isOne(node.expression.expression)),
  );
  const patterns = declared
    .flatMap(({ name }) => findArrayPatterns(name))
    .filter(({ elements }) => elements.length > 1);
  return [...taken, ...patterns].map((node) => node.getText());
}

test('batch results are read by name, never by position', () => {
  const naming = shipped.filter(({ text }) => [...named].some((name) => text.includes(name)));
  expect(
    naming.flatMap(({ path, tree }) => findReadsByPosition(tree).map((position) => `${path}: ${position}`)),
  ).toEqual([]);
});

test.each([
  'const results = await commit([a, b], events); use(results.at(-2));',
  'const results = await commit([...guards, a], events); use(results[guards.length + 1]);',
  'const [, rows = []] = await runBatch(db, [a, b]);',
  'const [one, two] = (await runBatch(db, [a, b])) as Row[][];',
  'const { results } = await commit(db, caller, [a, b], []); use(results.slice(1));',
  'const rows = await commitChecked(db, checks, write).catch(fail); use(rows.found.at(-1));',
  'const all = await writeTeam(context, type, [a, b]); use(all[index]);',
])('the rule detects %s', (source) => {
  expect(findReadsByPosition(ts.createSourceFile('a.ts', source, ts.ScriptTarget.Latest, true))).toHaveLength(1);
});

test.each([
  'const { read: [row = {}] } = await commit({ guards, read }, events); use(row);',
  'const { read } = await runBatch(db, { read, more }); use(read[0]);',
  'const rows = await commitStep(context, taken, step); use(rows.map(text));',
])('the rule allows %s', (source) => {
  expect(findReadsByPosition(ts.createSourceFile('a.ts', source, ts.ScriptTarget.Latest, true))).toEqual([]);
});
