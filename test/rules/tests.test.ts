import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { getNodes, getSources } from '../support/sources.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/tests.md'), 'utf8');
const readListedFiles = (title: string): string[] => {
  const section = page.split('\n## ').find((each) => each.startsWith(title)) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file = '']) => file);
};

const tests = getSources('packages', 'workers', 'test').filter((source) => source.path.endsWith('.test.ts'));
const isLong = (file: string) => file.endsWith('.long.test.ts');
const findImporters = (name: string) =>
  tests
    .filter(({ text }) => text.includes(name))
    .filter(({ imports }) => imports.some(({ names }) => names.includes(name)));

test('docs/tests.md names a reason for each test, except long ones, that starts its own server', () => {
  const own = findImporters('startOwnPlatform').map((source) => source.path);

  expect(readListedFiles('Which tests')).toEqual(own.filter((file) => !isLong(file)).toSorted());
});

/** Returns the regular expressions in a literal. Those in a call, such as `expect.stringMatching(...)`, are left out. */
function findPatterns(node: ts.Node): ts.Node[] {
  if (ts.isRegularExpressionLiteral(node)) return [node];
  return ts.isCallExpression(node) || ts.isFunctionLike(node) ? [] : node.getChildren().flatMap(findPatterns);
}

test('toMatchObject is not given regular expressions, which it would accept for any value', () => {
  const found = tests
    .filter(({ text }) => text.includes('toMatchObject('))
    .flatMap(({ path: file, tree }) =>
      [...getNodes(tree)]
        .filter(ts.isCallExpression)
        .filter(
          ({ expression }) => ts.isPropertyAccessExpression(expression) && expression.name.text === 'toMatchObject',
        )
        .flatMap((call) => call.arguments.flatMap(findPatterns))
        .map((pattern) => `${file}: ${pattern.getText()}`),
    );

  expect(found).toEqual([]);
});
