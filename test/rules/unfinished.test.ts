import ts from 'typescript';
import { expect, test } from 'vitest';
import { nodesOf, sourcesOf } from '../support/sources.ts';

const everything = sourcesOf('packages', 'workers', 'integrations', 'scripts', 'test');

test('no code is left for later', () => {
  expect(
    everything
      .filter(({ text }) => new RegExp(`\\b(${['TO', 'DO'].join('')}|FIX${'ME'}|XX${'X'})\\b`).test(text))
      .map(({ path }) => path),
  ).toEqual([]);
});

test('nothing is of the type any, and nothing is claimed to be there with an exclamation mark', () => {
  const loose = [ts.SyntaxKind.AnyKeyword, ts.SyntaxKind.NonNullExpression];
  const found = everything.filter(({ tree }) => [...nodesOf(tree)].some(({ kind }) => loose.includes(kind)));

  expect(found.map(({ path }) => path)).toEqual([]);
});
