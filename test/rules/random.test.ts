import ts from 'typescript';
import { expect, test } from 'vitest';
import { getNodes, getSources } from '../support/sources.ts';

/** Sources of randomness that ignore the seed of the run. */
const bare = new Set(['Math.random', 'fc.assert', 'fc.check', 'fc.sample', 'fc.statistics']);

test('every random test uses the seed of the run, through test/support/random.ts', () => {
  const violations = getSources('packages', 'workers', 'test')
    .filter(({ path }) => (path.startsWith('test/') || path.endsWith('.test.ts')) && path !== 'test/support/random.ts')
    .filter(({ text }) => /\bMath\s*\.\s*random|\bfc\s*\.\s*(?:assert|check|sample|statistics)\b/.test(text))
    .flatMap((source) =>
      [...getNodes(source.tree)]
        .filter((node) => ts.isPropertyAccessExpression(node) && bare.has(node.getText()))
        .map((node) => `${source.path}: ${node.getText()}`),
    );

  expect(violations).toEqual([]);
});
