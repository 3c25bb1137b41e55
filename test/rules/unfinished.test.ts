import { expect, test } from 'vitest';
import { getSources } from '../support/sources.ts';

const everything = getSources('packages', 'workers', 'integrations', 'scripts', 'test');

test('no code is marked as unfinished', () => {
  expect(
    everything
      .filter(({ text }) => new RegExp(`\\b(${['TO', 'DO'].join('')}|FIX${'ME'}|XX${'X'})\\b`).test(text))
      .map(({ path }) => path),
  ).toEqual([]);
});

test('no comment disables the lint rules on any and non-null assertions', () => {
  const ignoring = /biome-ignore lint\/(?:suspicious\/noExplicitAny|style\/noNonNullAssertion)\b/;

  expect(everything.filter(({ text }) => ignoring.test(text)).map(({ path }) => path)).toEqual([]);
});
