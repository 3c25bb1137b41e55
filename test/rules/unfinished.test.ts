import { expect, test } from 'vitest';
import { sourcesOf } from '../support/sources.ts';

const everything = sourcesOf('packages', 'workers', 'integrations', 'scripts', 'test');

test('no code is left for later', () => {
  expect(
    everything
      .filter(({ text }) => new RegExp(`\\b(${['TO', 'DO'].join('')}|FIX${'ME'}|XX${'X'})\\b`).test(text))
      .map(({ path }) => path),
  ).toEqual([]);
});

test('no comment switches off the lint rules against any and non-null assertions', () => {
  const ignoring = /biome-ignore lint\/(?:suspicious\/noExplicitAny|style\/noNonNullAssertion)\b/;

  expect(everything.filter(({ text }) => ignoring.test(text)).map(({ path }) => path)).toEqual([]);
});
