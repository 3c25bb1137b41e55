import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { getSources } from '../support/sources.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/tests.md'), 'utf8');
const listedUnder = (title: string): string[] => {
  const section = page.split('\n## ').find((each) => each.startsWith(title)) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file = '']) => file);
};

const tests = getSources('packages', 'workers', 'test').filter((source) => source.path.endsWith('.test.ts'));
const isLong = (file: string) => file.endsWith('.long.test.ts');
const importing = (name: string) =>
  tests
    .filter(({ text }) => text.includes(name))
    .filter(({ imports }) => imports.some(({ names }) => names.includes(name)));

test('docs/tests.md names a reason for each ordinary test that starts its own server', () => {
  const own = importing('ownPlatform').map((source) => source.path);

  expect(listedUnder('Which ordinary tests')).toEqual(own.filter((file) => !isLong(file)).toSorted());
});
